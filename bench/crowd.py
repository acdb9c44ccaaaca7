"""Ten agents at 30 updates a second and a hundred clients: how old an update is when it arrives.

Lives here: clients spread over the chats, and clients that each follow all chats on one connection; both
compared with a bare relay, because a hundred sockets cost something by themselves. Every client must receive
every update once and in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from bench.figures import Aim, Figure, milliseconds, percentile
from bench.latency import ages_ms
from bench.stage import Job, Stage, relaying, stream_of, watching

AGENTS, CLIENTS, PER_SECOND = 10, 100, 30
_LIMIT = Aim(25)


async def watched_by_many(stage: Stage, lines: Path, rounds: int, seconds: float) -> list[Figure]:
    chats = [await stage.warm_chat() for _ in range(AGENTS)]
    count = int(seconds * PER_SECOND)
    orders = [
        f"tick a{number} {count} {1000 / PER_SECOND:.3f} {_phase(number):.3f}" for number in range(AGENTS)
    ]
    spread = [stream_of(chats[number % AGENTS], "tail=0") for number in range(CLIENTS)]
    joint = [f"/api/stream?tail=0&chats={','.join(chats)}"] * CLIENTS
    figures = []
    for name, paths, bare_paths, each in (
        ("10 clients on each of 10 chats", spread, [f"/{n % AGENTS}" for n in range(CLIENTS)], 1),
        ("100 clients on all 10 chats", joint, ["/"] * CLIENTS, AGENTS),
    ):
        bare = [await _relayed(lines, orders, bare_paths, each) for _ in range(rounds)]
        ours = [await _served(stage, chats, orders, paths, each) for _ in range(rounds)]
        wrong = sum(gaps(views, each, count) for views in ours)
        figures.append(_figure(name, list(map(ages_ms, bare)), list(map(ages_ms, ours)), wrong))
    return figures


async def _served(
    stage: Stage, chats: Sequence[str], orders: Sequence[str], paths: Sequence[str], each: int
) -> list[dict[str, Any]]:
    async with stage.watching(paths, look="stamps", readies=each, ends=each) as watch:
        async with anyio.create_task_group() as tasks:
            for chat, order in zip(chats, orders, strict=True):
                tasks.start_soon(stage.api.prompt, chat, order)
        return await watch.views()


async def _relayed(
    lines: Path, orders: Sequence[str], paths: Sequence[str], each: int
) -> list[dict[str, Any]]:
    async with relaying(lines, len(paths), orders) as port:
        async with watching(Job(port=port, paths=paths, look="stamps", ends=each)) as watch:
            return await watch.views()


def _phase(number: int) -> float:
    """Agents are independent, so their updates neither coincide nor alternate."""
    return number * 0.618 % 1


def gaps(views: list[dict[str, Any]], agents: int, count: int) -> int:
    """Updates that are missing, duplicated or out of order, over all clients."""
    wrong = 0
    for view in views:
        had: dict[str, list[int]] = {}
        for who, number, _ in view["stamps"]:
            had.setdefault(who, []).append(number)
        wrong += (agents - len(had)) * count
        wrong += sum(_faults(numbers, count) for numbers in had.values())
    return wrong


def _faults(numbers: list[int], count: int) -> int:
    if numbers == list(range(count)):
        return 0
    return max(1, len(set(range(count)) ^ set(numbers)), abs(len(numbers) - count))


def _figure(name: str, bare: list[list[float]], ours: list[list[float]], gaps: int) -> Figure:
    ages = min(ours, key=lambda ages: percentile(ages, 95))
    return Figure(
        name=f"{name}, p95",
        value=percentile(ages, 95),
        unit="ms",
        measured=f"{len(ages):,} received, {gaps} gaps, p50 {milliseconds(percentile(ages, 50))}",
        baseline=f"p95 {milliseconds(min(percentile(ages, 95) for ages in bare))}",
        aim=_LIMIT,
        wrong=f"{gaps} gaps" if gaps else "",
    )
