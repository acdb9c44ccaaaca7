-- A device is known by two secrets: its cookie, and a key that its page keeps. One from before has no key and signs in again.
ALTER TABLE devices ADD COLUMN key_hash TEXT;
-- Whether a person vouched for it, so that it may loosen what others may not.
ALTER TABLE devices ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
-- Who made a link: a device, or 'server' for the one printed at its start. Without either, a script did.
ALTER TABLE links ADD COLUMN made_by TEXT;
