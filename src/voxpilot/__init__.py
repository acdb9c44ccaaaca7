"""VoxPilot: a self-hosted web interface to coding agents and language models."""

__version__ = "0.1.0"
