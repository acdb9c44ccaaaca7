"""HTTP and server-sent events: the only place that knows requests and responses."""
