-- How each agent was started when a person last agreed to it.
CREATE TABLE agreed_commands (agent TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, shown TEXT NOT NULL, at REAL NOT NULL);
