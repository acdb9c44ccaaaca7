-- The sandbox in which an agent was started, and in which a person last agreed to have it started.
ALTER TABLE agent_processes ADD COLUMN sandbox TEXT NOT NULL DEFAULT 'off';
ALTER TABLE agreed_commands ADD COLUMN sandbox TEXT NOT NULL DEFAULT 'off';
