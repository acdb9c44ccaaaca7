"""Programs that speak ACP: the only package that uses the protocol's names."""
