"""What others wrote, made fit for a terminal.

Lives here: taking escape sequences out of running text, and making every odd
character of a question visible. Lives elsewhere: printing (screen.py).
"""

from __future__ import annotations

import re

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor movements
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # titles, links, clipboard
    r"|\x1b[ -/]*[0-~]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNFINISHED = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*\Z|\x1b[\]PX^_][^\x07\x1b\x9c\n]*\x1b?\Z|\x1b[ -/]*\Z")
_LONGEST_SEQUENCE = 4000
_INVISIBLE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


def clean(text: str) -> str:
    """The text without escape sequences, and without control characters but newline and tab."""
    return _CONTROL.sub("", _SEQUENCE.sub("", text))


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
        """What was held back for an end that did not come."""
        held, self._held = self._held, ""
        return clean(held)


def visible(text: str) -> str:
    """The text with every character one could not see written out, so that nothing hides in a question."""
    return _INVISIBLE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), text)


def one_line(text: str) -> str:
    return visible(text).replace("\n", "\\n")
