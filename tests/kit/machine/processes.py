"""PS and RES: which processes a test has caused, and what they cost.

Lives here: finding processes by a mark in their environment or command line, ending them, zombies, memory and
descriptors. Linux only, through /proc.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from tests.kit.waiting import until

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Found:
    """A process at the time of the check."""

    pid: int
    parent: int
    state: str
    command: str


def marked(mark: str) -> list[Found]:
    """All running processes with the mark, except our own."""
    wanted = mark.encode()
    return [
        found
        for pid in _pids()
        if pid != os.getpid()
        and _carries(pid, wanted)
        and (found := look_at(pid))
        and found.state not in "ZX"
    ]


def look_at(pid: int) -> Found | None:
    """One process according to /proc; None if it is gone."""
    try:
        stat = (PROC / str(pid) / "stat").read_text(errors="replace")
        command = (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return None
    # The name in parentheses may itself contain spaces and parentheses.
    state, parent = stat.rpartition(")")[2].split()[:2]
    return Found(pid, int(parent), state, command.replace(b"\0", b" ").decode(errors="replace").strip())


def age(pid: int) -> float:
    """How many seconds ago a process started; 0 if it is gone."""
    try:
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")


def is_alive(pid: int) -> bool:
    found = look_at(pid)
    return found is not None and found.state not in "ZX"


def children(pid: int) -> list[Found]:
    return [found for other in _pids() if (found := look_at(other)) and found.parent == pid]


def zombies_of(pid: int) -> list[Found]:
    """Children of `pid` that have exited but were not reaped."""
    return [found for found in children(pid) if found.state == "Z"]


async def no_processes_left(mark: str, within: float = 20.0) -> float:
    """Wait until no process has the mark; returns the seconds it took."""
    return await until(lambda: not marked(mark), within, lambda: f"still running: {marked(mark)}")


def wait_until_gone(mark: str, within: float) -> None:
    """Give processes that are just exiting the time for it."""
    deadline = time.monotonic() + within
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.02)


def end_marked(mark: str, within: float = 20.0) -> list[Found]:
    """SIGKILL every process with the mark, including new ones; returns those found first."""
    assert mark, "an empty mark would be carried by everything"
    first = found = marked(mark)
    deadline = time.monotonic() + within
    while found and time.monotonic() < deadline:
        for process in found:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.01)
        found = marked(mark)
    assert not found, f"could not end {found}"
    return first


@dataclass(frozen=True, slots=True)
class Sample:
    """The total usage of some processes at one moment."""

    at: float
    rss_bytes: int
    descriptors: int


@dataclass(slots=True)
class Usage:
    """Samples over time."""

    samples: list[Sample] = field(default_factory=list)

    @property
    def peak_rss_bytes(self) -> int:
        return max(sample.rss_bytes for sample in self.samples)

    @property
    def growth_bytes(self) -> int:
        """How far memory grew above the first sample."""
        return self.peak_rss_bytes - self.samples[0].rss_bytes

    @property
    def peak_descriptors(self) -> int:
        return max(sample.descriptors for sample in self.samples)


def sample(*pids: int) -> Sample:
    """Current memory and descriptors of these processes; one that is gone counts as zero."""
    return Sample(time.monotonic(), sum(map(rss_bytes, pids)), sum(map(open_descriptors, pids)))


@asynccontextmanager
async def sampling(*pids: int, every: float = 0.5) -> AsyncIterator[Usage]:
    """Take samples within the block, including at its beginning and end."""
    usage = Usage([sample(*pids)])

    async def keep_sampling() -> None:
        while True:
            await anyio.sleep(every)
            usage.samples.append(sample(*pids))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keep_sampling)
        yield usage
        tasks.cancel_scope.cancel()
    usage.samples.append(sample(*pids))


def rss_bytes(pid: int) -> int:
    try:
        pages = int((PROC / str(pid) / "statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def open_descriptors(pid: int) -> int:
    try:
        return len(os.listdir(PROC / str(pid) / "fd"))
    except OSError:
        return 0


def _pids() -> Iterator[int]:
    return (int(entry) for entry in os.listdir(PROC) if entry.isdigit())


def _carries(pid: int, mark: bytes) -> bool:
    for name in ("environ", "cmdline"):
        with suppress(OSError):
            if mark in (PROC / str(pid) / name).read_bytes():
                return True
    return False
