-- When each session was last sent a prompt. (Its title has a column since the first migration.)
ALTER TABLE acp_sessions ADD COLUMN used_at REAL;
