"""Lets `python -I -S program DIR` find the program, which sees nothing else of ours and nothing installed."""

import os
import sys

sys.path[0] = os.path.dirname(sys.path[0])

from program.launch import main  # type: ignore[import-not-found]  # noqa: E402

main(sys.argv[1])
