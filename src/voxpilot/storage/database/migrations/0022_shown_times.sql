-- By how much the times of a chat's events were moved to show them, and from which event on.
ALTER TABLE chats ADD COLUMN shifts TEXT NOT NULL DEFAULT '[]';
