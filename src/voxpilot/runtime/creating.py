"""A new chat: what one may be, and its first rows.

Lives here: checking what was wished for. Lives elsewhere: making it awake
(supervisor.py).
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from pathlib import Path

from voxpilot.chat.events import ChatInfoChanged
from voxpilot.chat.transcript import Transcript
from voxpilot.errors import Conflict, Invalid
from voxpilot.runtime.house import House
from voxpilot.runtime.restarting import wanted_session
from voxpilot.storage import chats
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Chat, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class NewChatWish:
    workspace: str
    mode: str
    agent: str | None
    policy: str = "ask"
    name: str | None = None
    load: str | None = None
    """A session of the agent's own history to begin with."""
    directories: tuple[str, ...] = ()


async def check(house: House, wish: NewChatWish) -> None:
    """Raises what is wrong with a wish."""
    if wish.mode == "agent" and wish.agent is None:
        raise Invalid("Agent mode needs an agent.", "Name one of the agents in the list.")
    if wish.agent is not None:
        house.catalog.get(wish.agent)
    for folder in (wish.workspace, *wish.directories):
        await check_folder(folder)


async def check_unused(house: House, wish: NewChatWish) -> None:
    """One session of an agent is never driven from two chats."""
    if wish.load is None or wish.agent is None:
        return
    if (chat := await chats.chat_with_session(house.db, wish.agent, wish.load)) is not None:
        raise Conflict("This session is open in another chat.", f"Go on there: chat {chat}.")


def new_ledger(wish: NewChatWish, key: str | None, now: float) -> Ledger:
    row = Chat(
        id=uuid.uuid4().hex[:12],
        title="",
        workspace=wish.workspace,
        mode=wish.mode,
        agent=wish.agent,
        policy=wish.policy,
        name=wish.name,
        directories=wish.directories,
        created_at=now,
        updated_at=now,
    )
    ledger = Ledger(row, Transcript())
    ledger.save(row)
    info = ChatInfoChanged(workspace=row.workspace, mode=row.mode, agent=row.agent, policy=row.policy)
    ledger.emit(info, now)
    if wish.load is not None and wish.agent is not None:
        ledger.save(wanted_session(ledger, wish.agent, now, wish.load))
    if key is not None:
        ledger.save(Reply(key=key, chat_id=row.id, reply={"id": row.id}, at=now))
    return ledger


async def check_folder(path: str) -> None:
    folder = Path(path)
    if not folder.is_absolute() or not await asyncio.to_thread(folder.is_dir):
        raise Invalid(f"There is no folder {path}.", "Give the absolute path of a folder that exists.")
