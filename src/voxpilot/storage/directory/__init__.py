"""The data directory: locked, private, backed up and rescued."""
