-- Which history this is: a database that was restored or rescued is another one, and readers start over.
-- Every transaction is counted, so that a write-ahead log that was lost is noticed at the next start.
CREATE TABLE history (id TEXT NOT NULL, commits INTEGER NOT NULL);
INSERT INTO history VALUES (lower(hex(randomblob(8))), 0);
