ALTER TABLE questions ADD COLUMN purpose TEXT NOT NULL DEFAULT 'agent';
ALTER TABLE acp_sessions ADD COLUMN cwd TEXT;
ALTER TABLE acp_sessions ADD COLUMN title TEXT;
ALTER TABLE acp_sessions ADD COLUMN prompts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE acp_sessions ADD COLUMN loading TEXT;
ALTER TABLE acp_sessions ADD COLUMN replay TEXT;
ALTER TABLE acp_sessions ADD COLUMN note TEXT;
CREATE INDEX sessions_by_name ON acp_sessions(agent, acp_session_id);
