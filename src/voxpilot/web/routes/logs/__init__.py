"""Routes that show what happened: decisions, and diagnostics of agents."""
