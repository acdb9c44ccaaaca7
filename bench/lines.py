"""The flood: prepared updates, and the text that they form.

Lives here: creating the file. Lives elsewhere: the format of a line and writing them (agent.py).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from bench.agent import update_line

_WORDS = (
    "the",
    "function",
    "returns",
    "None",
    "when",
    "it’s",
    "empty",
    '"quoted"',
    "a\\b",
    "naïve",
    "\n",
    "—",
)


@dataclass(frozen=True, slots=True)
class Flood:
    """A file of updates, and the expected result of reading all of them."""

    path: Path
    updates: int
    bytes: int
    length: int
    sha256: str


def prepare(path: Path, updates: int) -> Flood:
    """Write a file of numbered updates of about 200 bytes, so that lost or swapped ones are noticed."""
    digest, length = hashlib.sha256(), 0
    with path.open("wb") as file:
        for number in range(updates):
            text = f"{_WORDS[number % len(_WORDS)]} {number} "
            length += len(text)
            digest.update(text.encode())
            file.write(update_line(text))
    return Flood(path, updates, path.stat().st_size, length, digest.hexdigest())
