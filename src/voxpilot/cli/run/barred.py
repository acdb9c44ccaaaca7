"""Text of others in a terminal, each line after a bar.

An agent's text must never look like our own messages or questions. Lives here: putting the
bar in front of every line, and breaking lines before the terminal does, because a line wrapped by the
terminal would begin without a bar. Lives elsewhere: cleaning the text first (text.py), what is printed
(screen.py).
"""

from __future__ import annotations

import os
import shutil
import unicodedata
from contextlib import suppress

BAR = "\u2502 "
"""None of our own lines begin with it."""
_TAB = 4
_NARROWEST = 8


class Barred:
    """Turns text that arrives in pieces into lines that begin with a bar."""

    def __init__(self) -> None:
        self._column = 0

    def begin_line(self) -> None:
        """Another writer ended the line."""
        self._column = 0

    def feed(self, text: str) -> str:
        room = _columns() - len(BAR)
        parts: list[str] = []
        for character in text.expandtabs(_TAB):
            if character == "\n":
                parts.append("\n" if self._column else f"{BAR}\n")
                self._column = 0
                continue
            width = width_of(character)
            if self._column + width > room:
                parts.append("\n")
                self._column = 0
            if self._column == 0:
                parts.append(BAR)
            parts.append(character)
            self._column += width
        return "".join(parts)


def wrapped(line: str, indent: str = "  | ") -> str:
    """A line of ours that may contain text of others: the rest is put on a new line after a bar."""
    room = _columns()
    lines, column = [""], 0
    for character in line.expandtabs(_TAB):
        width = width_of(character)
        if column + width > room:
            lines.append(indent)
            column = len(indent)
        lines[-1] += character
        column += width
    return "\n".join(lines)


def width_of(character: str) -> int:
    """The largest width in any terminal: a line that is broken too late would continue without a bar.

    Terminals know different versions of Unicode, and some draw ambiguous characters and symbols wide.
    """
    if character.isascii():
        return 1
    if unicodedata.east_asian_width(character) in "WFA":
        return 2
    return 1 if unicodedata.category(character)[0] in "LM" else 2


def _columns() -> int:
    """Of the narrowest terminal that we may be printing to."""
    sizes = []
    for output in (1, 2):
        with suppress(OSError):
            sizes.append(os.get_terminal_size(output).columns)
    columns = min(filter(None, sizes), default=shutil.get_terminal_size().columns)
    return max(_NARROWEST, columns - 1)
