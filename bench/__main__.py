"""Measure, print the table, and write it to results.md and results.json next to this file.

Lives here: which figures there are, in what order and how often. Lives elsewhere: each figure.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from bench import (
    assistant,
    crowd,
    finding,
    first_words,
    latency,
    machine,
    memory,
    replay,
    startup,
    throughput,
)
from bench.figures import Figure, as_json, table
from bench.lines import Flood, prepare
from bench.stage import PROGRAM, Stage, staged
from voxpilot import __version__

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Run:
    """One run: where it works and how much it does."""

    folder: Path
    flood: Flood
    rounds: int
    seconds: float

    @asynccontextmanager
    async def stage(self, name: str) -> AsyncIterator[Stage]:
        async with staged(self.place(name), self.flood.path) as stage:
            yield stage

    def place(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return folder


async def _throughput(run: Run) -> list[Figure]:
    async with run.stage("throughput") as stage:
        to_one, per_second = await throughput.to_one(stage, run.flood, 2 * run.rounds)
        return [*to_one, await throughput.to_many(stage, run.flood, run.rounds, per_second)]


async def _latency(run: Run) -> list[Figure]:
    async with run.stage("latency") as stage:
        return await latency.added(stage, run.flood.path, run.rounds, run.seconds * 0.6)


async def _replay(run: Run) -> list[Figure]:
    return await replay.opening(run.place("replay"), run.flood.path, run.rounds)


async def _startup(run: Run) -> list[Figure]:
    return await startup.to_first_answers(run.place("start"), run.flood.path, 10 if run.rounds > 1 else 3)


async def _memory(run: Run) -> list[Figure]:
    return await memory.resident(run.place("memory"), run.flood.path)


async def _assistant(run: Run) -> list[Figure]:
    return await assistant.answered(run.place("assistant"), run.flood.path, run.rounds)


async def _first(run: Run) -> list[Figure]:
    async with run.stage("first") as stage:
        return await first_words.first_deltas(stage, run.flood.path, run.rounds)


async def _find(run: Run) -> list[Figure]:
    return await finding.from_key_to_results(run.place("find"), run.rounds)


async def _crowd(run: Run) -> list[Figure]:
    async with run.stage("crowd") as stage:
        return await crowd.watched_by_many(stage, run.flood.path, min(2, run.rounds), run.seconds * 0.8)


FIGURES: dict[str, Callable[[Run], Awaitable[list[Figure]]]] = {
    "start": _startup,
    "first": _first,
    "assistant": _assistant,
    "throughput": _throughput,
    "latency": _latency,
    "replay": _replay,
    "memory": _memory,
    "find": _find,
    "crowd": _crowd,
}


def main() -> int:
    options = _parser().parse_args()
    names = options.only or list(FIGURES)
    figures, notes = anyio.run(_measure, names, options.quick)
    when = f"{time.strftime('%Y-%m-%d %H:%M')}{', quick' if options.quick else ''}"
    heading = f"`{' '.join(PROGRAM)}`, version {__version__}, on {machine.described()}; {when}"
    text = f"{heading}\n\n{table(figures)}\n\n{notes}\n"
    print(f"\n{text}")
    (HERE / "results.md").write_text(f"# Benchmarks\n\n{text}", encoding="utf-8")
    (HERE / "results.json").write_text(as_json(figures, machine=heading, notes=notes), encoding="utf-8")
    return 1 if any(figure.wrong for figure in figures) else 0


async def _measure(names: list[str], quick: bool) -> tuple[list[Figure], str]:
    figures: list[Figure] = []
    busy: list[str] = []
    with tempfile.TemporaryDirectory(prefix="voxpilot-bench-") as folder:
        flood = prepare(Path(folder, "lines"), 40_000 if quick else 200_000)
        run = Run(Path(folder), flood, rounds=1 if quick else 3, seconds=2 if quick else 5)
        for name in names:
            busy.append(f"{name} {machine.wait_for_quiet():.0f}%")
            began = time.monotonic()
            figures += await FIGURES[name](run)
            print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    note = f"The flood consists of {flood.updates:,} updates of {flood.bytes / flood.updates:.0f} bytes."
    return figures, f"{note} CPU use by other programs just before each group: {', '.join(busy)}."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="Measure VoxPilot against bare baselines.")
    parser.add_argument("--only", metavar="NAME", choices=FIGURES, action="append", help=", ".join(FIGURES))
    parser.add_argument("--quick", action="store_true", help="one short round of each")
    return parser


if __name__ == "__main__":
    sys.exit(main())
