"""Creating a chat.

Lives here: who answers in it if nobody says so, and checking what it is to be. Lives elsewhere: making it
awake (supervisor.py).
"""

from __future__ import annotations

import asyncio
import os
import uuid
from dataclasses import replace
from pathlib import Path

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.chat.events import ChatInfoChanged
from voxpilot.chat.transcript import Transcript
from voxpilot.errors import Conflict, Invalid
from voxpilot.runtime.commands.restart_agent import wanted_session
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats import chat_list
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Chat, Reply
from voxpilot.threads import NotResponding, look_at
from voxpilot.values import dataclass

FOLDER_SECONDS = 3.0
"""How long a folder's disk may take to respond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSpec:
    workspace: str
    mode: str
    agent: str | None
    policy: str = "ask"
    name: str | None = None
    load: str | None = None
    """One of the agent's own sessions to start with."""
    directories: tuple[str, ...] = ()


def who_answers(
    catalog: Catalog, mode: str | None = None, agent: str | None = None
) -> tuple[str, str | None]:
    """The mode and the agent of a new chat: what is given, and the defaults for the rest.

    An agent that is named without a mode answers itself. Looks for programs, so it runs off the event loop.
    """
    if mode is None:
        mode = catalog.settings.interaction_mode_default if agent is None else "agent"
    return mode, catalog.default() if agent is None and mode == "agent" else agent


async def checked(services: Services, spec: ChatSpec) -> ChatSpec:
    """A new chat with the real paths of its folders; raises what is wrong with it."""
    if spec.mode == "agent" and spec.agent is None:
        raise Invalid("Agent mode needs an agent.", "Choose an agent from the list.")
    if spec.agent is not None:
        services.catalog.get(spec.agent)
    workspace, *directories = [await real_folder(path) for path in (spec.workspace, *spec.directories)]
    return replace(spec, workspace=workspace, directories=tuple(directories))


async def check_unused(services: Services, spec: ChatSpec) -> None:
    """One session of an agent is never driven from two chats."""
    if spec.load is None or spec.agent is None:
        return
    if (chat := await chat_list.chat_with_session(services.db, spec.agent, spec.load)) is not None:
        raise Conflict("This session is open in another chat.", f"Continue it in chat {chat}.")


def new_ledger(spec: ChatSpec, key: str | None, now: float, shift: float = 0.0) -> Ledger:
    row = Chat(
        id=uuid.uuid4().hex[:12],
        title="",
        workspace=spec.workspace,
        mode=spec.mode,
        agent=spec.agent,
        policy=spec.policy,
        name=spec.name,
        directories=spec.directories,
        created_at=now + shift,
        updated_at=now + shift,
    )
    ledger = Ledger(row, Transcript())
    ledger.show_by(shift)
    ledger.save(row)
    info = ChatInfoChanged(workspace=row.workspace, mode=row.mode, agent=row.agent, policy=row.policy)
    ledger.emit(info, now)
    if spec.load is not None and spec.agent is not None:
        ledger.save(wanted_session(ledger, spec.agent, now, spec.load))
    if key is not None:
        ledger.save(Reply(key=key, chat_id=row.id, reply={"id": row.id}, at=now))
    return ledger


async def real_folder(path: str) -> str:
    """Where a folder that a person chose really is.

    From now on only that place is used: replacing the folder with a link must not move the chat.
    """
    folder = Path(path)
    try:
        async with asyncio.timeout(FOLDER_SECONDS):
            is_there = folder.is_absolute() and await look_at(path, folder.is_dir)
            real = await look_at(path, lambda: os.path.realpath(folder)) if is_there else ""
    except TimeoutError:
        raise NotResponding(path) from None
    if not is_there:
        raise Invalid(f"The folder {path} does not exist.", "Enter the absolute path of an existing folder.")
    return real
