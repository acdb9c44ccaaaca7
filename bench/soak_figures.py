"""What a soak measures: memory, descriptors, threads, processor time and delays, minute by minute.

Lives here: measuring processes from outside, the table, and whether a fitted line is flat. Lives elsewhere:
the work that is measured (soak.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from bench.figures import percentile
from tests.kit.machine.processes import open_descriptors, rss_bytes

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Minute:
    """The measurements of one minute of the soak."""

    number: int
    server_mb: list[float] = field(default_factory=list)
    keepers_mb: list[float] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    processor: float = 0.0
    """Share of one core that the server used."""
    first_delta_ms: list[float] = field(default_factory=list)
    """From sending a message to the first text of its answer."""
    delivery_ms: list[float] = field(default_factory=list)
    """From an event's own time to its arrival at a reader."""
    turns: int = 0
    events: int = 0

    def look(self, server: int, keepers: Sequence[int]) -> None:
        self.server_mb.append(rss_bytes(server) / 1e6)
        self.keepers_mb.append(sum(map(rss_bytes, keepers)) / 1e6)
        self.descriptors.append(open_descriptors(server))
        self.threads.append(len(os.listdir(f"/proc/{server}/task")))


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


HEADING = (
    "min   server MB  keepers MB   fds  threads   cpu%  turns  events   "
    "first delta p50/p95/p99 ms    delivery p50/p95/p99 ms"
)


def row(minute: Minute) -> str:
    return (
        f"{minute.number:3d}  {_mean(minute.server_mb):10.1f}  {_mean(minute.keepers_mb):10.1f}  "
        f"{_mean(minute.descriptors):4.0f}  {_mean(minute.threads):7.0f}  {100 * minute.processor:5.0f}  "
        f"{minute.turns:5d}  {minute.events:6d}   {_three(minute.first_delta_ms):>27}   "
        f"{_three(minute.delivery_ms):>24}"
    )


@dataclass(frozen=True, slots=True)
class Trend:
    name: str
    value: Callable[[Minute], float]
    unit: str
    allowed: float
    """Growth per minute that may be noise; more is a leak."""


TRENDS = (
    Trend("server memory", lambda m: _mean(m.server_mb), "MB", 0.5),
    Trend("keepers' memory", lambda m: _mean(m.keepers_mb), "MB", 1.0),
    Trend("descriptors", lambda m: _mean(m.descriptors), "", 0.5),
    Trend("threads", lambda m: _mean(m.threads), "", 0.5),
    Trend("first delta p95", lambda m: _at(m.first_delta_ms, 95), "ms", 20.0),
    Trend("delivery p95", lambda m: _at(m.delivery_ms, 95), "ms", 5.0),
)


def verdict(minutes: Sequence[Minute], warm_up: int) -> tuple[list[str], bool]:
    """How each figure grows after the warm-up, as text; and whether all are flat."""
    seen = [minute for minute in minutes if minute.number > warm_up and minute.server_mb]
    if len(seen) < 3:
        return ["Too short for a verdict: it takes three minutes after the warm-up."], True
    lines, is_flat = [], True
    for trend in TRENDS:
        slope = growth([(minute.number, trend.value(minute)) for minute in seen])
        grows = slope > trend.allowed
        is_flat = is_flat and not grows
        what = f"{trend.unit} a minute".strip()
        lines.append(f"{trend.name}: {slope:+.3f} {what} ({'GROWS' if grows else 'flat'})")
    return lines, is_flat


def growth(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the best-fitting straight line."""
    middle_x, middle_y = fmean(x for x, _ in points), fmean(y for _, y in points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


def _at(values: list[float], percent: int) -> float:
    return percentile(values, percent) if values else 0.0


def _three(values: list[float]) -> str:
    return " / ".join(f"{_at(values, percent):.0f}" for percent in (50, 95, 99))
