"""Which processes of an agent are its commands, whatever happens to the clock meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.processes import is_alive
from voxpilot.keeper.program.leftovers import Leftovers, Stop

AGENT = "sleep 300 & echo $!; read x; sleep 301 & echo $!; wait"
"""Begins a helper, then upon a word a command."""


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
        """When that was, by the clock on the wall."""
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
    """As if the time had passed in which an agent may end its command itself."""
    later = time.monotonic() + 3
    until = time.monotonic() + 10
    while leftovers.do_what_is_due(later) != float("inf"):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("step", [0.0, 3600.0, -3600.0])
def test_a_clock_that_is_set_has_nothing_else_ended(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    """K9: after that it is not known what the command is, so it stays too."""
    records: Any = Records()
    leftovers = Leftovers(records, agent.process.pid)
    since = agent.begin_command()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + step)
    leftovers.expect(Stop({"since": since}))
    carry_out(leftovers)
    assert agent.alive() == [True, bool(step)]
    assert len(records.all) == (0 if step else 1)


def test_a_command_that_two_stops_could_mean_is_told_of_once(agent: Agent) -> None:
    """K9: two sessions of one agent are stopped together."""
    records: Any = Records()
    leftovers = Leftovers(records, agent.process.pid)
    since = agent.begin_command()
    for _ in range(2):
        leftovers.expect(Stop({"since": since}))
    carry_out(leftovers)
    assert agent.alive() == [True, False]
    assert len(records.all) == 1
