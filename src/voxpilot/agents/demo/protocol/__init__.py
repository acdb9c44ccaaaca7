"""ACP on the wire, from updates and requests (updates.py, client.py) down to lines (peer.py, stdio.py)."""
