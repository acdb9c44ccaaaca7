"""Server-sent events to readers."""
