"""Opening a chat: all of it, and at its end.

Lives here: the same for a chat of 1,000 and one of 100,000 events. An opening is a first one if the server
has not read the chat since it started. Lives elsewhere: making the chats (seeding.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.figures import Aim, Figure, milliseconds
from bench.seeding import seed
from bench.stage import Stage, staged, stream_of

SMALL, LARGE = 1_000, 100_000
TAIL = "tail=50"
_WARM_UP = "0"


@dataclass(slots=True)
class Times:
    """Seconds, over all rounds."""

    whole: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    wrong: str = ""


async def opening(folder: Path, lines: Path, rounds: int) -> list[Figure]:
    ids = {size: f"{size:x}" for size in (SMALL, LARGE)}
    data_dir = folder / "data"
    await seed(data_dir, {_WARM_UP: 100} | {id: size for size, id in ids.items()})
    times = {size: Times() for size in ids}
    for number in range(rounds):
        async with staged(folder, lines, data_dir) as stage:
            await _open(stage, _WARM_UP, TAIL)
            for size in sorted(ids, reverse=bool(number % 2)):
                await _measure(stage, ids[size], size, times[size])
    return [*(_whole(size, times[size]) for size in times), *_by_the_end(times[SMALL], times[LARGE])]


async def _measure(stage: Stage, chat: str, size: int, times: Times) -> None:
    seconds, _ = await _open(stage, chat, TAIL)
    times.first.append(seconds)
    times.again += [(await _open(stage, chat, TAIL))[0] for _ in range(5)]
    seconds, view = await _open(stage, chat, "after=0")
    times.whole.append(seconds)
    if (view["events"], view["missing"]) != (size, 0):
        times.wrong = "events are missing"


async def _open(stage: Stage, chat: str, query: str) -> tuple[float, dict[str, int]]:
    """Seconds from the request to `ready`, and the received events."""
    async with stage.watching([stream_of(chat, query)], look="numbers", ends=0) as watch:
        view = (await watch.views())[0]
    return (view["ended_ns"] - view["asked_ns"]) / 1e9, view


def _whole(size: int, times: Times) -> Figure:
    best = min(times.whole)
    return Figure(
        name=f"replay of {size:,} events",
        value=size / best,
        unit="events/s",
        measured=milliseconds(best * 1000),
        wrong=times.wrong,
    )


def _by_the_end(small: Times, large: Times) -> Sequence[Figure]:
    return [
        _ratio("opening at its end, first time, 100,000 : 1,000", small.first, large.first),
        _ratio("the same, awake", small.again, large.again),
    ]


def _ratio(name: str, small: list[float], large: list[float]) -> Figure:
    return Figure(
        name=name,
        value=min(large) / min(small),
        unit="×",
        measured=milliseconds(min(large) * 1000),
        baseline=milliseconds(min(small) * 1000),
        aim=Aim(1.5),
    )
