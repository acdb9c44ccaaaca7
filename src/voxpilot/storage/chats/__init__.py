"""What is stored for each chat: rows, event log, folds."""
