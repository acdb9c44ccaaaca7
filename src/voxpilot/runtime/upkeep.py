"""Small recurring work of the server, independent of any chat.

Lives here: noticing changed settings, dropping old keys, removing the remains of deleted chats. Lives
elsewhere: starting and stopping it (supervisor.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from voxpilot.errors import VoxPilotError
from voxpilot.runtime.accepted_settings import Accepting
from voxpilot.runtime.shared.background import Background
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats import chat_list
from voxpilot.storage.chats.deleting import remove_deleted
from voxpilot.storage.chats.replies import drop_replies
from voxpilot.storage.directory import uploads

log = logging.getLogger(__name__)
SETTINGS_SECONDS = 1.0
TIDY_SECONDS = 3600.0
RETRY_SECONDS = 60.0
KEY_SECONDS = 7 * 86_400.0
"""How long a request may be sent again under its key."""


class Upkeep:
    """Runs from `start` to `end`. `relieve` is called every second: it may free memory."""

    def __init__(self, services: Services, accepting: Accepting, relieve: Callable[[], None]) -> None:
        self._services = services
        self._accepting = accepting
        self._relieve = relieve
        self._background = Background("the upkeep")
        self.has_deleted = asyncio.Event()
        """Set when a chat was deleted, and initially, because a restart may have interrupted a deletion."""
        self.has_deleted.set()

    def start(self) -> None:
        for work in (self._every_second(), self._tidy(), self._remove_deleted()):
            self._background.start(work)

    async def end(self) -> None:
        await self._background.end()

    async def _every_second(self) -> None:
        while True:
            await asyncio.sleep(SETTINGS_SECONDS)
            for work in (self._refresh, self._accepting.keep, self._relieved):
                try:
                    await work()
                except VoxPilotError as error:  # retried later
                    log.warning("%s is retried: %s", work.__qualname__, error.message)
                except Exception:
                    log.exception("%s failed and is retried", work.__qualname__)

    async def _refresh(self) -> None:
        await asyncio.to_thread(self._services.live.refresh)

    async def _relieved(self) -> None:
        self._relieve()

    async def _tidy(self) -> None:
        """Now and every hour: drop what nobody needs any more."""
        while True:
            try:
                self._services.clock.keep()
                await drop_replies(self._services.db, self._services.clock.now() - KEY_SECONDS)
            except Exception:
                log.exception("old keys could not be dropped")
            await asyncio.sleep(TIDY_SECONDS)

    async def _remove_deleted(self) -> None:
        while True:
            await self.has_deleted.wait()
            self.has_deleted.clear()
            try:
                await remove_deleted(self._services.db)
                await self._remove_uploads()
            except Exception:
                log.exception("the remains of deleted chats could not be removed")
                await asyncio.sleep(RETRY_SECONDS)
                self.has_deleted.set()

    async def _remove_uploads(self) -> None:
        """Remove the attached files of chats that no longer exist."""
        folder = self._services.settings.data_dir
        found = await asyncio.to_thread(uploads.chats_with_uploads, folder)
        for chat_id in set(found) - await chat_list.all_ids(self._services.db):
            await asyncio.to_thread(uploads.remove, folder, chat_id)
