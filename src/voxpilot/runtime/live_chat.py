"""An awake chat: one worker that takes every step, and its followers.

Lives here: the ways in, `do` for actions and `bring` for results; the step itself (commands, frames and the
clock become one batch: commit, publish, answer, send); and `follow`, the only way out. Lives elsewhere: what
a step decides (turns/turn.py, step/progress.py).
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

from voxpilot.agents.wire.connection import KeeperLink
from voxpilot.chat.blocks import BlocksAway
from voxpilot.chat.events import Json
from voxpilot.chat.transcript import Transcript
from voxpilot.errors import NotFound, ShuttingDown, VoxPilotError, explained
from voxpilot.killpoints import reach
from voxpilot.runtime.outside import Outside
from voxpilot.runtime.processes import stopping
from voxpilot.runtime.processes.found_again import FoundAgain
from voxpilot.runtime.processes.process_start import spec_of
from voxpilot.runtime.readers import snapshot
from voxpilot.runtime.readers.following import Follower
from voxpilot.runtime.readers.shown import Shown
from voxpilot.runtime.readers.wakeup import Wakeup
from voxpilot.runtime.shared.background import Background
from voxpilot.runtime.shared.services import Services
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.runtime.step import journal_step
from voxpilot.runtime.step.inbox import Act, Command, Inbox
from voxpilot.runtime.step.progress import Progress
from voxpilot.runtime.step.quarantine import Stumbles
from voxpilot.storage.chats import ledger as ledgers
from voxpilot.storage.chats.event_log import Recorded, read_after
from voxpilot.storage.chats.ledger import Ledger, Step
from voxpilot.storage.chats.replies import find_reply
from voxpilot.storage.database.rows import Process, Reply, Terminal, Turn
from voxpilot.storage.database.states import ProcessState

if TYPE_CHECKING:
    from voxpilot.chat.shapes import Block

log = logging.getLogger(__name__)
RETRY_SECONDS = 1.0


class LiveChat:
    def __init__(self, services: Services, ledger: Ledger) -> None:
        self.id = ledger.chat.id
        self.ledger = ledger
        self.wakeup = Wakeup(ledger.chat.last_seq)
        self.followers = 0
        self.unwatched_since = self.touched_at = services.clock.now()
        self.shown = Shown(ledger, self.touched_at)
        ledger.not_after(self.touched_at)
        self._services = services
        self._links: dict[str, KeeperLink] = {}
        self._lines_before = {process.id: process.lines_out for process in ledger.all(Process)}
        """How many lines may have been sent to each process before this chat was loaded."""
        self._stumbles = Stumbles()
        self._found_again = FoundAgain(ledger)
        self._lined_up = {
            p.id for p in ledger.all(Process) if p.state in (ProcessState.WAITING, ProcessState.STARTING)
        }
        """Processes that asked to start and have not done so yet."""
        self._background = Background(f"chat {self.id}")
        self._outside = Outside(services, self._background.start, self.bring, ledger)
        self._inbox = Inbox()
        self._news = asyncio.Event()
        self._news.set()
        self._settled = asyncio.Event()
        self._closing = False
        self.is_deleted = False
        self.winding_down = False
        """The server is stopping: finish, but start nothing new."""

    # The way in

    async def do(self, act: Act, key: str | None = None) -> Json:
        """Run a function in the next step; returns when that is committed. The same key runs it once."""
        return await self._taken(Command(act, key))

    async def bring(self, act: Act) -> Json:
        """Pass in a result that exists only in memory, such as a model's answer: retried until stored."""
        return await self._taken(Command(act, is_result=True))

    async def _taken(self, command: Command) -> Json:
        if self._closing:
            raise self._refusal()
        self._inbox.put(command)
        self._news.set()
        return await asyncio.shield(command.answered)

    def _refusal(self) -> VoxPilotError:
        return NotFound("Chat not found.", "It was deleted.") if self.is_deleted else ShuttingDown()

    def nudge(self) -> None:
        """There may be something to do."""
        self._news.set()

    # The way out

    def follow(self, after: int, bell: asyncio.Event) -> Follower:
        """Follow the chat from an event number; the bell rings when there may be more. Close it later."""
        return Follower(self, after, bell)

    async def events_after(self, after: int) -> list[Recorded]:
        """The next committed events; an empty list means there are no more yet."""
        events = self.wakeup.recent_after(after)
        if events is None:
            events = await read_after(self._services.db, self.id, after)
        return events

    def watched(self, more: int) -> None:
        """A follower was added or removed."""
        self.followers += more
        self.unwatched_since = self._services.clock.now()
        self._news.set()

    async def snapshot(self, tail: int) -> tuple[int, bytes]:
        """The fold so far as JSON, with its newest blocks, and the number it goes up to."""
        return await snapshot.take(self._services.db, self.id, self.ledger.transcript, self.wakeup.last, tail)

    async def older_blocks(self, before: int, limit: int) -> list[Block]:
        """Blocks before a position, oldest first."""
        here, last = self.ledger.transcript, self.wakeup.last
        return await snapshot.older(self._services.db, self.id, here, last, before, limit)

    # The worker

    async def run(self) -> None:
        """Take steps until closed. Runs as the one task that changes this chat."""
        try:
            while not self._closing:
                try:
                    await self._wait_for_news()
                    if not self._closing:
                        await self._step()
                except Exception:
                    log.exception("a step of chat %s was cut short", self.id)
                    await asyncio.sleep(RETRY_SECONDS)
                    self._news.set()
        finally:
            self._closing = True
            self._inbox.close(self._refusal())
            self._settled.set()
            self.wakeup.close()
            for process_id in self._lined_up:
                self._services.starts.over(process_id)
            self.ledger.transcript = Transcript()  # large, and others may keep a reference to us
            await self._background.end()
            for link in self._links.values():
                await link.close()

    async def close(self) -> None:
        self._closing = True
        self._news.set()

    def cached_bytes(self) -> int:
        """About how many bytes it holds in memory, not counting its rows."""
        return self.wakeup.size + self.ledger.transcript.size

    def hold_less(self, most_bytes: int) -> None:
        self.wakeup.hold(most_bytes)
        self.ledger.transcript.hold(most_bytes)

    def is_idle(self) -> bool:
        """Nothing is running and nobody is following: the chat may go to sleep."""
        if self.followers or self._inbox or self._links:
            return False
        return not self.ledger.all(Turn) and not self.ledger.all(Process)

    def link_to(self, process_id: str) -> KeeperLink | None:
        return self._links.get(process_id)

    async def until(self, claim: Callable[[Ledger], bool]) -> None:
        """Wait until something is true of the chat."""
        while not claim(self.ledger) and not self._closing:
            await self._settled.wait()

    async def released(self) -> None:
        """Wait until the keepers of all ended agents have exited too."""
        await self.until(lambda _: not self._links)
        await self._background.wait()

    async def _wait_for_news(self) -> None:
        deadlines = [*self._progress().deadlines(), *self._idle_deadline()]
        timeout = max(0.0, min(deadlines) - self._services.clock.now()) if deadlines else None
        try:
            async with asyncio.timeout(timeout):
                await self._news.wait()
        except TimeoutError:
            pass
        self._news.clear()

    async def _step(self) -> None:
        commands = self._inbox.take()
        try:
            step = await self._decide(commands)
            if step.batch.statements or step.batch.many:
                await self._services.db.commit(step.batch)
            self._stumbles.stored()
            self._found_again.stored()
            self._publish(step)
        except BlocksAway as away:
            await self._recall(away.since)
            return
        except Exception as error:
            await self._forget(error)
            return
        if self._inbox:
            self._news.set()
        self._reconcile()
        self._settled.set()
        self._settled = asyncio.Event()

    def _publish(self, step: Step) -> None:
        """The step is on disk: everybody who follows the chat may see it, whatever fails now."""
        try:
            reach("after-commit-before-publish")
            self.wakeup.announce(step.events)
            self._services.chat_changed(self.id, step.events)
            self.ledger.committed()
            self._services.catalog.consents.take_from(self.ledger)
            self.shown.publish(self.ledger, bool(step.events), self._services.clock.now())
            reach("after-publish-before-reply")
        finally:
            self._inbox.stored()

    async def _decide(self, commands: list[Command]) -> Step:
        """Everything between two commits: people's commands, agents' output, and timers."""
        now = self._services.clock.now()
        self.ledger.show_by(self._services.clock.shift())
        progress = self._progress()
        self._stumbles.begin(self._links)
        for command in commands:
            command.reply = await self._obey(command, commands, now)
        # A failure together with a command must not be blamed on an agent's output, or the other way round.
        is_mixed = commands and (self._stumbles.is_careful or any(command.is_suspect for command in commands))
        if is_mixed:
            self._news.set()
        links = {} if is_mixed else self._links
        self._found_again.tell(self.ledger, links, now)
        for process_id, link in links.items():
            if journal_step.take_in(progress, process_id, link, self._stumbles, now):
                self._news.set()
        progress.on_time(now)
        self._stop_if_unused(now)
        progress.advance(now)
        return self.ledger.take(now)

    def _progress(self) -> Progress:
        services, may_begin = self._services, not self.winding_down
        begun = [process for process in self.ledger.all(Process) if process.state is not ProcessState.WAITING]
        is_heard = all(process.id in self._links for process in begun)
        return Progress(
            self.ledger,
            services.settings,
            services.catalog,
            may_begin,
            self._place_of,
            is_heard,
            self._ever_sent,
        )

    def _ever_sent(self, process_id: str) -> int:
        link = self._links.get(process_id)
        return link.ever_sent if link else self._lines_before.get(process_id, 0)

    def _place_of(self, process_id: str) -> int:
        self._lined_up.add(process_id)
        return self._services.starts.place(process_id, self.nudge)

    def _leave_the_line(self) -> None:
        """Tell the start queue about processes that have started or are gone."""
        states = {process.id: process.state for process in self.ledger.all(Process)}
        starting = {id for id in states if states[id] is ProcessState.STARTING}
        waiting = {id for id in states if states[id] is ProcessState.WAITING}
        for process_id in starting:
            self._services.starts.began(process_id)
        for process_id in self._lined_up - starting - waiting:
            self._services.starts.over(process_id)
        self._lined_up = starting | waiting

    async def _obey(self, command: Command, others: list[Command], now: float) -> Json | VoxPilotError:
        if command.key is not None:
            for other in others:
                if other is not command and other.key == command.key and other.reply is not None:
                    return other.reply
            if (stored := await find_reply(self._services.db, command.key)) is not None:
                return stored
        try:
            reply = command.act(self.ledger, now)
        except VoxPilotError as error:
            return error
        if command.key is not None:
            self.ledger.save(Reply(key=command.key, chat_id=self.id, reply=reply, at=now))
        return reply

    async def _recall(self, since: int) -> None:
        """The step needs blocks that were dropped from memory: read them, and begin again."""
        try:
            self.ledger = await self._services.db.read(lambda db: ledgers.load(db, self.id, since))
        except Exception as error:
            await self._forget(error)
            return
        self.ledger.not_after(self._services.clock.now())
        self._inbox.begin_again()
        self._rewind()
        self._news.set()

    async def _forget(self, error: Exception) -> None:
        """Memory is not what is on disk: read everything again and keep results that are not stored."""
        if not isinstance(error, VoxPilotError):
            log.exception("step failed: chat=%s", self.id)
        else:
            log.warning("step failed: chat=%s why=%s", self.id, error.message)
        self._stumbles.failed(error)
        while not self._closing:
            try:
                self.ledger = await self._services.db.read(lambda db: ledgers.load(db, self.id))
                self.ledger.not_after(self._services.clock.now())
                break
            except NotFound:  # deleted in the meantime, which is why the step failed
                self.is_deleted = self._closing = True
            except Exception as failure:  # memory is ahead of the disk, so it cannot be used
                log.exception("cannot read: chat=%s", self.id)
                self._inbox.give_back(explained(failure), with_waiting=True)
                await asyncio.sleep(RETRY_SECONDS)
        if not self.is_deleted:
            self._inbox.give_back(explained(error))
        if self._closing:
            return
        self._rewind()
        await asyncio.sleep(RETRY_SECONDS)
        self._news.set()

    def _rewind(self) -> None:
        """The rows were read again, so the journals are too."""
        for process_id, link in self._links.items():
            process = self.ledger.get(Process, process_id)
            link.rewind(process.offset if process else 0)

    def _reconcile(self) -> None:
        """Make the outside match the rows: connect to live processes, send lines, stop processes."""
        self._leave_the_line()
        for process in [
            process for process in self.ledger.all(Process) if process.state is not ProcessState.WAITING
        ]:
            link = self._links.get(process.id) or self._open_link(process)
            if process.state is ProcessState.STOPPING and stopping.may_go(self.ledger, process):
                link.stop(process.force)
            link.send(self.ledger.outbox_after(process.id, 0))
            link.mind(t for t in self.ledger.all(Terminal) if t.process_id == process.id)
            link.acknowledge(process.offset)
        self._outside.start_due(self.ledger)
        for process_id in [id for id in self._links if self.ledger.get(Process, id) is None]:
            self._close_link(process_id)

    def _open_link(self, process: Process) -> KeeperLink:
        directory = self._services.settings.keepers / process.id
        spec = spec_of(self._services, lambda: self.ledger, process)
        link = self._services.link(directory, process.offset, spec, self.nudge, self._ever_sent(process.id))
        self._links[process.id] = link
        self._background.start(link.run())
        return link

    def _close_link(self, process_id: str) -> None:
        link = self._links.pop(process_id)

        async def finish() -> None:
            await link.close()
            await link.over.wait()
            await asyncio.to_thread(shutil.rmtree, link.directory, True)

        self._background.start(finish())

    # Agents nobody uses

    def _idle_deadline(self) -> list[float]:
        ttl = self._services.settings.copilot_connection_ttl
        if not ttl or self.followers or self.ledger.all(Turn):
            return []
        ready = [process for process in self.ledger.all(Process) if process.state is ProcessState.READY]
        return [self._idle_since() + ttl] if ready else []

    def _idle_since(self) -> float:
        return max(self.unwatched_since, self.shown.changed_at)

    def _stop_if_unused(self, now: float) -> None:
        if any(now >= deadline for deadline in self._idle_deadline()):
            for process in self.ledger.all(Process):
                stop_process(self.ledger, process, at_once=False)
