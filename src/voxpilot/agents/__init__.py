"""Programs that speak ACP: the only place that knows the protocol's words."""
