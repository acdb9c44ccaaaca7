"""Processes, disk, clock and log of the kit."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.machine.clock import FakeClock
from tests.kit.machine.disk import can_mount, small_disk
from tests.kit.machine.processes import (
    end_marked,
    is_alive,
    marked,
    no_processes_left,
    sample,
    sampling,
    zombies_of,
)
from tests.kit.peers.agent_log import AgentLog
from tests.kit.waiting import until


def test_a_process_is_found_by_its_environment_and_by_its_command_line(mark: str) -> None:
    by_environment = subprocess.Popen(["sleep", "300"])
    env = {"PATH": os.environ["PATH"]}
    by_command = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", mark], env=env)
    assert {found.pid for found in marked(mark)} == {by_environment.pid, by_command.pid}
    assert {found.pid for found in end_marked(mark)} == {by_environment.pid, by_command.pid}
    assert by_environment.wait() == by_command.wait() == -9


async def test_a_process_that_stays_is_reported(mark: str) -> None:
    with subprocess.Popen(["sleep", "300"]) as child:
        with pytest.raises(AssertionError, match=r"still running.*sleep 300"):
            await no_processes_left(mark, within=0.05)
        child.kill()
    await no_processes_left(mark)


async def test_a_child_nobody_waited_for_is_a_zombie() -> None:
    child = subprocess.Popen(["true"])
    await until(lambda: [found.pid for found in zombies_of(os.getpid())] == [child.pid])
    assert not is_alive(child.pid)
    child.wait()
    assert not zombies_of(os.getpid())


async def test_memory_is_sampled(mark: str) -> None:
    code = "import sys; x = b'x' * 50_000_000; print('big', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        async with sampling(child.pid, every=0.01) as usage:
            assert child.stdout is not None
            assert child.stdout.readline() == b"big\n"
        assert usage.growth_bytes > 30_000_000
        assert usage.peak_descriptors >= 3
        child.communicate()
    assert sample(child.pid).rss_bytes == 0


def test_a_small_disk_fills_up_and_empties_again(tmp_path: Path) -> None:
    if not can_mount():
        pytest.skip("mounting needs root")
    with small_disk(tmp_path / "disk", 2**20) as disk:
        disk.fill()
        with pytest.raises(OSError, match="No space left") as full:
            (disk.path / "more").write_bytes(b"x" * 8192)
        assert full.value.errno == errno.ENOSPC
        disk.free()
        (disk.path / "more").write_bytes(b"x" * 8192)
        disk.fill(leave_bytes=100_000)
        assert 90_000 < disk.free_bytes <= 110_000
    assert not list((tmp_path / "disk").iterdir())


def test_a_clock_moves_only_when_told() -> None:
    clock = FakeClock(now=100.0)
    clock.advance(3600)
    assert clock.now() == clock() == 3700.0


def test_a_log_without_its_last_newline_is_read_up_to_there(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "agent.jsonl")
    assert log.lines() == []
    log.path.write_text('{"dir": "in", "frame": {"method": "initialize"}}\n{"dir": "in", "fra')
    assert log.received("initialize") == [{"method": "initialize"}]
