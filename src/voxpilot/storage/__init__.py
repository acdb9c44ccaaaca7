"""Everything that is stored: the database, and all SQL."""
