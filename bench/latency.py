"""How much time we add to an update between the agent's write and a client, on an idle server.

Lives here: one update every 10 ms, compared with a bare relay from the pipe to the socket.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.figures import Aim, Figure, milliseconds, percentile
from bench.stage import Job, Stage, relaying, stream_of, watching

EVERY_MS = 10


async def added(stage: Stage, lines: Path, rounds: int, seconds: float) -> list[Figure]:
    order = f"tick a {int(seconds * 1000 / EVERY_MS)} {EVERY_MS}"
    chat = await stage.warm_chat()
    bare, ours = [], []
    for _ in range(rounds):
        bare.append(await _relayed(lines, order))
        async with stage.watching([stream_of(chat, "tail=0")], look="stamps") as watch:
            await stage.api.prompt(chat, order)
            ours.append(ages_ms(await watch.views()))
    return [_figure(bare, ours, 50, Aim(3)), _figure(bare, ours, 99, Aim(15))]


def ages_ms(views: list[dict[str, Any]]) -> list[float]:
    return [age / 1e6 for view in views for _, _, age in view["stamps"]]


async def _relayed(lines: Path, order: str) -> list[float]:
    async with relaying(lines, 1, [order]) as port:
        async with watching(Job(port=port, paths=["/"], look="stamps")) as watch:
            return ages_ms(await watch.views())


def _figure(bare: list[list[float]], ours: list[list[float]], percent: int, aim: Aim) -> Figure:
    least, best = (min(percentile(one, percent) for one in rounds) for rounds in (bare, ours))
    return Figure(
        name=f"added latency, p{percent}",
        value=best - least,
        unit="ms",
        measured=milliseconds(best),
        baseline=milliseconds(least),
        aim=aim,
    )
