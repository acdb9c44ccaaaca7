"""Commands: those that run for the agent (terminals.py), and those that it leaves running (leftovers.py)."""
