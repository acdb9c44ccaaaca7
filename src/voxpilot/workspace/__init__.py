"""The folder a chat may touch."""
