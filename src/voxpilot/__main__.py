"""`python -m voxpilot` is `voxpilot`."""

from voxpilot.cli import main

if __name__ == "__main__":
    main()
