"""A server whose wall clock can be set while it runs, as a person or a time service would.

Lives here: the folder for the server's PYTHONPATH, and the file with the clock's offset. Only the wall clock
is changed: monotonic clocks continue normally.
"""

from __future__ import annotations

import os
from pathlib import Path

_SITE = """
import os
import time

_real = time.time
_told = {path!r}


def stepped():
    with open(_told) as file:
        return _real() + float(file.read() or 0)


time.time = stepped
"""


class Stepping:
    """`env` is for the server; `step` sets its clock and can be called repeatedly."""

    def __init__(self, place: Path) -> None:
        folder = place / "stepping"
        folder.mkdir()
        self._told = folder / "off"
        self.set(0.0)
        (folder / "sitecustomize.py").write_text(_SITE.format(path=str(self._told)))
        further = os.environ.get("PYTHONPATH")
        self.env = {"PYTHONPATH": f"{folder}{os.pathsep}{further}" if further else str(folder)}

    def set(self, off: float) -> None:
        """The offset from the real time, in seconds."""
        fresh = self._told.with_name("off.new")
        fresh.write_text(str(off))
        fresh.replace(self._told)
        self.off = off

    def step(self, seconds: float) -> None:
        self.set(self.off + seconds)
