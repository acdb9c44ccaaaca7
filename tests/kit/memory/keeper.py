"""Keepers without processes: each runs a scripted agent and journals what passes, in memory.

Lives here: what the server's end of an agent does (agents/wire/connection.py) and what the keeper does
(keeper/program), as far as decisions of the server depend on it. They outlive the server, as real ones do.
Lives elsewhere: the agent (agent.py). Real keepers: tests/keeper.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from tests.fakes.scripted import tasks
from tests.kit.memory.agent import MemoryAgent
from voxpilot.agents.wire.connection import KeeperLink
from voxpilot.errors import VoxPilotError
from voxpilot.keeper.attach import KeeperSpec
from voxpilot.keeper.journal import Record
from voxpilot.keeper.program.keeper import record_end
from voxpilot.keeper.program.lines import END_BYTES, Lines
from voxpilot.search_path import find_program
from voxpilot.storage.database.rows import OutboxLine, Terminal

READ_BYTES = 262144


class Keepers:
    """All keepers of a test, by the id of their process."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.kept: dict[str, Keeper] = {}
        self.are_reached = True
        self.lines_leave = True
        """Whether lines leave the server, though nobody may be there to get them."""
        self.link = self._make_link()
        tasks.clock = asyncio.get_running_loop().time

    def of_agent(self, pid: int) -> Keeper:
        """The keeper of an agent, by the pid in the agent's log."""
        [found] = [k for k in self.kept.values() if k.agent is not None and k.agent.pid == pid]
        return found

    def running(self) -> list[int]:
        """The pids of agents that have not ended."""
        agents = [keeper.agent for keeper in self.kept.values()]
        return [agent.pid for agent in agents if agent is not None and agent.ended is None]

    def lose(self, lines_leave: bool = False) -> None:
        """The server hears nothing of them any more; what it sends stays with it, or is lost on the way."""
        self.are_reached, self.lines_leave = False, lines_leave

    def find(self) -> None:
        """The server is connected again, and sees what has happened."""
        self.are_reached = self.lines_leave = True
        for keeper in self.kept.values():
            keeper.on_news()

    def _make_link(self) -> type[KeeperLink]:
        keepers = self

        class Link(MemoryLink):
            _keepers = keepers

        return Link


class MemoryJournal:
    """As keeper/program/segments.py has it, kept as records."""

    full = False

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.records: list[Record] = []

    @property
    def end(self) -> int:
        return self.records[-1].end if self.records else 0

    def append(self, kind: bytes, payload: bytes | bytearray | memoryview) -> None:
        end = self.end + 13 + len(payload)
        self.records.append(Record(kind, bytes(payload), self._now(), end))


class MemoryLines(Lines):
    """The keeper's own code for lines, fed from memory and not from pipes."""

    def __init__(self, journal: MemoryJournal, line_cap: int, stderr_bytes: int) -> None:
        self.stdin = self.stdout = self.stderr = -1
        self.open_prompts: set[str] = set()
        self._journal, self._line_cap, self._stderr_bytes = journal, line_cap, stderr_bytes  # type: ignore[assignment]
        self._unfinished = bytearray()
        self._dropped, self._ends = 0, (b"", b"")
        self._last_words, self._untold = bytearray(), 0

    def printed(self, data: bytes) -> None:
        cut = data.rfind(b"\n") + 1
        if cut:
            self._finish_lines(data[:cut])
        self._unfinished += data[cut:]
        if len(self._unfinished) > self._line_cap:
            first = self._ends[0] if self._dropped else bytes(self._unfinished[:END_BYTES])
            self._ends = (first, bytes(self._unfinished[-END_BYTES:]))
            self._dropped += len(self._unfinished)
            self._unfinished = bytearray()

    def complained(self, data: bytes) -> None:
        self._last_words += data
        self._untold += len(data)
        del self._last_words[: max(0, len(self._last_words) - self._stderr_bytes)]

    def read_stderr(self) -> None:
        """Nothing is ever left to be read."""


class Keeper:
    """One agent and its journal."""

    def __init__(self, spec: KeeperSpec, keepers: Keepers) -> None:
        self.journal = MemoryJournal(keepers.now)
        self.sent = 0
        self.over = False
        self.on_news: Callable[[], None] = lambda: None
        self.agent: MemoryAgent | None = None
        self._spec = spec
        self._reason = ""
        self._lines = MemoryLines(self.journal, spec.line_cap, spec.stderr_bytes)
        self._loop = asyncio.get_running_loop()
        assert spec.tcp is None, "this needs a real agent"
        assert spec.sandbox is None, "this needs a real agent"
        program = find_program(spec.argv[0], spec.env["PATH"])
        if not os.path.isdir(spec.cwd):
            self._end(
                reason="not-started", error=f"{spec.cwd}: No such file or directory", errno=2, where="cwd"
            )
        elif program is None:
            text = f"{spec.argv[0]}: No such file or directory"
            self._end(reason="not-started", error=text, errno=2, where="program")
        else:
            self.agent = MemoryAgent(spec.argv, spec.env, keepers.now, self._hear)

    def send(self, line: OutboxLine) -> None:
        if line.n != self.sent + 1 or self._reason or self.agent is None or self.agent.ended is not None:
            return
        self.sent = line.n
        if line.prompt is not None:
            self._lines.open_prompts.add(json.dumps(json.loads(line.prompt)))
        self.journal.append(b">", b"%d %b\n" % (line.n, line.line.encode(errors="surrogateescape")))
        self.agent.give(line.line.encode(errors="surrogateescape"))
        self.on_news()

    def stop(self) -> None:
        """Close its stdin, then SIGTERM, then SIGKILL, as the real one does."""
        if self._reason or self.agent is None or self.agent.ended is not None:
            return
        self._reason = "stopped"
        term, kill = self._spec.grace_seconds
        self.agent.close_stdin()
        self._loop.call_later(term, self.agent.terminate)
        self._loop.call_later(term + kill, self.agent.kill)

    def kill(self) -> None:
        if self.agent is not None and self.agent.ended is None:
            self._reason = "killed"
            self._loop.call_soon(self.agent.kill)

    def exit(self, code: int) -> None:
        """The agent exits by itself."""
        if self.agent is not None:
            self.agent.exit(code)

    def vanish(self) -> None:
        """Somebody kills the keeper and its agent: no record tells of it."""
        self.over = True
        if self.agent is not None:
            self.agent.kill()
        self.on_news()

    def _hear(self) -> None:
        agent = self.agent
        assert agent is not None
        complained, agent.complained = agent.complained, b""
        self._lines.complained(complained)
        printed, agent.printed = agent.printed, b""
        if printed:
            self._lines.printed(printed)
        if agent.ended is not None and not self.over:
            self._lines.end_line()
            words = self._lines.last_words
            self._end(**agent.ended, reason=self._reason or "exited", stderr=words)
        if printed or self.over:
            self.on_news()

    def _end(self, **known: object) -> None:
        record_end(self.journal, **known)  # type: ignore[arg-type]
        self.over = True


class MemoryLink(KeeperLink):
    """The server's end; one of each server for each keeper."""

    _keepers: Keepers

    def __init__(
        self,
        directory: Path,
        offset: int,
        spec: Callable[[], Awaitable[KeeperSpec]],
        on_news: Callable[[], None],
        lines_before: int = 0,
    ) -> None:
        super().__init__(directory, offset, spec, on_news, lines_before)
        self._offset = offset
        self._keeper: Keeper | None = None
        self._ended_news = asyncio.Event()

    @property
    def has_agent(self) -> bool:
        return self._keeper is not None and not self._keeper.over

    async def run(self) -> None:
        await asyncio.sleep(0)
        kept = self._keepers.kept
        if self.directory.name not in kept and not self._was_there:
            try:
                kept[self.directory.name] = Keeper(await self._spec(), self._keepers)
            except VoxPilotError as error:
                self.failed = error
        if (keeper := kept.get(self.directory.name)) is not None:
            self._keeper = keeper
            self._sent = keeper.sent
            keeper.on_news = self._grown
            self._found.set()
            self._on_news()
            if not keeper.over:
                await self._ended_news.wait()
        self.over.set()
        self._found.set()
        self._on_news()

    def read(self) -> list[Record]:
        keeper = self._keepers.kept.get(self.directory.name) if self._keepers.are_reached else None
        found: list[Record] = []
        for record in keeper.journal.records if keeper is not None else ():
            if record.end > self._offset:
                if found and record.end > self._offset + READ_BYTES:
                    break
                found.append(record)
        if found:
            self._offset = found[-1].end
        return found

    def rewind(self, offset: int) -> None:
        self._offset = offset

    def send(self, lines: Iterable[OutboxLine]) -> None:
        if self._keeper is None or not self._keepers.lines_leave:
            return
        for line in lines:
            if line.n > self._sent:
                if self._keepers.are_reached:
                    self._keeper.send(line)
                self._sent = line.n
                self.ever_sent = max(self.ever_sent, line.n)

    def mind(self, terminals: Iterable[Terminal]) -> None:
        assert not list(terminals), "commands need a real keeper"

    async def type_in(self, terminal_id: str, data: str, key: str) -> bool:
        raise NotImplementedError("commands need a real keeper")

    def acknowledge(self, offset: int) -> None:
        pass

    def stop(self, force: bool) -> None:
        if self._keeper is None:
            return
        if force:
            self._keeper.kill()
        else:
            self._keeper.stop()

    async def close(self) -> None:
        if self._keeper is not None and self._keeper.on_news == self._grown:
            self._keeper.on_news = lambda: None

    def _grown(self) -> None:
        if not self._keepers.are_reached:
            return
        if self._keeper is not None and self._keeper.over:
            self._ended_news.set()
        self._on_news()
