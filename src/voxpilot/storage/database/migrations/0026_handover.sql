-- What the next one to answer is told, until a message takes it along; who has seen the chat up to which event, and who
-- answered last.
ALTER TABLE chats ADD COLUMN handover TEXT;
ALTER TABLE chats ADD COLUMN seen TEXT;
ALTER TABLE chats ADD COLUMN answered_by TEXT;
ALTER TABLE turns ADD COLUMN handover TEXT;
UPDATE chats SET answered_by = (
  SELECT agent FROM turns WHERE chat_id = chats.id AND started_at IS NOT NULL ORDER BY number DESC LIMIT 1
);
UPDATE chats SET seen = json_object(answered_by, last_seq) WHERE answered_by IS NOT NULL;
