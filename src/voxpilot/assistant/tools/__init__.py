"""The assistant's own, read-only tools."""
