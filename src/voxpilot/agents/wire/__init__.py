"""Lines to and from an agent process."""
