"""Recorded conversations with real agents.

Lives here: unpacking and reading them. Lives elsewhere: feeding them to the
product (tests/runtime/).
"""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).parents[2] / "traces" / "recordings.tar.xz"


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    at: float
    run: int
    """The number of the agent's run, starting at 1."""
    from_agent: bool
    message: Any


@cache
def recordings() -> dict[str, tuple[RecordedFrame, ...]]:
    """Every recording by its name, protocol frames only."""
    found = {}
    with tarfile.open(RECORDINGS) as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            rows = [json.loads(line) for line in file.read().splitlines()]
            found[member.name.removesuffix(".jsonl")] = tuple(
                RecordedFrame(row["t"], row["proc"], row["dir"] == "a>c", row["msg"])
                for row in rows
                if row["dir"] in ("a>c", "c>a")
            )
    return found
