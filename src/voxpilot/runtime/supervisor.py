"""All awake chats, and waking them.

Lives here: waking, creating and deleting chats, and the two ways to stop: ending the agents, or leaving them
running. Lives elsewhere: one awake chat (live_chat.py), what is done after a start (recovery.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any, cast

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.wire.connection import KeeperLink
from voxpilot.chat.events import Json
from voxpilot.errors import NotFound, ShuttingDown
from voxpilot.killpoints import reach
from voxpilot.runtime import memory
from voxpilot.runtime.accepted_settings import Accepting
from voxpilot.runtime.commands import create_chat
from voxpilot.runtime.commands.create_chat import ChatSpec
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.runtime.processes import stopping
from voxpilot.runtime.readers.feed import Feed
from voxpilot.runtime.recovery import Recovery, end_keeper, keepers_of
from voxpilot.runtime.shared.background import Background
from voxpilot.runtime.shared.clock import Clock
from voxpilot.runtime.shared.services import Services
from voxpilot.runtime.shared.start_queue import Starts
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.runtime.turns import turn
from voxpilot.runtime.upkeep import Upkeep
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.across_chats.trusted_folders import list_folders, remove_folder
from voxpilot.storage.chats import chat_list, folds
from voxpilot.storage.chats import ledger as ledgers
from voxpilot.storage.chats.deleting import deletion_begun, mark_deleted
from voxpilot.storage.chats.event_log import Recorded
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.chats.replies import find_reply
from voxpilot.storage.database.rows import Process
from voxpilot.storage.database.sqlite import Database
from voxpilot.workspace.file_search import FileSearch

log = logging.getLogger(__name__)
CANCEL_SECONDS = 3.0
STOP_SECONDS = 6.0
RELEASE_SECONDS = 1.0
LONG_FOLD = 5_000
"""Events beyond which a chat is read by threads for long reads."""
_TELLING = frozenset({"turn-started", "turn-ended", "question", "answer", "chat-info", "message"})
"""Kinds of events that change a chat's entry in the list."""


class Supervisor:
    """Use as `async with`; leaving the block leaves agents to their keepers."""

    def __init__(
        self,
        db: Database,
        live: LiveSettings,
        catalog: Catalog,
        clock: Clock | None = None,
        link: type[KeeperLink] = KeeperLink,
    ) -> None:
        starts = Starts(lambda: live.now.concurrent_starts)
        self.services = Services(db, live, catalog, clock or Clock(), self._chat_changed, starts, link)
        self.accepting = Accepting(self.services)
        self.feed = Feed()
        self.file_search = FileSearch()
        self._background = Background("the supervisor")
        self._awake: dict[str, LiveChat] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._recovering: asyncio.Task[None] | None = None
        self._upkeep = Upkeep(self.services, self.accepting, self._let_sleep)
        self._deleting: dict[str, asyncio.Task[None]] = {}
        self._moving: dict[str, asyncio.Task[None]] = {}
        """Chats that are just waking up or falling asleep."""
        self._creating = asyncio.Lock()
        self._winding_down = False
        """The agents are being ended: nothing new starts."""
        self._closing = False

    async def __aenter__(self) -> Supervisor:
        self.services.settings.keepers.mkdir(mode=0o700, exist_ok=True)
        await self.accepting.learn()
        recovery = Recovery(self.services, self, self._background)
        self._recovering = self._background.start(recovery.run())
        loop = asyncio.get_running_loop()
        self.services.live.on_change.append(lambda: loop.call_soon_threadsafe(self._settings_changed))
        self.services.catalog.consents.on_change.append(self._settings_changed)
        self._upkeep.start()
        # The first agent start finds it finished, or waits for the rest.
        loop.run_in_executor(None, self.services.catalog.learn_path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        await self._upkeep.end()
        await self.file_search.close()
        if self._recovering is not None:
            self._recovering.cancel()
        await asyncio.gather(*self._moving.values(), return_exceptions=True)
        for chat in self._awake.values():
            await chat.close()
        await asyncio.gather(*self._workers.values(), return_exceptions=True)
        await self._background.end()

    async def chat(self, chat_id: str) -> LiveChat:
        """The awake chat of this id; raises NotFound."""
        while True:
            if self._closing:
                raise ShuttingDown
            if (chat := self._awake.get(chat_id)) is not None:
                chat.touched_at = self.services.clock.now()
                return chat
            if (moving := self._moving.get(chat_id)) is None:
                moving = self._move(chat_id, self._load(chat_id))
            await asyncio.shield(moving)

    def is_awake(self, chat_id: str) -> bool:
        return chat_id in self._awake

    def live_ids(self) -> set[str]:
        """The processes of all awake chats."""
        return {process.id for chat in self._awake.values() for process in chat.ledger.all(Process)}

    def held_bytes(self) -> int:
        """About how much the open messages of all chats take in memory; chats that have any are awake."""
        return sum(turn.held_bytes(chat.ledger) for chat in self._awake.values())

    def _move(self, chat_id: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Load or unload one chat; callers that want it in the meantime wait until that is done."""
        task = self._moving[chat_id] = self._background.start(work, is_awaited=True)
        task.add_done_callback(lambda _: self._moving.pop(chat_id))
        return task

    async def _load(self, chat_id: str) -> None:
        self._let_sleep()
        db = self.services.db
        is_long = await db.read(lambda db: folds.to_fold(db, chat_id)) > LONG_FOLD
        ledger = await db.read(lambda db: ledgers.load(db, chat_id), is_long=is_long)
        if not self._closing:
            self._wake(ledger)

    async def create(self, spec: ChatSpec, key: str | None) -> str:
        """Create a chat; returns its id. The same key creates only one chat."""
        spec = await create_chat.checked(self.services, spec)
        async with self._creating:
            if key is not None and (stored := await find_reply(self.services.db, key)) is not None:
                return str(stored["id"])
            await create_chat.check_unused(self.services, spec)
            ledger = create_chat.new_ledger(spec, key, self.services.clock.now(), self.services.clock.shift())
            await self.services.db.commit(ledger.take(self.services.clock.now()).batch)
            chat_id = ledger.chat.id
            self.feed.changed(chat_id)
            return (await self.chat(chat_id)).id  # somebody else may be opening it already

    def default_workspace(self, agent: str | None) -> str:
        """The folder of a chat that names none."""
        settings = self.services.settings
        if agent is None or not self.services.catalog.describe(agent).scratch:
            return str(settings.work_dir)
        folder = settings.data_dir / "scratch" / agent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(folder)

    async def delete(self, chat_id: str) -> None:
        """Close the chat's sessions, end its agents, and delete it; only once, even if requested twice."""
        if (deleting := self._deleting.get(chat_id)) is None:
            deleting = self._background.start(self._delete(chat_id), is_awaited=True)
            self._deleting[chat_id] = deleting
            deleting.add_done_callback(lambda _: self._deleting.pop(chat_id, None))
        await asyncio.shield(deleting)

    async def _delete(self, chat_id: str) -> None:
        chat = await self.chat(chat_id)
        await chat.do(_begin_deletion)
        reach("before-deletion")
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await chat.until(lambda ledger: not ledger.all(Process))
        except TimeoutError:
            log.warning("agents of a deleted chat are slow to end: chat=%s", chat_id)
        processes = await chat_list.processes_of(self.services.db, chat_id)
        await mark_deleted(self.services.db, chat_id)
        self._upkeep.has_deleted.set()
        # The chat is deleted, whatever fails now: the next start ends agents that are left.
        reach("after-deletion")
        self._awake.pop(chat_id, None)
        chat.is_deleted = True
        await chat.close()
        if (worker := self._workers.pop(chat_id, None)) is not None:
            await asyncio.gather(worker, return_exceptions=True)
        self.feed.removed(chat_id)
        unended = {process.id for process in chat.ledger.all(Process)}
        for folder in (self.services.settings.keepers / process_id for process_id in processes):
            try:
                if folder.name in unended or folder.exists():
                    await end_keeper(folder)
            except Exception:
                log.exception("an agent of a deleted chat could not be ended: process=%s", folder.name)

    async def distrust(self, path: str) -> None:
        """Remove a folder from the trusted ones; its chats ask again before they start an agent."""
        async with self._creating:
            found = [folder for folder in await list_folders(self.services.db) if folder.path == path]
            if not found:
                raise NotFound(
                    "This folder is not in the list of trusted folders.",
                    "It may be listed in the settings file.",
                )
            await remove_folder(self.services.db, found[0])
            self.services.catalog.consents.removed(found[0])

    async def stop_agents(self) -> None:
        """Before the final exit: cancel every turn, then end every agent."""
        self._winding_down = True
        if self._recovering is not None:
            await _bounded(STOP_SECONDS, [self._recovering])
        awake = list(self._awake.values())
        for chat in awake:
            chat.winding_down = True
        await _bounded(STOP_SECONDS, [chat.do(_cancel_all) for chat in awake])
        await _bounded(CANCEL_SECONDS, [chat.until(_nothing_runs) for chat in awake])
        await _bounded(STOP_SECONDS, [chat.do(_end_agents) for chat in awake])
        await _bounded(STOP_SECONDS, [chat.until(lambda ledger: not ledger.all(Process)) for chat in awake])
        await _bounded(RELEASE_SECONDS, [chat.released() for chat in awake])
        # What is left belongs to a chat that could not be woken, or did not stop when told.
        await _bounded(STOP_SECONDS, [end_keeper(folder) for folder in keepers_of(self.services)])

    def _wake(self, ledger: Ledger) -> None:
        assert ledger.chat.id not in self._awake, "two workers would change one chat"
        chat = LiveChat(self.services, ledger)
        chat.winding_down = self._winding_down
        self._awake[chat.id] = chat
        self._workers[chat.id] = self._background.start(chat.run())

    def _let_sleep(self) -> None:
        """Unload chats that nobody uses; everything about them is in their rows."""
        self.file_search.drop_idle()
        sleepy = memory.unused(list(self._awake.values()), self.services.clock.now())
        for chat in sleepy:
            self._put_to_sleep(cast(LiveChat, chat))
        if memory.hold_less(list(self._awake.values())) or sleepy:
            asyncio.get_running_loop().call_later(1.0, self._give_back)

    def _give_back(self) -> None:
        asyncio.get_running_loop().run_in_executor(None, memory.give_back)

    def _put_to_sleep(self, chat: LiveChat) -> None:
        del self._awake[chat.id]
        worker = self._workers.pop(chat.id)

        async def close() -> None:
            await chat.close()
            await worker

        self._move(chat.id, close())

    def _chat_changed(self, chat_id: str, events: list[Recorded]) -> None:
        if any(event.kind in _TELLING for event in events):
            self.feed.changed(chat_id)

    def _settings_changed(self) -> None:
        for chat in self._awake.values():
            chat.nudge()


def _cancel_all(ledger: Ledger, now: float) -> Json:
    """Stop running turns and drop nothing: queued messages wait for the next start."""
    if turn.running(ledger) is not None:
        turn.cancel(ledger, now)
    return {}


def _end_agents(ledger: Ledger, now: float) -> Json:
    for process in ledger.all(Process):
        stop_process(ledger, process, at_once=False)
    return {}


def _begin_deletion(ledger: Ledger, now: float) -> Json:
    """Stop all work here and keep the requests: a restart finishes them."""
    ledger.save(deletion_begun(ledger.chat.id, now))
    for waiting in turn.queued(ledger):
        turn.remove(ledger, waiting.message_id, now)
    if turn.running(ledger) is not None:
        turn.cancel(ledger, now)
    for process in ledger.all(Process):
        stopping.end(ledger, process, now)
    return {}


def _nothing_runs(ledger: Ledger) -> bool:
    return turn.running(ledger) is None


async def _bounded(limit: float, waits: Sequence[Awaitable[object]]) -> None:
    try:
        async with asyncio.timeout(limit):
            await asyncio.gather(*waits, return_exceptions=True)
    except TimeoutError:
        pass
