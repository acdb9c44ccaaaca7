"""What VoxPilot costs, always beside something bare measured in the same run.

`python -m bench` measures and prints one table; the budgets are those of the design.
"""
