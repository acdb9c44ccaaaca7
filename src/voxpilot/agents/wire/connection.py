"""The server's end of one agent process: a journal to read, a keeper to write to.

Lives here: starting a keeper or finding the running one, reporting that there is something new, sending
numbered lines, noticing that the keeper cannot be reached or has ended, and killing it if it does not obey.
Lives elsewhere: the keeper and its journal (keeper/), what the lines mean (requests/dialogue.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from voxpilot.errors import VoxPilotError
from voxpilot.keeper.attach import Attachment, KeeperSpec, attach, start_keeper
from voxpilot.keeper.journal import JournalReader, Record
from voxpilot.keeper.reaching import AlreadyKept, KeeperFailed, KeeperGone, is_kept
from voxpilot.keeper.sweep import end_tree, left_of, wake_keeper
from voxpilot.killpoints import reach
from voxpilot.storage.database.rows import OutboxLine, Terminal

log = logging.getLogger(__name__)
ACKNOWLEDGE_BYTES = 1_000_000
_PAUSE_SECONDS = 0.05
_RETRY_SECONDS, _LONGEST_PAUSE_SECONDS = 1.0, 30.0
_TYPE_SECONDS = 10.0
_PING_SECONDS = 4.0
"""A keeper that is silent for this long is pinged."""
_PATIENCE_SECONDS = 6.0
"""A keeper that does not answer for this long, or that we cannot attach to, is unreachable."""
_KILL_SECONDS = 4.5
"""A keeper that was told to kill its agent is killed together with it after this time; it gives up by itself
after 4 s."""
_STOP_SECONDS = 10.0
"""The same if the agent gets time to exit."""


class KeeperLink:
    """Run `run()` as a task; `on_news` is called whenever there may be something to read or send."""

    def __init__(
        self,
        directory: Path,
        offset: int,
        spec: Callable[[], Awaitable[KeeperSpec]],
        on_news: Callable[[], None],
        lines_before: int = 0,
    ) -> None:
        self.directory = directory
        self.ever_sent = lines_before
        """Lines with a higher number have never left this server or an earlier one."""
        self.over = asyncio.Event()
        """The keeper has ended; nothing will be added to the journal."""
        self.failed: VoxPilotError | None = None
        """Why no keeper could be started."""
        self._spec = spec
        self._on_news = on_news
        self._attachment: Attachment | None = None
        self._reader = JournalReader(directory, offset)
        self._sent = 0
        self._acknowledged = 0
        self._stopping = False
        self._found = asyncio.Event()
        """Set while we are attached, and when there is nothing to attach to any more."""
        self.unreachable = False
        """The keeper is alive but does not answer, or cannot be killed."""
        self.unreadable: OSError | None = None
        """Why the journal could not be read the last time."""
        self._looks_again: asyncio.TimerHandle | None = None
        self._was_there = offset > 0
        """There was a keeper, so that none is started."""
        self._end_at = float("inf")
        """When to kill the keeper ourselves, by the loop's clock."""
        self._told_to_end = asyncio.Event()
        self._commands: dict[str, bool] = {}
        """The commands this keeper knows since we attached, and whether it was told to end them."""

    @property
    def has_agent(self) -> bool:
        """Whether we are attached to the keeper of an agent that had not ended at that time."""
        return self._attachment is not None and not self._attachment.hello.ended

    async def run(self) -> None:
        await self._surely(self._stay_connected)
        await self._surely(self._ended)  # also after a failed start, which may have started the agent
        self.unreachable = False
        self.over.set()
        self._found.set()
        self._on_news()

    async def _surely(self, work: Callable[[], Awaitable[bool]]) -> None:
        """Try until it is done: without this task, nobody would notice that the agent has ended.

        What fails here fails because of the machine, for example because no thread can be started.
        """
        pause = _RETRY_SECONDS
        while True:
            try:
                if await work():
                    return
            except Exception:
                log.exception("the connection to keeper %s is tried again", self.directory.name)
                pause = _RETRY_SECONDS
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    async def _stay_connected(self) -> bool:
        """Returns when there is nothing to connect to any more."""
        async with asyncio.TaskGroup() as tasks:
            ending = tasks.create_task(self._end_when_due())
            while await self._connect():
                await self._watch()
            ending.cancel()
        return True

    def read(self) -> list[Record]:
        """Journal records that were not read yet; empty if there is nothing new, or if it is unreadable."""
        try:
            found = self._reader.read()
        except OSError as error:
            log.warning("journal %s cannot be read: %s", self.directory.name, error)
            self.unreadable = error
            self.look_again()
            return []
        self.unreadable = None
        return found

    def look_again(self) -> None:
        """Something could not be read just now: report news in a moment."""
        if self._looks_again is None:
            self._looks_again = asyncio.get_running_loop().call_later(_RETRY_SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._looks_again = None
        self._on_news()

    def rewind(self, offset: int) -> None:
        """Read again from this offset: the step was not stored."""
        self._reader.close()
        self._reader = JournalReader(self.directory, offset)

    def send(self, lines: Iterable[OutboxLine]) -> None:
        """Send unsent lines. The keeper accepts each number once."""
        if self._attachment is None:
            return
        for line in lines:
            if line.n > self._sent:
                reach("after-commit-before-send")
                self._attachment.send(line.n, line.line, line.prompt, line.stops)
                self._sent = line.n
                self.ever_sent = max(self.ever_sent, line.n)
                reach("after-send")

    def mind(self, terminals: Iterable[Terminal]) -> None:
        """Start or end these commands, and release those that are no longer listed."""
        if self._attachment is None:
            return
        known = {terminal.id: terminal for terminal in terminals}
        for terminal in known.values():
            if terminal.id not in self._commands:
                reach("after-commit-before-run")
                self._attachment.run(
                    terminal.id, terminal.argv, terminal.cwd, terminal.env, terminal.takes_input
                )
                self._commands[terminal.id] = False
            if terminal.killed and not self._commands[terminal.id]:
                self._attachment.kill_command(terminal.id)
                self._commands[terminal.id] = True
        for gone in [id for id in self._commands if id not in known]:
            self._attachment.forget_command(gone)
            del self._commands[gone]

    async def found(self) -> None:
        """Wait until we are attached to the keeper; raises `KeeperFailed` if that takes too long."""
        try:
            async with asyncio.timeout(_TYPE_SECONDS):
                await self._found.wait()
        except TimeoutError:
            raise KeeperFailed(
                "The agent's background process is not responding.", "Try again in a moment."
            ) from None

    async def type_in(self, terminal_id: str, data: str, key: str) -> bool:
        """Type into a command's terminal, once for each key; False if it no longer accepts input."""
        await self.found()
        if self._attachment is None:
            return False
        try:
            async with asyncio.timeout(_TYPE_SECONDS):
                return await self._attachment.type_in(terminal_id, data, key)
        except KeeperGone:
            return False
        except TimeoutError:
            raise KeeperFailed(
                "The agent's background process is not responding.", "Try again in a moment."
            ) from None

    def acknowledge(self, offset: int) -> None:
        """Tell the keeper from time to time how far we have read, so that it can delete old segments."""
        if self._attachment is not None and offset >= self._acknowledged + ACKNOWLEDGE_BYTES:
            self._attachment.ack(offset)
            self._acknowledged = offset

    def stop(self, force: bool) -> None:
        """Tell the keeper to end its agent, gently or immediately; if it does not, we kill both."""
        limit = asyncio.get_running_loop().time() + (_KILL_SECONDS if force else _STOP_SECONDS)
        self._end_at = min(self._end_at, limit)
        self._told_to_end.set()
        if self._attachment is None:
            return
        if force:
            self._attachment.kill()
        elif not self._stopping:
            self._attachment.stop()
        self._stopping = True

    async def close(self) -> None:
        self._reader.close()
        if self._attachment is not None:
            await self._attachment.close()

    async def _connect(self) -> bool:
        """Attach to the keeper, and start one only if there never was one."""
        loop = asyncio.get_running_loop()
        since = loop.time()
        while True:
            try:
                if not await self._attach():
                    return False
            except (KeeperFailed, OSError) as error:
                log.warning("keeper %s: %s", self.directory.name, error)
                await asyncio.sleep(_RETRY_SECONDS)
            if self._attachment is not None:
                self._sent = self._attachment.hello.sent
                self._commands.clear()
                self._was_there = True
                self._found.set()
                self._reached(True)
                self._on_news()
                return True
            if loop.time() >= since + _RETRY_SECONDS:
                await self._repair(loop.time() >= since + _PATIENCE_SECONDS)

    async def _attach(self) -> bool:
        """Try once; False if there is nothing to attach to and never will be."""
        try:
            self._attachment = await attach(self.directory)
        except KeeperGone:
            if is_kept(self.directory):
                await asyncio.sleep(_PAUSE_SECONDS)
            else:
                had_one = self._was_there or any(self.directory.glob("journal.*"))
                return not had_one and await self._start()
        return True

    async def _start(self) -> bool:
        try:
            reach("after-row-before-keeper")
            await self._have_started(await self._spec())
            reach("after-keeper-before-attach")
        except AlreadyKept:
            return True
        except VoxPilotError as error:
            self.failed = error
            return False
        return True

    async def _have_started(self, spec: KeeperSpec) -> None:
        """Start the keeper, and resume it if somebody suspends it meanwhile."""
        loop = asyncio.get_running_loop()
        since = loop.time()
        starting = asyncio.create_task(start_keeper(self.directory, spec))
        while not (await asyncio.wait({starting}, timeout=_RETRY_SECONDS))[0]:
            if loop.time() >= since + _PATIENCE_SECONDS:
                self._reached(False)
            await asyncio.to_thread(wake_keeper, self.directory)
        await starting

    async def _watch(self) -> None:
        """Report changes for as long as the connection lasts, and check that the keeper is alive."""
        attachment = self._attachment
        assert attachment is not None
        try:
            await self._report(attachment)
        finally:
            self._attachment = None
            self._found.clear()
            await attachment.close()

    async def _report(self, attachment: Attachment) -> None:
        known, printed = attachment.hello.end, attachment.printed
        asked_at: float | None = None
        while True:
            try:
                async with asyncio.timeout(_PING_SECONDS):
                    if not await attachment.grown_past(known, printed):
                        return
                known, printed = attachment.end, attachment.printed
                self._reached(True)
                self._on_news()
            except TimeoutError:
                asked_at = await self._look_after(attachment, asked_at)

    async def _look_after(self, attachment: Attachment, asked_at: float | None) -> float:
        """Ping a silent keeper, once; returns when that was."""
        now = asyncio.get_running_loop().time()
        if asked_at is None or attachment.heard_at >= asked_at:
            self._reached(True)
            attachment.ping()
            return now
        await asyncio.sleep(_PAUSE_SECONDS)  # we may have slept; then its answer is here
        if attachment.heard_at < asked_at and now >= asked_at + _PATIENCE_SECONDS - _PING_SECONDS:
            await self._repair(True)
        return asked_at

    def _reached(self, is_reached: bool) -> None:
        if self.unreachable == is_reached:
            self.unreachable = not is_reached
            self._on_news()

    async def _repair(self, is_late: bool) -> None:
        """Resume a suspended keeper, have it listen again, and read its journal meanwhile."""
        if is_late:
            self._reached(False)
        await asyncio.to_thread(wake_keeper, self.directory)
        self._on_news()

    async def _end_when_due(self) -> None:
        """Kill the keeper and its descendants, once it was told to end and its time is up."""
        loop = asyncio.get_running_loop()
        await self._told_to_end.wait()
        pause = _RETRY_SECONDS
        while True:
            await asyncio.sleep(min(_PING_SECONDS, max(_PAUSE_SECONDS, self._end_at - loop.time())))
            if loop.time() >= self._end_at:
                log.warning("keeper %s did not end its agent: both are ended", self.directory.name)
                await self._ended()
                # What cannot be killed hangs in the system: looking for it takes time too.
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    async def _ended(self) -> bool:
        """Kill all processes; returns whether none is left."""
        await asyncio.to_thread(end_tree, self.directory)
        if await asyncio.to_thread(left_of, self.directory):
            self._reached(False)
            return False
        return True
