-- The model a person has chosen for the assistant in this chat, with its provider; and the tools switched off there.
ALTER TABLE chats ADD COLUMN model TEXT;
ALTER TABLE chats ADD COLUMN tools_off TEXT NOT NULL DEFAULT '[]';
