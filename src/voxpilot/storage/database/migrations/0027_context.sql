-- What was read for a message before it is sent, and which skills a person switched on or off.
ALTER TABLE turns ADD COLUMN context TEXT;
CREATE TABLE skill_choices (
  workspace TEXT NOT NULL,
  skill TEXT NOT NULL,
  always INTEGER NOT NULL,
  at REAL NOT NULL,
  PRIMARY KEY (workspace, skill)
);
