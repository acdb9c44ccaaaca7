CREATE TABLE model_steps (
  id TEXT PRIMARY KEY, chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, turn TEXT NOT NULL,
  number INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, message_id TEXT, message TEXT,
  text TEXT NOT NULL, usage TEXT, created_at REAL NOT NULL, over INTEGER NOT NULL, UNIQUE (turn, number)
);
CREATE INDEX open_model_steps ON model_steps(chat_id) WHERE over = 0;
CREATE TABLE calls (
  id TEXT PRIMARY KEY, chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, turn TEXT NOT NULL,
  step TEXT NOT NULL, number INTEGER NOT NULL, provider_id TEXT NOT NULL, name TEXT NOT NULL, arguments TEXT NOT NULL,
  state TEXT NOT NULL, agreed TEXT, content TEXT, display TEXT, is_error INTEGER NOT NULL, cut INTEGER NOT NULL, created_at REAL NOT NULL, ended_at REAL,
  over INTEGER NOT NULL
);
CREATE INDEX open_calls ON calls(chat_id) WHERE over = 0;
CREATE INDEX calls_of_turn ON calls(turn);
ALTER TABLE turns ADD COLUMN resumptions INTEGER NOT NULL DEFAULT 0;
