"""All chats that are awake, and who wakes them.

Lives here: waking, creating and deleting chats, the sweep at start-up, and the
two ways to leave: with agents stopped, or with agents left working. Lives
elsewhere: one awake chat (live_chat.py).
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from voxpilot.agents.agreed import as_agreed
from voxpilot.agents.catalog import Catalog
from voxpilot.chat.events import Json, NoticeGiven
from voxpilot.errors import NotFound, ShuttingDown
from voxpilot.keeper.attach import attach
from voxpilot.keeper.reaching import KeeperGone, is_kept
from voxpilot.keeper.sweep import end_tree
from voxpilot.killpoints import reach
from voxpilot.runtime import agreeing, creating, leaving, tasks, turn
from voxpilot.runtime.clock import Clock
from voxpilot.runtime.creating import NewChatWish
from voxpilot.runtime.feed import Feed
from voxpilot.runtime.house import House
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.runtime.starts import Starts
from voxpilot.settings.live import LiveSettings
from voxpilot.storage import chats
from voxpilot.storage import ledger as ledgers
from voxpilot.storage.agreed import list_agreed, note_agreed
from voxpilot.storage.database import Database
from voxpilot.storage.event_log import Recorded
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.replies import drop_replies, find_reply
from voxpilot.storage.rows import Process, TrustedFolder, Turn
from voxpilot.storage.trusted import list_folders, remove_folder

log = logging.getLogger(__name__)
CANCEL_SECONDS = 3.0
STOP_SECONDS = 6.0
RELEASE_SECONDS = 1.0
AWAKE_LIMIT = 32
SLEEP_SECONDS = 60.0
SETTINGS_SECONDS = 1.0
TIDY_SECONDS = 3600.0
KEY_SECONDS = 7 * 86_400.0
"""How long a request may be sent again under its key."""
_TELLING = frozenset({"turn-started", "turn-ended", "question", "answer", "chat-info", "message"})
"""Kinds of events that change how a chat stands in the list."""


class Supervisor:
    """Use as `async with`; leaving the block leaves agents to their keepers."""

    def __init__(
        self, db: Database, live: LiveSettings, catalog: Catalog, clock: Clock | None = None
    ) -> None:
        starts = Starts(lambda: live.now.concurrent_starts)
        self.house = House(db, live, catalog, clock or Clock(), self._chat_changed, starts)
        self.feed = Feed()
        self._awake: dict[str, LiveChat] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._sweeping: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._tidying: asyncio.Task[None] | None = None
        self._waking = asyncio.Lock()
        self._closing = False

    async def __aenter__(self) -> Supervisor:
        self.house.settings.keepers.mkdir(mode=0o700, exist_ok=True)
        agreed = await list_agreed(self.house.db)
        self.house.catalog.agreed.update({row.agent: row for row in agreed})
        self._sweeping = asyncio.create_task(self._sweep())
        self._sweeping.add_done_callback(_log_failure)
        loop = asyncio.get_running_loop()
        self.house.live.on_change.append(lambda: loop.call_soon_threadsafe(self._settings_changed))
        self._watching = asyncio.create_task(self._watch_settings())
        self._tidying = asyncio.create_task(self._tidy())
        # Whoever starts the first agent finds it done, or waits for the rest of it.
        loop.run_in_executor(None, self.house.catalog.learn_path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        for task in (self._sweeping, self._watching, self._tidying):
            if task is not None:
                task.cancel()
        for chat in self._awake.values():
            await chat.close()
        await asyncio.gather(*self._workers.values(), return_exceptions=True)

    async def chat(self, chat_id: str) -> LiveChat:
        """The awake chat of this id; raises NotFound."""
        async with self._waking:
            if self._closing:
                raise ShuttingDown
            if (chat := self._awake.get(chat_id)) is not None:
                chat.touched_at = self.house.clock.now()
                return chat
            await self._let_sleep()
            ledger = await self.house.db.read(lambda db: ledgers.load(db, chat_id))
            return self._wake(ledger)

    async def create(self, wish: NewChatWish, key: str | None) -> str:
        """Make a chat; returns its id. The same key makes one chat only."""
        await creating.check(self.house, wish)
        async with self._waking:
            if key is not None and (stored := await find_reply(self.house.db, key)) is not None:
                return str(stored["id"])
            await creating.check_unused(self.house, wish)
            ledger = creating.new_ledger(wish, key, self.house.clock.now())
            await self.house.db.commit(ledger.take(self.house.clock.now()).batch)
            chat_id = ledger.chat.id
            self.feed.changed(chat_id)
            return self._wake(await self.house.db.read(lambda db: ledgers.load(db, chat_id))).id

    def default_workspace(self, agent: str | None) -> str:
        """Where a chat works that names no folder."""
        settings = self.house.settings
        if agent is None or not self.house.catalog.describe(agent).scratch:
            return str(settings.work_dir)
        folder = settings.data_dir / "scratch" / agent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(folder)

    async def delete(self, chat_id: str) -> None:
        """Have the chat's agents close its sessions, end them, and forget it."""
        chat = await self.chat(chat_id)
        await chat.do(_stop_agents)
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await chat.until(lambda ledger: not ledger.all(Process))
        except TimeoutError:
            log.warning("agents of a deleted chat are slow to end: chat=%s", chat_id)
        processes = await chats.processes_of(self.house.db, chat_id)
        await chats.delete_chat(self.house.db, chat_id)
        self._awake.pop(chat_id, None)
        await chat.close()
        if (worker := self._workers.pop(chat_id, None)) is not None:
            await asyncio.gather(worker, return_exceptions=True)
        self.feed.removed(chat_id)
        for process_id in processes:
            await _end_keeper(self.house.settings.keepers / process_id)

    async def distrust(self, path: str) -> None:
        """Nobody vouches for this folder any more; its chats ask again before they start an agent."""
        async with self._waking:
            found = [folder for folder in await list_folders(self.house.db) if folder.path == path]
            if not found:
                raise NotFound("This folder was not trusted on a card.", "It may be one of the settings.")
            await remove_folder(self.house.db, found[0])
            for chat in self._awake.values():
                chat.ledger.unlearn(found[0])

    async def agree_to(self, agent: str) -> None:
        """A person has changed an agent here: that is how it is to be started."""
        row = as_agreed(self.house.catalog, agent, self.house.clock.now())
        await note_agreed(self.house.db, row)
        self.house.catalog.agreed[agent] = row

    async def stop_agents(self) -> None:
        """Before leaving for good: cancel every turn, then end every agent."""
        if self._sweeping is not None:
            await asyncio.gather(self._sweeping, return_exceptions=True)
        awake = list(self._awake.values())
        for chat in awake:
            chat.winding_down = True
        await asyncio.gather(*(chat.do(_cancel_all) for chat in awake), return_exceptions=True)
        await _bounded(CANCEL_SECONDS, [chat.until(_nothing_runs) for chat in awake])
        await asyncio.gather(*(chat.do(_end_agents) for chat in awake), return_exceptions=True)
        await _bounded(STOP_SECONDS, [chat.until(lambda ledger: not ledger.all(Process)) for chat in awake])
        await _bounded(RELEASE_SECONDS, [chat.released() for chat in awake])
        # Whatever is left belongs to a chat that could not be woken, or did not go when it was told.
        left = list(self.house.settings.keepers.iterdir())
        await _bounded(STOP_SECONDS, [_end_keeper(folder) for folder in left])

    def _wake(self, ledger: Ledger) -> LiveChat:
        chat = LiveChat(self.house, ledger)
        self._awake[chat.id] = chat
        self._workers[chat.id] = asyncio.create_task(chat.run())
        return chat

    async def _let_sleep(self) -> None:
        """Forget chats that nobody uses; their rows are all there is to them."""
        if len(self._awake) < AWAKE_LIMIT:
            return
        before = self.house.clock.now() - SLEEP_SECONDS
        for chat in [c for c in self._awake.values() if c.touched_at < before and c.is_idle()]:
            del self._awake[chat.id]
            await chat.close()
            await self._workers.pop(chat.id)

    def _chat_changed(self, chat_id: str, events: list[Recorded]) -> None:
        if any(event.kind == "answer" for event in events) and chat_id in self._awake:
            self._spread_trust(self._awake[chat_id])
        if chat_id in self._awake and agreeing.stored(self._awake[chat_id].ledger, self.house.catalog):
            self._settings_changed()  # others may have asked the same
        if any(event.kind in _TELLING for event in events):
            self.feed.changed(chat_id)

    async def _watch_settings(self) -> None:
        """Notice when somebody edits the settings file."""
        while True:
            await asyncio.sleep(SETTINGS_SECONDS)
            self.house.live.refresh()

    async def _tidy(self) -> None:
        """Now and every hour: drop what nobody needs any more."""
        while True:
            try:
                await drop_replies(self.house.db, self.house.clock.now() - KEY_SECONDS)
            except Exception:
                log.exception("old keys could not be dropped")
            await asyncio.sleep(TIDY_SECONDS)

    def _settings_changed(self) -> None:
        for chat in self._awake.values():
            chat.nudge()

    def _spread_trust(self, chat: LiveChat) -> None:
        """A folder trusted in one chat is trusted in all."""
        for other in self._awake.values():
            if other is not chat:
                other.learn(chat.ledger.all(TrustedFolder))

    async def _sweep(self) -> None:
        """Find the agents that worked on without us, and end what belongs to no chat."""
        live = await chats.live_processes(self.house.db)
        for process in [process for process in live if process.state == "starting"]:
            self.house.starts.began(process.id)
        kept = {process.id for process in live}
        for chat_id in await chats.chats_to_wake(self.house.db):
            reach("mid-sweep")
            try:
                chat = await self.chat(chat_id)
                if any(turn.state == "running" for turn in chat.ledger.all(Turn)):
                    await chat.do(_note_recovery)
            except NotFound:
                continue
            except Exception:
                log.exception("a chat could not be woken: chat=%s", chat_id)
        for folder in self.house.settings.keepers.iterdir():
            if folder.name not in kept and folder.name not in self._live_ids():
                try:
                    await _end_keeper(folder)
                except Exception:
                    log.exception("a stray could not be ended: %s", folder.name)

    def _live_ids(self) -> set[str]:
        return {process.id for chat in self._awake.values() for process in chat.ledger.all(Process)}


def _note_recovery(ledger: Ledger, now: float) -> Json:
    current = turn.running(ledger)
    if current is not None and any(tasks.prompt_request(ledger, t) for t in tasks.of_turn(ledger, current)):
        text = "The server was restarted; the agent worked on."
        ledger.emit(NoticeGiven(level="info", code="recovered", text=text, turn=current.id), now)
    return {}


def _cancel_all(ledger: Ledger, now: float) -> Json:
    """Stop what runs and drop nothing: queued messages wait for the next start."""
    if turn.running(ledger) is not None:
        turn.cancel(ledger, now)
    return {}


def _end_agents(ledger: Ledger, now: float) -> Json:
    for process in ledger.all(Process):
        ledger.change(process, state="stopping")
    return {}


def _stop_agents(ledger: Ledger, now: float) -> Json:
    for waiting in turn.queued(ledger):
        turn.remove(ledger, waiting.message_id, now)
    if turn.running(ledger) is not None:
        turn.cancel(ledger, now)
    for process in ledger.all(Process):
        leaving.end(ledger, process, now)
    return {}


def _nothing_runs(ledger: Ledger) -> bool:
    return turn.running(ledger) is None


async def _bounded(limit: float, waits: list[Coroutine[Any, Any, None]]) -> None:
    try:
        async with asyncio.timeout(limit):
            await asyncio.gather(*waits, return_exceptions=True)
    except TimeoutError:
        pass


async def _end_keeper(folder: Path) -> None:
    """End whatever runs there and remove the folder."""
    while is_kept(folder):
        try:
            attachment = await attach(folder)
        except KeeperGone:
            await asyncio.sleep(0.05)
            continue
        attachment.kill()
        while await attachment.grown_past(attachment.end):
            pass
        await attachment.close()
    await asyncio.to_thread(end_tree, folder)
    await asyncio.to_thread(shutil.rmtree, folder, True)


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the sweep at start-up failed", exc_info=error)
