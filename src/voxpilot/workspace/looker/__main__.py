"""Lets `python -I -S __main__.py` find its own package, but no installed packages."""

import os
import sys

sys.path.insert(0, os.path.abspath(f"{__file__}/../../../.."))

if sys.argv[1:] == ["find"]:
    from voxpilot.workspace.looker.finding import main as find

    find()
else:
    from voxpilot.workspace.looker.tasks import main

    main()
