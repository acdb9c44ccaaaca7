"""What survives: the database, and the only SQL."""
