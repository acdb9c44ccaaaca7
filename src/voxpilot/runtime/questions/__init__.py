"""Questions that wait for a person."""
