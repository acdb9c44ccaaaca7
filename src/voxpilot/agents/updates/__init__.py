"""What agents report during a session, turned into events."""
