"""Agent processes: starting, approving, signing in, restoring sessions and stopping."""
