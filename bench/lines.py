"""The flood: updates prepared beforehand, and the text they must add up to.

Lives here: making the file. Lives elsewhere: the form of a line and writing them (agent.py).
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
    """A file of updates and what whoever reads them all must have in the end."""

    path: Path
    updates: int
    bytes: int
    length: int
    sha256: str


def prepare(path: Path, updates: int) -> Flood:
    """Write a file of numbered updates of about 200 bytes, so that a lost, doubled or swapped one shows."""
    digest, length = hashlib.sha256(), 0
    with path.open("wb") as file:
        for number in range(updates):
            text = f"{_WORDS[number % len(_WORDS)]} {number} "
            length += len(text)
            digest.update(text.encode())
            file.write(update_line(text))
    return Flood(path, updates, path.stat().st_size, length, digest.hexdigest())
