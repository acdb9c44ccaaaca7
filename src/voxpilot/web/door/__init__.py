"""Who may use the server: every request passes here before it reaches a route."""
