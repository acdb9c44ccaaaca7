"""Whether an agent may act without asking: reading calls and commands, and deciding."""
