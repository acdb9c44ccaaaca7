-- A chat that was deleted; what is left of it is removed in small pieces.
ALTER TABLE chats ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX deleted_chats ON chats(id) WHERE deleted;
CREATE INDEX newest_chats ON chats(updated_at, id) WHERE deleted = 0;
