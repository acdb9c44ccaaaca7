CREATE TABLE chats (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, workspace TEXT NOT NULL, mode TEXT NOT NULL, agent TEXT,
  policy TEXT NOT NULL, name TEXT, created_at REAL NOT NULL, updated_at REAL NOT NULL, last_seq INTEGER NOT NULL,
  crashes TEXT NOT NULL
);
CREATE INDEX chats_by_name ON chats(name) WHERE name IS NOT NULL;

CREATE TABLE events (
  chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, seq INTEGER NOT NULL, kind TEXT NOT NULL,
  body BLOB NOT NULL, at REAL NOT NULL, whole BLOB, PRIMARY KEY (chat_id, seq)
) WITHOUT ROWID;

CREATE TABLE folds (
  chat_id TEXT PRIMARY KEY REFERENCES chats(id) ON DELETE CASCADE, seq INTEGER NOT NULL, head BLOB NOT NULL
);
CREATE TABLE blocks (
  chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, pos INTEGER NOT NULL, turn TEXT,
  body BLOB NOT NULL, PRIMARY KEY (chat_id, pos)
) WITHOUT ROWID;

CREATE TABLE turns (
  id TEXT PRIMARY KEY, chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, number INTEGER NOT NULL,
  message_id TEXT NOT NULL, text TEXT NOT NULL, attachments TEXT NOT NULL, state TEXT NOT NULL, agent TEXT NOT NULL,
  session_name TEXT NOT NULL, created_at REAL NOT NULL, started_at REAL, ended_at REAL, cancelled_at REAL,
  stop_reason TEXT, error TEXT, UNIQUE (chat_id, number)
);
CREATE INDEX open_turns ON turns(chat_id, number) WHERE state IN ('queued', 'running');

CREATE TABLE agent_processes (
  id TEXT PRIMARY KEY, chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, agent TEXT NOT NULL,
  state TEXT NOT NULL, offset INTEGER NOT NULL, lines_out INTEGER NOT NULL, requests INTEGER NOT NULL,
  initialized TEXT, unreadable INTEGER NOT NULL, slow INTEGER NOT NULL, force INTEGER NOT NULL,
  started_at REAL NOT NULL, ended_at REAL, ended TEXT
);
CREATE INDEX processes_of_chat ON agent_processes(chat_id);
CREATE INDEX live_processes ON agent_processes(chat_id) WHERE state != 'ended';

CREATE TABLE acp_sessions (
  id TEXT PRIMARY KEY, chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, agent TEXT NOT NULL,
  name TEXT NOT NULL, acp_session_id TEXT NOT NULL, process_id TEXT NOT NULL, created_at REAL NOT NULL, turn TEXT,
  tool_call_id TEXT, prompting INTEGER NOT NULL, answered_at REAL, heard INTEGER NOT NULL, speaking TEXT,
  messages INTEGER NOT NULL, options TEXT, UNIQUE (chat_id, agent, name)
);

CREATE TABLE requests (
  id TEXT PRIMARY KEY, process_id TEXT NOT NULL REFERENCES agent_processes(id) ON DELETE CASCADE,
  direction TEXT NOT NULL, rpc_id TEXT NOT NULL, method TEXT NOT NULL, subject TEXT NOT NULL, response TEXT,
  created_at REAL NOT NULL
);
CREATE INDEX open_requests ON requests(process_id) WHERE response IS NULL;

CREATE TABLE outbox (
  process_id TEXT NOT NULL REFERENCES agent_processes(id) ON DELETE CASCADE, n INTEGER NOT NULL, line TEXT NOT NULL,
  prompt TEXT, PRIMARY KEY (process_id, n)
) WITHOUT ROWID;

CREATE TABLE early_frames (
  process_id TEXT NOT NULL REFERENCES agent_processes(id) ON DELETE CASCADE, n INTEGER NOT NULL,
  acp_session_id TEXT NOT NULL, line TEXT NOT NULL, PRIMARY KEY (process_id, n)
) WITHOUT ROWID;

CREATE TABLE questions (
  id TEXT PRIMARY KEY, chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, turn TEXT,
  process_id TEXT NOT NULL, request_id TEXT NOT NULL, session_id TEXT NOT NULL, type TEXT NOT NULL,
  title TEXT NOT NULL, detail TEXT NOT NULL, options TEXT NOT NULL, asked_at REAL NOT NULL, state TEXT NOT NULL,
  outcome TEXT, option_id TEXT, decided_by TEXT, decided_where TEXT, decided_at REAL, reason TEXT
);
CREATE INDEX open_questions ON questions(chat_id) WHERE state = 'open';

CREATE TABLE devices (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, secret_hash TEXT NOT NULL UNIQUE, created_at REAL NOT NULL,
  last_used_at REAL NOT NULL
);
CREATE TABLE links (code_hash TEXT PRIMARY KEY, expires_at REAL NOT NULL, used_at REAL);
CREATE TABLE idempotency_keys (
  key TEXT PRIMARY KEY, chat_id TEXT REFERENCES chats(id) ON DELETE CASCADE, reply TEXT NOT NULL, at REAL NOT NULL
);
