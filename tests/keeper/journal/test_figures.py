"""What a keeper costs, with limits five times as high for a busy machine."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest

from tests.keeper.conftest import Keep
from tests.keeper.kept import killed, spec_for
from tests.kit.machine.processes import rss_bytes
from voxpilot.keeper.attach import attach, start_keeper
from voxpilot.keeper.journal import PRINTED

MB = 2**20
pytestmark = pytest.mark.alone


async def test_a_keeper_starts_quickly(place: Path) -> None:
    bare, seconds = [], []
    for n in range(7):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)
        bare.append(time.perf_counter() - started)
        started = time.perf_counter()
        await start_keeper(place / str(n), spec_for(["cat"], place))
        seconds.append(time.perf_counter() - started)
        await killed(await attach(place / str(n)))
    assert median(seconds) < 5 * max(0.05, median(bare))


async def test_a_keeper_is_small(keep: Keep) -> None:
    kept = await keep(["cat"])
    kept.send("one")
    await kept.line("one")
    assert rss_bytes(kept.keeper) < 20 * MB, "memory needs no slack for a busy machine: it was 11 MB"


async def test_a_line_comes_back_at_once(keep: Keep) -> None:
    kept = await keep(["cat"])
    seconds = []
    for n in range(50):
        started = time.perf_counter()
        kept.send(str(n))
        await kept.line(str(n))
        seconds.append(time.perf_counter() - started)
    assert median(seconds) < 5 * 0.002


async def test_a_flood_passes_at_a_hundred_megabytes_a_second(keep: Keep) -> None:
    kept = await keep(
        """
import os, sys
block = (b"x" * 199 + b"\\n") * 1300
sys.stdin.readline()
for _ in range(1000):
    os.write(1, block)
""",
        keep_bytes=8 * MB,
    )
    started = time.perf_counter()
    kept.send("go")
    passed = 0
    while await kept.attachment.grown_past(kept.reader.offset):
        passed += sum(len(record.payload) for record in kept.reader.read() if record.type == PRINTED)
        kept.attachment.ack(kept.reader.offset)
    while records := kept.reader.read():
        passed += sum(len(record.payload) for record in records if record.type == PRINTED)
    assert passed == 260_000_000
    assert passed / (time.perf_counter() - started) > 100e6
