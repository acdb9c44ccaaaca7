"""Agents without a process: the fakes of tests/fakes, in the test's own loop.

Lives here: an agent's end of the pipes, and its life from start to exit. Lives elsewhere: what it does
(tests/fakes), who starts and stops it (keeper.py).
"""

from __future__ import annotations

import asyncio
import itertools
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from tests.fakes import asking_agent, replaying_agent, script
from tests.fakes.scripted.agent import Agent
from tests.fakes.scripted.options import Options
from tests.fakes.scripted.wire import Wire, encode

ROUNDS = 20
"""How many small things an agent does before others get their turn."""
_pids = itertools.count(10_000_000)
"""Larger than those of real processes, so that nobody is killed by mistake."""


class Program(Protocol):
    """What an agent does when a frame arrives, and what it does by itself."""

    def take(self, frame: Any) -> None: ...

    def work(self) -> None: ...

    def timeout(self) -> float | None: ...


class Gone(BaseException):
    """The agent has exited: not an error, so that no script can catch it."""


class MemoryWire(Wire):
    """What the agent prints is handed to the keeper; there is nothing to read from."""

    def __init__(self, options: Options, env: Mapping[str, str], outlet: MemoryAgent) -> None:
        super().__init__(None, False)
        self._path = options.log
        self.logs_out = options.log_out and options.log is not None
        self._env = env
        self._outlet = outlet

    def note(self, **fields: Any) -> None:
        if self._path is not None:
            with open(self._path, "ab") as log:
                log.write(encode({"at": self._outlet.now(), "pid": self._outlet.pid, **fields}))

    def decode(self, line: bytes) -> list[Any]:
        return self._decode(line)

    def _write(self, data: bytes) -> None:
        self._outlet.printed += data

    def complain(self, data: bytes) -> None:
        self._outlet.complained += data

    def close(self, number: int) -> None:
        raise NotImplementedError("An agent without a process has no pipes to close.")

    def exit(self, code: int) -> None:
        self._outlet.leave(exit=code)

    def die(self, number: int) -> None:
        self._outlet.leave(signal=int(number))

    def spawn(self, way: str) -> int:
        raise NotImplementedError("An agent without a process has no children.")

    def environment(self) -> dict[str, str]:
        return dict(self._env)


class _Passive:
    """An agent that does nothing by itself."""

    def work(self) -> None:
        pass

    def timeout(self) -> float | None:
        return None


class _Asking(_Passive, asking_agent.Asking):
    pass


class _Replaying(_Passive, replaying_agent.Replaying):
    pass


class MemoryAgent:
    """Runs whenever it has something to do; `on_news` is called after it printed or exited."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        now: Callable[[], float],
        on_news: Callable[[], None],
    ) -> None:
        self.pid = next(_pids)
        self.now = now
        self.printed = b""
        """What nobody has taken yet."""
        self.complained = b""
        self.ended: dict[str, int] | None = None
        """The exit code or signal, once it is gone."""
        self._on_news = on_news
        self._given: list[bytes] = []
        self._loop = asyncio.get_running_loop()
        self._due: asyncio.Handle | None = None
        self._is_suspended = False
        program, arguments = _program_of(argv)
        self._options = Options(arguments if program == str(script.AGENT) else [])
        self._wire = MemoryWire(self._options, env, self)
        if program == str(script.AGENT):
            self._program: Program = Agent(self._options, self._wire)
        elif program == str(asking_agent.AGENT):
            self._program = _Asking(arguments, self._wire.send)
        else:
            self._program = _Replaying(arguments[0], self.pid, self._wire.send)
            self._wake(0.0)
        if "exit-at-spawn" in self._options.faults:
            self.complained = b"scripted agent: cannot start: licence file missing\n"
            self._loop.call_soon(self._run, lambda: self.leave(exit=3))
        else:
            self._wire.note(dir="note", started=0)

    def give(self, line: bytes) -> None:
        """A line for its standard input."""
        self._given.append(line)
        self._wake(0.0)

    def close_stdin(self) -> None:
        """It exits, unless it does not care."""
        if "ignore-eof" not in self._options.faults and self.ended is None:
            self._wire.at_end = True
            self._wake(0.0)

    def terminate(self) -> None:
        if "ignore-term" not in self._options.faults:
            self.kill(signal.SIGTERM)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """A signal from outside."""
        if number in (signal.SIGSTOP, signal.SIGCONT):
            self._is_suspended = number == signal.SIGSTOP
            self._wake(0.0)
            return
        self._run(lambda: self.leave(signal=int(number)))

    def exit(self, code: int) -> None:
        """It exits without being asked to."""
        self._run(lambda: self.leave(exit=code))

    def leave(self, **ended: int) -> None:
        """It exits; nothing of it runs after this."""
        self.ended = ended
        raise Gone

    def _wake(self, seconds: float) -> None:
        if self.ended is None:
            if self._due is not None:
                self._due.cancel()
            self._due = self._loop.call_later(seconds, self._run, self._work)

    def _run(self, work: Callable[[], None]) -> None:
        if self.ended is not None:
            return
        try:
            work()
        except Gone:
            if self._due is not None:
                self._due.cancel()
        self._on_news()

    def _work(self) -> None:
        if self._is_suspended:
            return
        lines, self._given = self._given, []
        for line in lines:
            for frame in self._wire.decode(line):
                self._program.take(frame)
        if self._wire.at_end:
            self.leave(exit=0)
        for _ in range(ROUNDS):
            self._program.work()
            if (timeout := self._program.timeout()) != 0:
                break
        if timeout is not None:
            self._wake(timeout)


def _program_of(argv: Sequence[str]) -> tuple[str, list[str]]:
    """Which of the fakes a command runs, and its arguments."""
    for place, word in enumerate(argv):
        if word in (str(script.AGENT), str(asking_agent.AGENT), replaying_agent.AGENT):
            return word, list(argv[place + 1 :])
    raise AssertionError(f"this agent cannot do without a process: {argv}")
