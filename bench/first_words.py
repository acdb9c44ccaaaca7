"""From a message to the first words of an agent, already running or not.

Lives here: both, compared with the same agent driven directly over its pipes. Lives elsewhere: driving it
(bare_clients.py).
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from bench.figures import Figure, milliseconds
from bench.stage import Stage, run_program, stream_of


async def first_deltas(stage: Stage, lines: Path, rounds: int) -> list[Figure]:
    ours: dict[str, list[float]] = {"warm": [], "cold": []}
    bare: dict[str, list[float]] = {"warm": [], "cold": []}
    for _ in range(3 * rounds):
        chat = await stage.new_chat()
        ours["cold"].append(await _first_ms(stage, chat))
        ours["warm"].append(await _first_ms(stage, chat))
        await stage.api.delete_chat(chat)
        for name, seconds in (await run_program("bench.bare_clients", "agent", str(lines))).items():
            bare[name].append(seconds * 1000)
    return [_figure(name, ours[name], bare[name]) for name in ours]


async def _first_ms(stage: Stage, chat: str) -> float:
    async with stage.watching([stream_of(chat, "tail=0")], look="first words") as watch:
        posted_ns = time.monotonic_ns()
        await stage.api.prompt(chat, "say")
        first_ns: int = (await watch.views())[0]["first_ns"]
    return (first_ns - posted_ns) / 1e6


def _figure(name: str, ours: list[float], bare: list[float]) -> Figure:
    middle, least = statistics.median(ours), statistics.median(bare)
    return Figure(
        name=f"first delta after POST, {name} agent",
        value=middle / least,
        unit="×",
        measured=milliseconds(middle),
        baseline=f"over its pipes: {milliseconds(least)}",
    )
