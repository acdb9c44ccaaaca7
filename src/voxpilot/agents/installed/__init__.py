"""Agents on this machine: how each is started, its version, its capabilities and its quirks."""
