"""The server's end of one agent process: a journal to read, a keeper to write to.

Lives here: starting a keeper or finding the one that runs, telling of news,
sending numbered lines, noticing that all is over. Lives elsewhere: the keeper
and its journal (keeper/), what the lines mean (dialogue.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from voxpilot.errors import VoxPilotError
from voxpilot.keeper.attach import Attachment, KeeperSpec, attach, start_keeper
from voxpilot.keeper.journal import JournalReader, Record
from voxpilot.keeper.reaching import AlreadyKept, KeeperFailed, KeeperGone, is_kept
from voxpilot.keeper.sweep import end_tree
from voxpilot.killpoints import reach
from voxpilot.storage.rows import OutboxLine, Terminal

log = logging.getLogger(__name__)
ACKNOWLEDGE_BYTES = 1_000_000
_PAUSE_SECONDS = 0.05
_RETRY_SECONDS = 1.0
_TYPE_SECONDS = 10.0


class Link:
    """Run `run()` as a task; `on_news` is called whenever there may be something to read or send."""

    def __init__(
        self, directory: Path, offset: int, spec: Callable[[], KeeperSpec], on_news: Callable[[], None]
    ) -> None:
        self.directory = directory
        self.over = asyncio.Event()
        """The keeper is no more; what the journal holds is all there will be."""
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
        self._commands: dict[str, bool] = {}
        """Those this keeper was told of since we attached; and whether it was told to end them."""

    @property
    def attached(self) -> bool:
        return self._attachment is not None

    async def run(self) -> None:
        while await self._connect():
            await self._watch()
        if self.failed is None:
            await asyncio.to_thread(end_tree, self.directory)
        self.over.set()
        self._found.set()
        self._on_news()

    def read(self) -> list[Record]:
        """What the journal holds beyond what was read so far; empty when there is nothing new."""
        return self._reader.read()

    def rewind(self, offset: int) -> None:
        """Read again from there: the step made of it was not kept."""
        self._reader.close()
        self._reader = JournalReader(self.directory, offset)

    def send(self, lines: Iterable[OutboxLine]) -> None:
        """Send what has not been sent. The keeper takes each number once."""
        if self._attachment is None:
            return
        for line in lines:
            if line.n > self._sent:
                reach("after-commit-before-send")
                self._attachment.send(line.n, line.line, line.prompt, line.stops)
                self._sent = line.n
                reach("after-send")

    def mind(self, terminals: Iterable[Terminal]) -> None:
        """Have these commands run or end, and those forgotten that are no longer among them."""
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
        """Wait for the keeper, if it is still to be found; `KeeperFailed` if that takes long."""
        try:
            async with asyncio.timeout(_TYPE_SECONDS):
                await self._found.wait()
        except TimeoutError:
            raise KeeperFailed("The keeper does not answer.", "Try again in a moment.") from None

    async def type_in(self, terminal_id: str, data: str, key: str) -> bool:
        """Type into a command's terminal, once for each key; False if it cannot be any more."""
        await self.found()
        if self._attachment is None:
            return False
        try:
            async with asyncio.timeout(_TYPE_SECONDS):
                return await self._attachment.type_in(terminal_id, data, key)
        except KeeperGone:
            return False
        except TimeoutError:
            raise KeeperFailed("The keeper does not answer.", "Try again in a moment.") from None

    def acknowledge(self, offset: int) -> None:
        """Tell the keeper now and then how far we are, so that it may drop what is old."""
        if self._attachment is not None and offset >= self._acknowledged + ACKNOWLEDGE_BYTES:
            self._attachment.ack(offset)
            self._acknowledged = offset

    def stop(self, force: bool) -> None:
        """Ask the keeper to end its agent, gently or at once."""
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
        """Attach to the keeper, starting one only where there never was one."""
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
                self._found.set()
                self._on_news()
                return True

    async def _attach(self) -> bool:
        """Try once; False if there is nothing to attach to, and will not be."""
        try:
            self._attachment = await attach(self.directory)
        except KeeperGone:
            if is_kept(self.directory):
                await asyncio.sleep(_PAUSE_SECONDS)
            else:
                return not any(self.directory.glob("journal.*")) and await self._start()
        return True

    async def _start(self) -> bool:
        try:
            reach("after-row-before-keeper")
            # In a thread, for the first one waits until the login shell has told its PATH.
            await start_keeper(self.directory, await asyncio.to_thread(self._spec))
            reach("after-keeper-before-attach")
        except AlreadyKept:
            return True
        except VoxPilotError as error:
            self.failed = error
            return False
        return True

    async def _watch(self) -> None:
        attachment = self._attachment
        assert attachment is not None
        known, printed = attachment.hello.end, attachment.printed
        while await attachment.grown_past(known, printed):
            known, printed = attachment.end, attachment.printed
            self._on_news()
        self._attachment = None
        self._found.clear()
        await attachment.close()
