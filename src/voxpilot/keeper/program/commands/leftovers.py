"""Commands that an agent leaves running although it was told to stop.

Lives here: finding them, ending them, and journaling that they were ended. Lives elsewhere: when the agent is
told to stop, and since when it has been running commands (the server says both, with the line it sends).

A command is a child of the agent that started after the agent's tool call and before the agent was told to
stop; its descendants end with it. A process that left the family is a daemon, not a command, and keeps
running.
"""

from __future__ import annotations

import json
import os
import signal
import time

from .. import processes
from ..clock import since_boot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..sandbox import Sandbox
    from ..segments import Journal

NEVER = float("inf")
PATIENCE_SECONDS = 2.0
"""How long the agent may take to end its command itself, and then the command may take to exit before
SIGKILL."""
LOOK_SECONDS = 0.05
RETRY_SECONDS = 0.5
"""How often to try again while no processes can be listed."""
GIVE_UP_SECONDS = 10.0
"""After SIGKILL: a process may hang in the system."""
LONGEST_COMMAND = 500


class Stop:
    """A stop of the agent: what may have to be ended, and the progress so far."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.since = float(told["since"])  # by the server's clock, until Leftovers converts it
        self.until = 0.0
        self.about = told.get("about")
        self.term_at = time.monotonic() + PATIENCE_SECONDS
        self.kill_at = self.give_up_at = NEVER
        self.ending: dict[int, int] = {}  # process ids and start times
        self.commands: list[str] = []


class Leftovers:
    """The leftover commands of one agent."""

    def __init__(self, journal: Journal, agent: int, clock: float, sandbox: Sandbox) -> None:
        self._journal, self._agent, self._clock, self._sandbox = journal, agent, clock, sandbox
        self._stops: list[Stop] = []
        self._can_find = processes.has_proc()

    def expect(self, stop: Stop) -> None:
        """The agent is told to stop now. From here on, times are seconds since the machine started."""
        if self._can_find:
            stop.since -= self._clock
            stop.until = since_boot()
            self._stops.append(stop)

    def do_what_is_due(self, now: float) -> float:
        """End what is left; returns when to check again."""
        wakes = [self._carry_on(stop, now) for stop in self._stops]
        self._stops = [stop for stop, wake in zip(self._stops, wakes, strict=True) if wake != NEVER]
        return min(wakes, default=NEVER)

    def _carry_on(self, stop: Stop, now: float) -> float:
        if now < stop.term_at:
            return stop.term_at
        family = processes.Family()
        if not family.is_known:
            return now + RETRY_SECONDS
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

    def _commands_of(self, stop: Stop, family: processes.Family) -> list[int]:
        """The topmost descendants of the agent that started as its commands and are not being ended."""
        tick = os.sysconf("SC_CLK_TCK")
        taken = {pid for other in self._stops for pid in other.ending}
        found: list[int] = []
        others = [self._sandbox.program(self._agent, family)]
        for parent in others:
            for pid in family.children.get(parent, ()):
                is_command = stop.since <= family.began[pid] / tick <= stop.until
                (found if is_command else others).append(pid)
        return [pid for pid in found if pid not in taken]


def _end(stop: Stop, family: processes.Family, pid: int, number: int) -> None:
    """End a process and its descendants, and remember them, because this may separate them from each
    other."""
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
