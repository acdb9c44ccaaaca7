-- What the settings file said when a person last agreed to it.
CREATE TABLE accepted_settings (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL, at REAL NOT NULL);
