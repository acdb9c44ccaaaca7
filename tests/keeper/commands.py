"""Commands that a keeper runs, and their output."""

from __future__ import annotations

import json
from typing import Any

from tests.keeper.kept import Kept
from voxpilot.keeper.journal import COMMAND_ENDED
from voxpilot.keeper.output import (
    read_output,
)

WAITING = "import sys; sys.stdin.read()"
"""An agent that does nothing until its stdin closes."""


def shell(kept: Kept, name: str, line: str, **env: str) -> None:
    kept.attachment.run(name, ["/bin/sh", "-c", line], str(kept.directory.parent), env)


def ends(kept: Kept) -> list[dict[str, Any]]:
    return [json.loads(record.payload) for record in kept.records if record.type == COMMAND_ENDED]


async def end_of(kept: Kept, name: str, within: float = 20) -> dict[str, Any]:
    await kept.read_until(lambda: [end for end in ends(kept) if end["terminal"] == name], within)
    return next(end for end in ends(kept) if end["terminal"] == name)


def output(kept: Kept, name: str) -> bytes:
    return read_output(kept.directory, name, 0, 10 << 20).data
