"""What VoxPilot costs, always compared with a bare baseline measured in the same run.

`python -m bench` measures and prints one table; the targets come from the design.
"""
