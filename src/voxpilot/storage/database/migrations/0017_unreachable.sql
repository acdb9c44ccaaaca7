-- Whether it was said that an agent's keeper cannot be reached.
ALTER TABLE agent_processes ADD COLUMN unreachable INTEGER NOT NULL DEFAULT 0;
