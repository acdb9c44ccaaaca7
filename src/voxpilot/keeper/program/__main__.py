"""Lets `python -I -S program DIR` find the program, without our other modules or installed packages."""

import os
import sys

sys.path[0] = os.path.dirname(sys.path[0])

from program.launch import main  # type: ignore[import-not-found]  # noqa: E402

main(sys.argv[1])
