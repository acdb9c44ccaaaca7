"""What every awake chat shares: the services, the clock, the queue of starts, and where agents may work."""
