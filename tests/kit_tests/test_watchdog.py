"""The watchdog detects an event loop that blocks, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.servers.watchdog import can_watch

PROGRAM = """
import asyncio, os, sys, time
from pathlib import Path
from tests.kit.servers import watchdog
watchdog.start(Path(sys.argv[1]))
def spin(): ends = time.monotonic() + 0.8; [0 for _ in iter(lambda: time.monotonic() < ends, False)]
async def main(): await asyncio.sleep(0.1); {work}; await asyncio.sleep(0.1)
asyncio.new_event_loop().run_until_complete(main())
"""


@pytest.mark.skipif(not can_watch(), reason="it cannot be seen here which system call a thread is in")
@pytest.mark.parametrize(
    ("work", "seen"),
    [("time.sleep(0.8)", "nanosleep"), ("await asyncio.sleep(0.8)", ""), ("spin()", "")],
)
def test_only_a_loop_that_waits_for_something_else_is_told(tmp_path: Path, work: str, seen: str) -> None:
    told = tmp_path / "stalls"
    program = PROGRAM.replace("{work}", work)
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", program, str(told)], check=True, cwd=root)
    text = told.read_text(encoding="utf-8") if told.exists() else ""
    assert (seen in text) if seen else (text == "")
