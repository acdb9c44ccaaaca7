"""The keeper itself: one loop around the agent, the journal and the peers, and the ways it ends.

Lives here: what peers may request, how long to run without a server, and ending the agent with everything it
started. Lives elsewhere: starting (launch.py), the agent's pipes (lines.py), the socket (peers.py).
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from collections import deque
from contextlib import suppress

from . import processes, tcp
from .commands.leftovers import Leftovers, Stop
from .commands.terminals import Terminals
from .home import Home, leave_marks, leave_no_socket
from .lines import Lines
from .peers import MOST_PEERS, Peer, Peers
from .sandbox import Sandbox
from .segments import Journal
from .spec import VERSION, Spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NEVER = float("inf")
QUIET_SECONDS = 0.3
"""How long an agent that has exited must be silent before its output is complete, even if a child still holds
its stdout."""
RETRY_SECONDS = 0.5
"""How often to check a full disk for space."""
SWEEP_SECONDS = 0.02
CHILDREN_SECONDS = 0.5
"""How long children of an agent that has exited may take to exit before SIGKILL."""
LIMIT_SECONDS = 4.0
"""How long after SIGKILL a stop may still be delayed by a full disk or a process that cannot be killed."""


HANG_UP_SECONDS = 2.0
"""How long an agent that closed its stdin or stdout may take to exit, or be silent, before it is ended."""
LOOK_SECONDS = 5.0
"""How often to check that our directory is unchanged."""


def keep(spec: Spec, journal: Journal, listener: socket.socket, umask: int) -> None:
    """Run the agent until it ends."""
    woken = wake_on_signals()
    sandbox = Sandbox(spec.sandbox)
    try:
        env, agent, pipes = start_agent(spec, sandbox, umask)
    except processes.NotStarted as error:
        failure = {"error": error.text, "errno": error.errno, "where": error.where}
        record_end(journal, reason="not-started", **failure, searched=spec.env.get("PATH"))
    else:
        with suppress(OSError):  # if the disk is full now, the agent's environment still marks it
            leave_marks(spec.id, agent)
        lines = Lines(pipes, journal, spec.line_cap, spec.stderr_bytes)
        terminals = Terminals(journal, env, umask, sandbox)
        Keeper(spec, journal, listener, agent, lines, terminals, sandbox).run(woken)
    with suppress(OSError):
        leave_no_socket()


def start_agent(spec: Spec, sandbox: Sandbox, umask: int) -> tuple[dict[str, str], int, tuple[int, int, int]]:
    """The agent's environment, its pid and our ends of its pipes; raises NotStarted."""
    try:
        sandbox.open()
    except OSError as error:
        raise processes.missing(error) from error
    env = sandbox.environment({**spec.env, "VOXPILOT_KEEPER": spec.id})
    if spec.tcp is None:
        agent, *pipes = processes.start(spec.argv, env, spec.cwd, umask, sandbox.command)
    else:
        agent, *pipes = tcp.start(spec.tcp, spec.argv, env, spec.cwd, umask)
    return env, agent, (pipes[0], pipes[1], pipes[2])


def record_end(journal: Journal, **known: object) -> None:
    fields = dict.fromkeys(("exit", "signal", "reason", "error", "errno", "where"))
    journal.append(b"x", json.dumps({**fields, "stderr": "", **known}).encode())


class Keeper:
    """One agent, its journal and its peers, in a loop that never blocks."""

    def __init__(
        self,
        spec: Spec,
        journal: Journal,
        listener: socket.socket,
        agent: int,
        lines: Lines,
        terminals: Terminals,
        sandbox: Sandbox,
    ) -> None:
        self.spec, self.journal, self.agent, self.lines = spec, journal, agent, lines
        self.terminals, self.sandbox = terminals, sandbox
        self.leftovers = Leftovers(journal, agent, spec.clock, sandbox)
        self.peers = Peers(listener, self.obey)
        self.home, self.look_at = Home(), time.monotonic() + LOOK_SECONDS
        self.sent = 0
        self.held: deque[tuple[Peer, dict[str, Any]]] = deque()  # lines to send that wait for disk space
        self.met = False  # somebody has attached
        self.alone_since = time.monotonic()
        self.reason = ""  # why we end it, if we do
        self.insisted = False  # somebody is waiting for the end
        self.status: int | None = None  # of the agent's own process, once it has exited
        self.gone_since = NEVER
        self.childless = self.recorded = self.finished = False
        self.term_at = self.sweep_at = self.kill_at = NEVER
        self.asked: set[int] = set()  # processes that got SIGTERM

    def run(self, woken: int) -> None:
        while True:
            wake = self.do_what_is_due(time.monotonic())
            if self.finished:
                break
            self.peers.tell(self.news())
            if woken in self.wait(woken, wake):
                self.heed(os.read(woken, 4096))
        self.peers.say_last(self.news())

    def heed(self, signals: bytes) -> None:
        if signal.SIGTERM in signals:
            self.stop("stopped")
        if signal.SIGHUP in signals:
            self.look_at = 0.0

    def wait(self, woken: int, wake: float) -> list[Any]:
        """Wait until there is something to do, and read and write what is possible."""
        lines, full = self.lines, self.journal.full
        pipes = [
            pipe for pipe in (lines.stderr, -1 if full or self.is_far_ahead() else lines.stdout) if pipe >= 0
        ]
        pipes += self.terminals.to_read()
        writes = self.peers.to_write() + self.terminals.to_write()
        writes += [lines.stdin] if lines.to_stdin and not full else []
        timeout = None if wake == NEVER else max(0.0, wake - time.monotonic())
        ready: list[Any] = select.select([woken, *pipes, *self.peers.to_read()], writes, [], timeout)[0]
        if lines.stdout in ready:
            lines.read_stdout()
        if lines.stderr in ready:
            lines.read_stderr()
        self.terminals.hear(ready)
        self.peers.hear(ready)
        return ready

    def is_far_ahead(self) -> bool:
        """Whether the agent has to wait until a server has processed more of what it printed.

        Otherwise one that prints without end would fill the disk. An agent that is ending never waits.
        """
        unread = self.journal.end - self.journal.read
        return unread >= self.spec.ahead_bytes and not self.reason and self.status is None

    # -- requests of peers

    def obey(self, peer: Peer, message: dict[str, Any]) -> None:
        do = message.get("do")
        if do == "hello":
            self.greet(peer)
        elif do == "send":
            self.send(peer, message)
        elif do == "ack" and type(message.get("offset")) is int:
            self.journal.acknowledge(message["offset"])
        elif do == "ping":
            peer.say(pong=True)
        elif do == "stderr":
            peer.say(stderr=self.lines.last_words)
        elif do == "stop":
            self.stop("stopped")
        elif do == "kill":
            self.kill()
        elif do in ("run", "type", "kill-command", "forget-command"):
            self.mind_command(peer, do, message)
        else:
            peer.say(error=f"not understood: {do!r:.100}")

    def mind_command(self, peer: Peer, do: str, message: dict[str, Any]) -> None:
        """Run, end or release a command of the agent, or type; an agent that is ending gets no new one."""
        try:
            if do == "type":
                key = message["key"]
                peer.say(typed=key, taken=self.terminals.type(message["id"], key, message["data"]))
            elif do == "forget-command":
                self.terminals.forget(message["id"])
            elif do == "kill-command":
                self.terminals.kill(message["id"])
            elif not self.reason and self.status is None:
                self.terminals.start(message)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            peer.say(error=f"not understood: {do} {error!r:.100}")
        except OSError as error:
            peer.say(error=f"not done: {do} {error!r:.100}")

    def greet(self, peer: Peer) -> None:
        self.met, peer.attached = True, not peer.deaf
        peer.told = self.news()
        about = {"hello": VERSION, "id": self.spec.id, "keeper": os.getpid(), "agent": self.agent}
        prompts = sorted(self.lines.open_prompts)
        peer.say(**about, **self.news(), sent=self.sent, open=prompts, ended=self.status is not None)

    def news(self) -> dict[str, object]:
        return {"end": self.journal.end, "full": self.journal.full, "printed": self.terminals.printed}

    def send(self, peer: Peer, message: dict[str, Any]) -> None:
        """Journal a line and then pass it to the agent, if it has the next number."""
        try:
            number, line = message["n"], message["line"].encode(errors="surrogateescape")
            prompt = message.get("prompt")
            opened = {json.dumps(json.loads(prompt))} if prompt is not None else set()
            stops = [Stop(message["stops"])] if "stops" in message else []
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            number, line, opened, stops = None, b"", set(), []
        if type(number) is not int or b"\n" in line:
            peer.say(error="not understood: send")
        elif self.journal.full:
            self.held.append((peer, message))
        elif number != self.sent + 1 or self.reason or self.lines.stdin < 0:
            peer.say(refused=number, sent=self.sent)
        else:
            self.sent = number
            self.lines.open_prompts |= opened
            for stop in stops:
                self.leftovers.expect(stop)
            self.journal.append(b">", b"%d %b\n" % (number, line))
            self.lines.give(line + b"\n")  # stop here until that record is on the disk

    # -- timers

    def do_what_is_due(self, now: float) -> float:
        """Handle what is due, and return when to check again."""
        self.reap(now)
        wakes = [NEVER if self.reason or self.status is not None else self.consider_leaving(now)]
        self.write_what_waits(now)
        wakes += [self.look_around(now), self.notice_hanging_up(now), self.peers.accepts_at]
        wakes.append(self.terminals.do_what_is_due(now))
        if self.journal.full:
            wakes.append(now + RETRY_SECONDS)
        if self.status is not None:
            wakes.append(self.wind_up(now))
        else:
            wakes.append(self.leftovers.do_what_is_due(now))
        if self.status is None and now >= self.term_at:
            self.term_at = NEVER
            self.lines.close_stdin()
            self.sandbox.ask_to_leave(self.agent)
        if now >= min(self.sweep_at, self.kill_at) and not self.childless:
            wakes.append(self.sweep(now))
        give_up_at = self.kill_at + LIMIT_SECONDS if self.insisted or self.status is None else NEVER
        if now >= give_up_at:
            self.finish()
            self.finished = True
        wakes += [self.term_at, self.kill_at, give_up_at]
        return min((wake for wake in wakes if wake > now), default=NEVER)

    def write_what_waits(self, now: float) -> None:
        if self.journal.full:
            self.lines.heard = self.gone_since = now  # there may be more output, but it cannot be stored
            self.journal.flush()
        elif self.is_far_ahead():
            self.lines.heard = now
        while self.held and not self.journal.full:
            self.send(*self.held.popleft())
        if not self.journal.full:
            self.lines.feed()

    def consider_leaving(self, now: float) -> float:
        if self.peers.attached:
            self.alone_since = now
            return NEVER
        since, seconds, reason = self.alone_since, self.spec.attach_seconds, "unattached"
        if self.met and self.lines.open_prompts:
            seconds, reason = self.spec.busy_seconds, "busy-limit"
        elif self.met:
            since, seconds, reason = max(since, self.lines.answered), self.spec.idle_seconds, "idle"
        if seconds and now >= since + seconds:
            self.stop(reason)
        return since + seconds if seconds else NEVER

    def look_around(self, now: float) -> float:
        """Make sure that servers can find us, or exit if they never will."""
        if now >= self.look_at:
            self.look_at = now + LOOK_SECONDS
            self.lines.notice_closed_stdin()
            if self.home.is_lost():
                self.stop("deleted")
            elif (listener := self.home.listen_again(MOST_PEERS)) is not None:
                self.peers.come_by(listener)
        return self.look_at

    def notice_hanging_up(self, now: float) -> float:
        """End an agent that closed its stdin or stdout but does not exit: it can no longer communicate."""
        due_at = max(self.lines.hung_up_at, self.lines.heard) + HANG_UP_SECONDS
        if now >= due_at and not self.reason and self.status is None:
            self.stop(self.lines.hung_up)
        return due_at

    # -- ending

    def stop(self, reason: str) -> None:
        """Close stdin, then SIGTERM, then SIGKILL, with a grace period after each of the first two."""
        self.insisted = self.insisted or reason == "stopped"
        if not self.reason and self.status is None:
            self.reason = reason
            self.lines.say_no_more()
            self.term_at = time.monotonic() + self.spec.grace_seconds[0]
            self.kill_at = self.term_at + self.spec.grace_seconds[1]

    def kill(self) -> None:
        self.insisted = True
        self.kill_at = min(self.kill_at, time.monotonic())
        if self.status is None:
            self.reason = "killed"

    def reap(self, now: float) -> None:
        try:
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                self.terminals.reaped(*found)
                if found[0] == self.agent:
                    self.status, self.gone_since = self.sandbox.status(found[1], bool(self.reason)), now
                    self.lines.heard = now
                    self.term_at = NEVER
                    self.lines.close_stdin()
                    if not processes.has_proc():
                        processes.send_signal(
                            -self.agent, signal.SIGKILL
                        )  # no other way to find its children
                        self.terminals.kill_all()
        except ChildProcessError:
            self.childless = True

    def wind_up(self, now: float) -> float:
        """The agent has exited: read its remaining output, end its children, write the last record."""
        quiet = self.lines.stdout < 0 or now >= self.lines.heard + QUIET_SECONDS
        if self.sweep_at == NEVER and (quiet or now >= self.gone_since + 2):
            self.sweep_at, self.kill_at = now, min(self.kill_at, now + CHILDREN_SECONDS)
        swept = self.childless or now >= self.sweep_at + 3
        if swept and (quiet or now >= self.gone_since + 5) and not self.journal.full:
            self.finish()
        return now + (RETRY_SECONDS if self.journal.full else SWEEP_SECONDS)

    def sweep(self, now: float) -> float:
        """End everything the agent has started, however it tried to escape."""
        for pid in processes.descendants():
            if now >= self.kill_at:
                processes.send_signal(pid, signal.SIGKILL)
            elif pid not in self.asked and not self.sandbox.is_shell(pid):
                self.asked.add(pid)
                processes.send_signal(pid, signal.SIGTERM)
        return now + SWEEP_SECONDS

    def finish(self) -> None:
        """Write the last record, and exit unless it has to wait for disk space."""
        if not self.recorded:
            self.recorded = True
            self.terminals.finish()
            self.lines.read_stderr()
            self.lines.end_line()
            code = None if self.status is None else os.waitstatus_to_exitcode(self.status)
            ending = {} if code is None else {"exit": code} if code >= 0 else {"signal": -code}
            if self.status is not None and (number := self.sandbox.maybe_signal(self.status)):
                ending["maybe_signal"] = number
            words = self.lines.last_words
            record_end(self.journal, **ending, reason=self.reason or "exited", stderr=words)
        self.finished = not self.journal.full


def wake_on_signals() -> int:
    """A pipe that becomes readable when a child ended or we should exit; the bytes are signal numbers."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return woken
