"""Which processes of an agent are its commands, whatever happens to the clock meanwhile."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.machine.processes import is_alive
from voxpilot.keeper.program import processes
from voxpilot.keeper.program.clock import offset_now
from voxpilot.keeper.program.commands.leftovers import Leftovers, Stop
from voxpilot.keeper.program.sandbox import Sandbox

AGENT = "sleep 300 & echo $!; read x; sleep 301 & echo $!; wait"
"""Starts a helper, then a command when told to."""


class Records:
    """Stands in for the journal."""

    def __init__(self) -> None:
        self.all: list[bytes] = []

    def append(self, kind: bytes, payload: bytes) -> None:
        self.all.append(payload)


class Agent:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            ["sh", "-c", AGENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.helper = self.next()

    def begin_command(self) -> float:
        """When that was, by the wall clock."""
        time.sleep(0.05)  # start times are counted in hundredths of a second
        at = time.time()
        time.sleep(0.05)
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.command = self.next()
        return at

    def next(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def alive(self) -> list[bool]:
        return [is_alive(pid) for pid in (self.helper, self.command)]

    def end(self) -> None:
        for pid in (self.helper, self.command):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def agent() -> Iterator[Agent]:
    agent = Agent()
    yield agent
    agent.end()


def carry_out(leftovers: Leftovers) -> None:
    """As if the agent's time to end its command itself were over."""
    later = time.monotonic() + 3
    until = time.monotonic() + 10
    while leftovers.do_what_is_due(later) != float("inf"):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("step", [0.0, 3600.0, -3600.0])
def test_setting_the_wall_clock_changes_nothing(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    """K9: the command is ended, the earlier helper is not."""
    records: Any = Records()
    leftovers = Leftovers(records, agent.process.pid, offset_now(), Sandbox(None))
    since = agent.begin_command()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + step)
    leftovers.expect(Stop({"since": since}))
    carry_out(leftovers)
    assert agent.alive() == [True, False]
    assert len(records.all) == 1


def test_a_command_that_two_stops_could_mean_is_told_of_once(agent: Agent) -> None:
    """K9: two sessions of one agent are stopped together."""
    records: Any = Records()
    leftovers = Leftovers(records, agent.process.pid, offset_now(), Sandbox(None))
    since = agent.begin_command()
    for _ in range(2):
        leftovers.expect(Stop({"since": since}))
    carry_out(leftovers)
    assert agent.alive() == [True, False]
    assert len(records.all) == 1


def test_a_command_is_ended_once_processes_can_be_listed(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of files, nobody knows which processes there are."""
    records: Any = Records()
    leftovers = Leftovers(records, agent.process.pid, offset_now(), Sandbox(None))
    leftovers.expect(Stop({"since": agent.begin_command()}))

    def no_files(path: str) -> list[str]:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as short:
        short.setattr(os, "listdir", no_files)
        assert processes.descendants() == []
        later = time.monotonic() + 3
        assert later < leftovers.do_what_is_due(later) < later + 1
    carry_out(leftovers)
    assert agent.alive() == [True, False]
    assert len(records.all) == 1
