-- The model a person has chosen for a session, to be chosen again when the session is reopened.
ALTER TABLE acp_sessions ADD COLUMN model TEXT;
