CREATE TABLE tasks (
  id TEXT PRIMARY KEY, chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, turn TEXT NOT NULL,
  agent TEXT NOT NULL, session_name TEXT NOT NULL, text TEXT NOT NULL, attachments TEXT NOT NULL,
  tool_call_id TEXT, created_at REAL NOT NULL, ended_at REAL, stop_reason TEXT
);
CREATE INDEX open_tasks ON tasks(chat_id) WHERE ended_at IS NULL;
INSERT INTO tasks (id, chat_id, turn, agent, session_name, text, attachments, created_at)
  SELECT id, chat_id, id, agent, session_name, text, attachments, created_at FROM turns WHERE state = 'running';
