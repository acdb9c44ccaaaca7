-- With a line that has an agent stop: since when the commands run that must not outlive it.
ALTER TABLE outbox ADD COLUMN stops TEXT;
