"""`voxpilot run`: one prompt to one agent, from the terminal."""
