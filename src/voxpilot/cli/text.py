"""Text of others, made safe for a terminal.

Lives here: removing escape sequences and characters that terminals draw differently from running text, and
making every unusual character of a question visible. Lives elsewhere: printing (run/screen.py).
"""

from __future__ import annotations

import re

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor movements
    # Titles, links, clipboard. No part can begin inside another, or the search would take quadratic time.
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNFINISHED = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*\Z|\x1b[\]PX^_][^\x07\x1b\x9c\n]*\x1b?\Z|\x1b[ -/]*\Z")
_LONGEST_SEQUENCE = 4000
_BLANK = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters, marks and symbols that draw nothing."""


def clean(text: str) -> str:
    """The text without escape sequences and control characters, except newline and tab."""
    return _CONTROL.sub("", _SEQUENCE.sub("", text))


def drawable(text: str) -> str:
    """The text without characters that terminals draw differently.

    They change the order, are unknown, or take up space in some terminals and none in others.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else " " * character.isspace()
        for character in text
        if character not in "\u2028\u2029"
    )


class Cleaner:
    """Cleans text that comes in pieces, where a sequence may be split between two."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        text = self._held + piece
        unfinished = _UNFINISHED.search(text, max(0, len(text) - _LONGEST_SEQUENCE))
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return clean(text[:end])

    def rest(self) -> str:
        """Text that was held back for the end of a sequence that never arrived."""
        held, self._held = self._held, ""
        return clean(held)


def visible(text: str) -> str:
    """The text with every invisible character written out, so that nothing is hidden in a question."""
    text = _BLANK.sub(lambda found: _written_out(found[0]), text)
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character == "\n" else _written_out(character)
        for character in text
    )


def one_line(text: str) -> str:
    return visible(text).replace("\n", "\\n")


def _written_out(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode()
