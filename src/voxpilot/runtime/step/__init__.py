"""One step of a chat: what arrives, what follows from it, and what happens when a step fails."""
