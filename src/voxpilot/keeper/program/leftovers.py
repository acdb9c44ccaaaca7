"""Commands that an agent leaves running although it was told to stop.

Lives here: finding them, ending them, writing down that they were ended. Lives elsewhere: when the agent is
told to stop, and since when it has been running commands (the server says both, with the line it sends).

A command is a child of the agent that began after the agent's tool call did and before the agent was told to
stop; what came of it ends with it. What left the family is no command but a daemon, and goes on.
"""

from __future__ import annotations

import json
import os
import signal
import time

from . import processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .segments import Journal

NEVER = float("inf")
PATIENCE_SECONDS = 2.0
"""How long the agent may take to end its command itself, and then the command to leave before SIGKILL."""
LOOK_SECONDS = 0.05
GIVE_UP_SECONDS = 10.0
"""After SIGKILL: a process may hang in the system."""
LONGEST_COMMAND = 500
SET_SECONDS = 1.0
"""A clock that is off by so much from one look to the next was set."""


class Stop:
    """The agent is told to stop: what may have to be ended, and how far we are with it."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.since = float(told["since"])  # by the clock on the wall, until Leftovers knows better
        self.until = 0.0
        self.about = told.get("about")
        self.term_at = time.monotonic() + PATIENCE_SECONDS
        self.kill_at = self.give_up_at = NEVER
        self.ending: dict[int, int] = {}  # process ids, and when they began
        self.commands: list[str] = []


class Leftovers:
    """Those of one agent."""

    def __init__(self, journal: Journal, agent: int) -> None:
        self._journal, self._agent = journal, agent
        self._stops: list[Stop] = []
        self._booted = 0.0  # when, by the clock on the wall
        self._set_at = 0.0  # when that clock was last set, in seconds since the machine started
        self._can_find = processes.has_proc()
        self._mind_clock()

    def expect(self, stop: Stop) -> None:
        """The agent gets the word now. From here on no clock counts that somebody may set."""
        if self._can_find:
            self._mind_clock()
            stop.since = max(stop.since - self._booted, self._set_at)
            stop.until = since_boot()
            self._stops.append(stop)

    def do_what_is_due(self, now: float) -> float:
        """End what is left; when to look again."""
        self._mind_clock()
        wakes = [self._carry_on(stop, now) for stop in self._stops]
        self._stops = [stop for stop, wake in zip(self._stops, wakes, strict=True) if wake != NEVER]
        return min(wakes, default=NEVER)

    def _carry_on(self, stop: Stop, now: float) -> float:
        if now < stop.term_at:
            return stop.term_at
        family = processes.Family()
        if stop.kill_at == NEVER:
            stop.kill_at = now + PATIENCE_SECONDS
            stop.give_up_at = stop.kill_at + GIVE_UP_SECONDS
            commands = self._commands_of(stop, family)
            stop.commands = [_command_line(pid) for pid in commands]
            for pid in commands:
                _end(stop, family, pid, signal.SIGTERM)
        left = [pid for pid, began in stop.ending.items() if family.began.get(pid) == began]
        if now >= stop.kill_at:
            for pid in left:
                _end(stop, family, pid, signal.SIGKILL)
        if left and now < stop.give_up_at:
            return now + LOOK_SECONDS
        if stop.commands:
            told = {"ended": stop.commands, "left": len(left), "about": stop.about}
            self._journal.append(b"l", json.dumps(told).encode())
        return NEVER

    def _mind_clock(self) -> None:
        """Times from before the clock was set mean nothing after it: then rather too little is ended."""
        if not self._can_find:
            return
        now = since_boot()
        booted = time.time() - now
        if self._booted and abs(booted - self._booted) > SET_SECONDS:
            self._set_at = now
        self._booted = booted

    def _commands_of(self, stop: Stop, family: processes.Family) -> list[int]:
        """The outermost processes below the agent that began as its commands did and are not being ended."""
        tick = os.sysconf("SC_CLK_TCK")
        taken = {pid for other in self._stops for pid in other.ending}
        found: list[int] = []
        others = [self._agent]
        for parent in others:
            for pid in family.children.get(parent, ()):
                is_command = stop.since <= family.began[pid] / tick <= stop.until
                (found if is_command else others).append(pid)
        return [pid for pid in found if pid not in taken]


def since_boot() -> float:
    """Seconds since the machine started, as start times of processes are counted."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _end(stop: Stop, family: processes.Family, pid: int, number: int) -> None:
    """End a process and all that came of it, and remember them: they may be parted from each other by it."""
    for each in [pid, *family.below(pid)]:
        stop.ending[each] = family.began[each]
        processes.send_signal(each, number)


def _command_line(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            written = file.read(4 * LONGEST_COMMAND)
    except OSError:
        return ""
    return written.replace(b"\0", b" ").decode(errors="replace").strip()[:LONGEST_COMMAND]
