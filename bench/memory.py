"""Resident memory: the server with ten awake chats, a keeper.

Lives here: creating ten chats and measuring. Lives elsewhere: an idle server (startup.py), /proc
(tests/kit/machine/processes.py).
"""

from __future__ import annotations

from pathlib import Path

import anyio

from bench.figures import Aim, Figure
from bench.stage import staged
from tests.kit.machine.processes import rss_bytes

CHATS = 10
SETTLE_SECONDS = 0.5


async def resident(folder: Path, lines: Path) -> list[Figure]:
    async with staged(folder, lines) as stage:
        for _ in range(CHATS):
            await stage.warm_chat()
        awake = await _settled(stage.server.pid)
        keepers = stage.keepers()
        wrong = "" if len(keepers) == CHATS else f"{len(keepers)} keepers"
        largest = max(map(rss_bytes, keepers), default=0) / 1e6
    return [
        _figure(f"server memory, {CHATS} awake chats", awake, 120, wrong),
        _figure("keeper memory, the largest", largest, 15, wrong),
    ]


async def _settled(pid: int) -> float:
    await anyio.sleep(SETTLE_SECONDS)
    return rss_bytes(pid) / 1e6


def _figure(name: str, megabytes: float, limit: float, wrong: str = "") -> Figure:
    return Figure(name=name, value=megabytes, unit="MB", aim=Aim(limit), wrong=wrong)
