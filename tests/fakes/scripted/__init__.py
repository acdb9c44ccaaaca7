"""The parts of the scripted agent. Standard library only, and quick to import."""
