"""A chat that is awake: one worker that takes every step, and all who follow.

Lives here: `do`, the only door in; the step itself (commands, frames and the
clock become one batch: commit, publish, answer, send); and `follow`, the only
door out. Lives elsewhere: what a step decides (turn.py, progress.py).
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from voxpilot.agents.connection import Link
from voxpilot.chat.events import Json
from voxpilot.errors import NotFound, ShuttingDown, VoxPilotError, explained
from voxpilot.killpoints import reach
from voxpilot.runtime import journal_step, leaving, snapshot
from voxpilot.runtime.errands import Errands
from voxpilot.runtime.house import House
from voxpilot.runtime.launching import spec_of
from voxpilot.runtime.progress import Progress
from voxpilot.runtime.stumbles import Stumbles
from voxpilot.runtime.thinking import Thinking
from voxpilot.runtime.wakeup import Wakeup
from voxpilot.storage import folds
from voxpilot.storage import ledger as ledgers
from voxpilot.storage.event_log import Recorded, read_after
from voxpilot.storage.ledger import Ledger, Step
from voxpilot.storage.replies import find_reply
from voxpilot.storage.rows import Process, Reply, Row, Terminal, Turn

log = logging.getLogger(__name__)
RETRY_SECONDS = 1.0
Act = Callable[[Ledger, float], Json]


@dataclass(slots=True)
class _Command:
    act: Act
    key: str | None
    answered: asyncio.Future[Json] = field(default_factory=asyncio.Future)
    reply: Json | VoxPilotError | None = None


class LiveChat:
    def __init__(self, house: House, ledger: Ledger) -> None:
        self.id = ledger.chat.id
        self.ledger = ledger
        self.wakeup = Wakeup(ledger.chat.last_seq)
        self.followers = 0
        self.unwatched_since = self.touched_at = house.clock.now()
        self._house = house
        self._links: dict[str, Link] = {}
        self._stumbles = Stumbles()
        self._lined_up = {p.id for p in ledger.all(Process) if p.state in ("waiting", "starting")}
        """Processes that asked to start and have not done so yet."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._errands = Errands(house, self._spawn, self.do)
        self._thinking = Thinking(house, self._spawn, self.do, ledger)
        self._commands: list[_Command] = []
        self._news = asyncio.Event()
        self._news.set()
        self._settled = asyncio.Event()
        self._closing = False
        self.winding_down = False
        """The server is leaving for good: finish, but begin nothing."""

    # The door in

    async def do(self, act: Act, key: str | None = None) -> Json:
        """Have the worker take a step; returns when it is committed. The same key acts once."""
        if self._closing:
            raise ShuttingDown
        command = _Command(act, key)
        self._commands.append(command)
        self._news.set()
        return await asyncio.shield(command.answered)

    def nudge(self) -> None:
        """There may be something to do."""
        self._news.set()

    def learn(self, rows: Sequence[Row]) -> None:
        """Others have stored rows that count for every chat."""
        news = [row for row in rows if self.ledger.get(type(row), *row.identity()) is None]
        for row in news:
            self.ledger.know(row)
        if news:
            self.nudge()

    # The door out

    def follow(self, after: int, bell: asyncio.Event) -> Follower:
        """Look on from an event's number; the bell rings when there may be more. Close it at the end."""
        return Follower(self, after, bell)

    async def events_after(self, after: int) -> list[Recorded]:
        """The next committed events; an empty list means there are no more yet."""
        events = self.wakeup.recent_after(after)
        if events is None:
            events = await read_after(self._house.db, self.id, after)
        return events

    def watched(self, more: int) -> None:
        """A follower came or went."""
        self.followers += more
        self.unwatched_since = self._house.clock.now()
        self._news.set()

    async def snapshot(self, tail: int) -> tuple[int, bytes]:
        """The fold so far as JSON, with its newest blocks, and the number it goes up to."""
        transcript = self.ledger.transcript
        if (
            transcript.head["seq"] != self.wakeup.last
        ):  # a step is being committed: fold what is stored instead
            transcript = await self._house.db.read(lambda db: folds.load(db, self.id))
        return await snapshot.taken(transcript, tail, self._kept_blocks)

    async def older_blocks(self, before: int, limit: int) -> list[Json]:
        """Blocks before a position, oldest first: those of an open turn are in memory, the rest are kept."""
        here = [dict(block) for block in self.ledger.transcript.blocks if block["pos"] < before][-limit:]
        if len(here) == limit:
            return here
        missing, edge = limit - len(here), here[0]["pos"] if here else before
        return [*await self._kept_blocks(edge, missing), *here]

    async def _kept_blocks(self, before: int, limit: int) -> list[Json]:
        return await self._house.db.read(lambda db: folds.older_blocks(db, self.id, before, limit))

    # The worker

    async def run(self) -> None:
        """Take steps until closed. Runs as the one task that changes this chat."""
        try:
            while await self._has_news():
                try:
                    await self._step()
                except Exception:
                    log.exception("a step of chat %s was cut short", self.id)
                    await asyncio.sleep(RETRY_SECONDS)
                    self._news.set()
        finally:
            self._closing = True
            self.wakeup.close()
            for process_id in self._lined_up:
                self._house.starts.over(process_id)
            for command in self._commands:
                _answer(command, ShuttingDown())
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for link in self._links.values():
                await link.close()

    async def close(self) -> None:
        self._closing = True
        self._news.set()

    def is_idle(self) -> bool:
        """Nothing runs, nobody looks: the chat may go to sleep."""
        if self.followers or self._commands or self._links:
            return False
        return not self.ledger.all(Turn) and not self.ledger.all(Process)

    def link_to(self, process_id: str) -> Link | None:
        return self._links.get(process_id)

    async def until(self, claim: Callable[[Ledger], bool]) -> None:
        """Wait until something is true of the chat."""
        while not claim(self.ledger) and not self._closing:
            await self._settled.wait()

    async def released(self) -> None:
        """Wait until of every agent that has ended, its keeper too is gone."""
        await self.until(lambda _: not self._links)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _has_news(self) -> bool:
        """Wait for something to do; False once there is to be no more."""
        if not self._closing:
            await self._wait_for_news()
        return not self._closing

    async def _wait_for_news(self) -> None:
        deadlines = [*self._progress().deadlines(), *self._idle_deadline()]
        timeout = max(0.0, min(deadlines) - self._house.clock.now()) if deadlines else None
        try:
            async with asyncio.timeout(timeout):
                await self._news.wait()
        except TimeoutError:
            pass
        self._news.clear()

    async def _step(self) -> None:
        commands, self._commands = self._commands, []
        try:
            step = await self._decide(commands)
            if step.batch.statements or step.batch.many:
                await self._house.db.commit(step.batch)
        except Exception as error:
            await self._forget(commands, error)
            return
        self.ledger.committed()
        reach("after-commit-before-publish")
        self.wakeup.announce(step.events)
        self._house.chat_changed(self.id, step.events)
        reach("after-publish-before-reply")
        for command in commands:
            _answer(command, command.reply)
        self._reconcile()
        self._settled.set()
        self._settled = asyncio.Event()

    async def _decide(self, commands: list[_Command]) -> Step:
        """Everything between two commits: what people ask, what agents said, what the clock wants."""
        now = self._house.clock.now()
        progress = self._progress()
        self._stumbles.begin(self._links)
        for command in commands:
            command.reply = await self._obey(command, commands, now)
        for process_id, link in self._links.items():
            if journal_step.take_in(progress, process_id, link, self._stumbles, now):
                self._news.set()
        progress.on_time(now)
        self._stop_if_unused(now)
        progress.advance(now)
        step = self.ledger.take(now)
        self._stumbles.decided()
        return step

    def _progress(self) -> Progress:
        house, may_begin = self._house, not self.winding_down
        begun = [process for process in self.ledger.all(Process) if process.state != "waiting"]
        is_heard = all(process.id in self._links for process in begun)
        return Progress(self.ledger, house.settings, house.catalog, may_begin, self._place_of, is_heard)

    def _place_of(self, process_id: str) -> int:
        self._lined_up.add(process_id)
        return self._house.starts.place(process_id, self.nudge)

    def _leave_the_line(self) -> None:
        """Tell those behind us of processes that have started or are gone."""
        starting = {process.id for process in self.ledger.all(Process) if process.state == "starting"}
        waiting = {process.id for process in self.ledger.all(Process) if process.state == "waiting"}
        for process_id in starting:
            self._house.starts.began(process_id)
        for process_id in self._lined_up - starting - waiting:
            self._house.starts.over(process_id)
        self._lined_up = starting | waiting

    async def _obey(self, command: _Command, others: list[_Command], now: float) -> Json | VoxPilotError:
        if command.key is not None:
            for other in others:
                if other is not command and other.key == command.key and other.reply is not None:
                    return other.reply
            if (stored := await find_reply(self._house.db, command.key)) is not None:
                return stored
        try:
            reply = command.act(self.ledger, now)
        except VoxPilotError as error:
            return error
        if command.key is not None:
            self.ledger.save(Reply(key=command.key, chat_id=self.id, reply=reply, at=now))
        return reply

    async def _forget(self, commands: list[_Command], error: Exception) -> None:
        """The step is not on disk, so it did not happen: read everything anew."""
        if not isinstance(error, VoxPilotError):
            log.exception("step failed: chat=%s", self.id)
        self._stumbles.failed(error)
        for command in commands:
            _answer(command, explained(error))
        while not self._closing:
            try:
                self.ledger = await self._house.db.read(lambda db: ledgers.load(db, self.id))
                break
            except NotFound:
                self._closing = True
            except Exception:  # what is in memory must not count, so there is nothing to go on with
                log.exception("cannot read: chat=%s", self.id)
                await asyncio.sleep(RETRY_SECONDS)
        if self._closing:
            return
        for process_id, link in self._links.items():
            process = self.ledger.get(Process, process_id)
            link.rewind(process.offset if process else 0)
        await asyncio.sleep(RETRY_SECONDS)
        self._news.set()

    def _reconcile(self) -> None:
        """Make the outside agree with the rows: links for live processes, lines sent, ends asked for."""
        self._leave_the_line()
        for process in [process for process in self.ledger.all(Process) if process.state != "waiting"]:
            link = self._links.get(process.id) or self._open_link(process)
            if process.state == "stopping" and leaving.may_go(self.ledger, process):
                link.stop(process.force)
            link.send(self.ledger.outbox_after(process.id, 0))
            link.mind(t for t in self.ledger.all(Terminal) if t.process_id == process.id)
            link.acknowledge(process.offset)
        self._errands.start_due(self.ledger)
        self._thinking.start_due(self.ledger)
        for process_id in [id for id in self._links if self.ledger.get(Process, id) is None]:
            self._close_link(process_id)

    def _open_link(self, process: Process) -> Link:
        directory = self._house.settings.keepers / process.id
        spec = spec_of(self._house, lambda: self.ledger, process)
        link = Link(directory, process.offset, spec, self.nudge)
        self._links[process.id] = link
        self._spawn(link.run())
        return link

    def _close_link(self, process_id: str) -> None:
        link = self._links.pop(process_id)

        async def finish() -> None:
            await link.close()
            await link.over.wait()
            await asyncio.to_thread(shutil.rmtree, link.directory, True)

        self._spawn(finish())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task of chat %s failed", self.id, exc_info=error)

    # Agents nobody uses

    def _idle_deadline(self) -> list[float]:
        ttl = self._house.settings.copilot_connection_ttl
        if not ttl or self.followers or self.ledger.all(Turn):
            return []
        ready = [process for process in self.ledger.all(Process) if process.state == "ready"]
        return [self._idle_since() + ttl] if ready else []

    def _idle_since(self) -> float:
        return max(self.unwatched_since, self.ledger.chat.updated_at)

    def _stop_if_unused(self, now: float) -> None:
        if any(now >= deadline for deadline in self._idle_deadline()):
            for process in self.ledger.all(Process):
                self.ledger.change(process, state="stopping")


class Follower:
    """One who looks on: the past, then the present, with no seam between them."""

    def __init__(self, chat: LiveChat, after: int, bell: asyncio.Event) -> None:
        self.chat = chat
        self.after = after
        self._bell = bell
        chat.wakeup.bells.add(bell)
        chat.watched(+1)

    @property
    def ended(self) -> bool:
        """The chat is asleep or gone: nothing more will come this way."""
        return self.chat.wakeup.closed

    @property
    def is_behind(self) -> bool:
        """Whether a look is worth while."""
        return self.chat.wakeup.last > self.after or self.ended

    async def take(self) -> list[Recorded]:
        events = await self.chat.events_after(self.after)
        if events:
            self.after = events[-1].seq
        return events

    def close(self) -> None:
        self.chat.wakeup.bells.discard(self._bell)
        self.chat.watched(-1)


def _answer(command: _Command, reply: Json | VoxPilotError | None) -> None:
    if command.answered.done():
        return
    if isinstance(reply, VoxPilotError):
        command.answered.set_exception(reply)
    else:
        command.answered.set_result(reply or {})
