"""The test kit: the real server, clients that share no code with it, and oracles that judge what they saw."""
