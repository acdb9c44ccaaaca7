-- How many changes a turn may still make without a person, and where an agent's shell may be.
ALTER TABLE turns ADD COLUMN unasked_left INTEGER;
ALTER TABLE acp_sessions ADD COLUMN shell_in TEXT;
