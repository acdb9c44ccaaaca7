-- The policy under which a question was last looked at.
ALTER TABLE questions ADD COLUMN policy TEXT;
CREATE INDEX decisions ON questions(decided_at) WHERE state = 'decided';
-- A message that goes before those that wait already.
ALTER TABLE turns ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
-- Kinds of tools that a person allowed once and for all.
ALTER TABLE acp_sessions ADD COLUMN always TEXT;
-- Folders in which agents may be started.
CREATE TABLE trusted_folders (path TEXT PRIMARY KEY, at REAL NOT NULL);
