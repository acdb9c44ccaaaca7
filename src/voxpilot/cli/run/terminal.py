"""The keyboard of a terminal, read only while a question is open.

Lives here: lines as they are typed. Lives elsewhere: what they mean
(questions.py).
"""

from __future__ import annotations

import asyncio
import os
import sys
import termios
from collections.abc import Callable


class Keyboard:
    """Use within a running loop; `on_line` gets each line typed while listening."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self.is_there = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
        """Whether there is a person who can see and answer the question."""
        self._on_line = on_line
        self.epoch = 0
        """Increases whenever earlier input is to be discarded."""

    def forget(self) -> None:
        """Discard lines typed before the question was shown: they do not answer it."""
        self.epoch += 1
        if self.is_there:
            termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def listen(self, on: bool) -> None:
        loop = asyncio.get_running_loop()
        if self.is_there and on:
            loop.add_reader(sys.stdin.fileno(), self._read)
        elif self.is_there:
            loop.remove_reader(sys.stdin.fileno())

    def _read(self) -> None:
        try:
            typed = os.read(sys.stdin.fileno(), 4096)
        except OSError:  # the terminal was closed
            self.listen(False)
            self.is_there = False
            return
        self._on_line(typed.decode(errors="replace"))
