"""What a new server finds: agents that kept working, unfinished deletions, processes that belong to no chat.

Lives here: waking the chats of such agents, each on its own, so that one that cannot be read holds up no
other; finishing deletions; ending what is left over. Lives elsewhere: waking and deleting a chat
(supervisor.py), the chats that need it (storage/chats/chat_list.py).
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from voxpilot.errors import NotFound, ShuttingDown, VoxPilotError, explained
from voxpilot.keeper.attach import attach
from voxpilot.keeper.reaching import is_kept
from voxpilot.keeper.sweep import end_tree, left_of
from voxpilot.killpoints import reach
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.runtime.shared.background import Background
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats import chat_list
from voxpilot.storage.chats.deleting import unfinished_deletions
from voxpilot.storage.database.rows import Process
from voxpilot.storage.database.states import ProcessState

log = logging.getLogger(__name__)
T = TypeVar("T")
RETRY_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 30.0
MOMENT_SECONDS = 2.0
"""How long the others wait for one chat; after that it continues by itself."""
KEEPER_SECONDS = 3.0
"""How long a keeper may take to kill its agent before the server kills both."""


class Chats(Protocol):
    """What the recovery needs from the supervisor."""

    async def chat(self, chat_id: str) -> LiveChat: ...
    async def delete(self, chat_id: str) -> None: ...
    def is_awake(self, chat_id: str) -> bool: ...
    def live_ids(self) -> set[str]: ...


class Recovery:
    """Done once, after the start. What has to be tried again later runs in `background`."""

    def __init__(self, services: Services, chats: Chats, background: Background) -> None:
        self._services, self._chats, self._background = services, chats, background

    async def run(self) -> None:
        db = self._services.db
        live = await _patiently("reading which agents run", lambda: chat_list.live_processes(db))
        for part in (self._wake_chats(live), self._finish_deletions(), self._end_abandoned(live)):
            try:
                await part
            except Exception:
                log.exception("a part of the recovery failed")

    async def _wake_chats(self, live: list[Process]) -> None:
        starts, db = self._services.starts, self._services.db
        starting = [process for process in live if process.state is ProcessState.STARTING]
        for process in starting:
            starts.began(process.id)
        for chat_id in await _patiently("reading which chats to wake", lambda: chat_list.chats_to_wake(db)):
            reach("mid-sweep")
            await self._alone(f"waking chat {chat_id}", partial(self._wake, chat_id))
            if not self._chats.is_awake(chat_id):  # nobody ends the starts of its agents
                for process in [process for process in starting if process.chat_id == chat_id]:
                    starts.over(process.id)

    async def _wake(self, chat_id: str) -> None:
        with suppress(NotFound, ShuttingDown):
            await self._chats.chat(chat_id)

    async def _finish_deletions(self) -> None:
        db = self._services.db
        for chat_id in await _patiently("reading deletions", lambda: unfinished_deletions(db)):
            await self._alone(f"deleting chat {chat_id}", partial(self._delete, chat_id))

    async def _delete(self, chat_id: str) -> None:
        with suppress(NotFound, ShuttingDown):
            # Somebody may have used the chat again since the last attempt.
            if chat_id in await unfinished_deletions(self._services.db):
                await self._chats.delete(chat_id)

    async def _end_abandoned(self, live: list[Process]) -> None:
        kept = {process.id for process in live}
        for folder in keepers_of(self._services):
            if folder.name not in kept and folder.name not in self._chats.live_ids():
                try:
                    await end_keeper(folder)
                except Exception:
                    log.exception("an abandoned agent could not be stopped: %s", folder.name)

    async def _alone(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do it in a task of its own, and wait for that no longer than a moment."""

        async def attempt() -> None:
            try:
                await _patiently(what, work)
            except Exception:
                log.exception("%s failed", what)

        await asyncio.wait({self._background.start(attempt())}, timeout=MOMENT_SECONDS)


def keepers_of(services: Services) -> list[Path]:
    """The folders of all keepers."""
    try:
        return list(services.settings.keepers.iterdir())
    except OSError:
        log.exception("the folder of the keepers cannot be read")
        return []


async def end_keeper(folder: Path) -> None:
    """End all processes there and remove the folder; a keeper that does not respond is killed too."""
    try:
        async with asyncio.timeout(KEEPER_SECONDS):
            await _have_killed(folder)
    except (TimeoutError, VoxPilotError):
        log.warning("keeper %s does not respond, so it is killed", folder.name)
    await asyncio.to_thread(end_tree, folder)
    if await asyncio.to_thread(left_of, folder):
        log.error("processes of %s could not be ended; the next start tries again", folder.name)
        return
    await asyncio.to_thread(shutil.rmtree, folder, True)


async def _have_killed(folder: Path) -> None:
    while is_kept(folder):
        attachment = await attach(folder)
        try:
            attachment.kill()
            while await attachment.grown_past(attachment.end):
                pass
        finally:
            attachment.abort()


async def _patiently(what: str, work: Callable[[], Awaitable[T]]) -> T:
    """Do it, and try again for as long as the machine is the reason that it fails."""
    pause = RETRY_SECONDS
    while True:
        try:
            return await work()
        except Exception as error:
            if not explained(error).is_momentary:
                raise
            log.warning("%s is tried again: %s", what, error)
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
