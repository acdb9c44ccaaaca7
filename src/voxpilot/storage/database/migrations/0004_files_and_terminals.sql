CREATE TABLE file_views (
  request_id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES acp_sessions(id) ON DELETE CASCADE,
  path TEXT NOT NULL, version TEXT NOT NULL, at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX newest_views ON file_views(session_id, path, at);

CREATE TABLE terminals (
  id TEXT PRIMARY KEY, chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
  process_id TEXT NOT NULL REFERENCES agent_processes(id) ON DELETE CASCADE, session_id TEXT NOT NULL, turn TEXT,
  tool_call_id TEXT, argv TEXT NOT NULL, cwd TEXT NOT NULL, env TEXT NOT NULL, byte_limit INTEGER,
  offset INTEGER NOT NULL, shown INTEGER NOT NULL, killed INTEGER NOT NULL, released INTEGER NOT NULL, ended TEXT,
  told INTEGER NOT NULL, created_at REAL NOT NULL
);
CREATE INDEX open_terminals ON terminals(process_id) WHERE released = 0 OR told = 0;
