"""Routes for an agent's own sessions.

Lives here: from a request to the agent and back, and which chat already has a session. Lives elsewhere:
asking the agent (agents/probe/agent_sessions.py), opening a session as a chat (chats.py).
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from voxpilot.agents.installed.approved_commands import is_agreed
from voxpilot.agents.probe.agent_sessions import Past, PastSession
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict
from voxpilot.runtime.commands.create_chat import real_folder
from voxpilot.runtime.processes.trust import untrusted
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage.across_chats.trusted_folders import list_folders
from voxpilot.storage.chats import chat_list
from voxpilot.storage.chats.chat_list import KnownSession
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.agent_bodies import ForkedSession, ForkWish, PastSessions

router = Router("/api/agents/{agent_id}/sessions", "agents")


@router.get("", model=PastSessions)
async def list_sessions(
    agent_id: str,
    sup: Sup,
    workspace: Annotated[str | None, Field(max_length=4096)] = None,
    cursor: Annotated[str | None, Field(max_length=4096)] = None,
) -> Json:
    """Starts the agent just for this request."""
    found, following = await _past(sup, agent_id).sessions(
        sup.services.catalog.get(agent_id), workspace, cursor
    )
    ours = await chat_list.known_sessions(sup.services.db, agent_id)
    listed = [_shown(session, ours.get(session.session_id)) for session in found]
    return {"sessions": listed, "next": following}


@router.post("/{session_id:path}/fork", status=201, model=ForkedSession)
async def fork(agent_id: str, session_id: str, body: ForkWish, sup: Sup) -> Json:
    """The agent opens the copy in the folder, so the folder must be trusted, as for any other session."""
    agent = sup.services.catalog.get(agent_id)
    folder = await real_folder(body.workspace)
    if untrusted([folder], await list_folders(sup.services.db), sup.services.settings):
        raise Conflict(
            f"{body.workspace} is not trusted yet.",
            "Send a message in a chat in this folder. VoxPilot then asks whether you trust it.",
        )
    return {"session_id": await _past(sup, agent_id).fork(agent, session_id, folder)}


@router.delete("/{session_id:path}", status=204)
async def delete(agent_id: str, session_id: str, sup: Sup) -> None:
    ours = await chat_list.known_sessions(sup.services.db, agent_id)
    if session_id in ours:
        raise Conflict("This session is open in a chat.", "Delete the chat first.")
    await _past(sup, agent_id).delete(sup.services.catalog.get(agent_id), session_id)


def _shown(session: PastSession, ours: KnownSession | None) -> Json:
    """What the agent says about a session; we fill in what it does not say."""
    if ours is None:
        return {**asdict(session), "chat": None}
    used = datetime.fromtimestamp(ours.used_at, UTC).isoformat(timespec="seconds")
    updated = session.updated_at or used
    return {**asdict(session), "chat": ours.chat, "title": session.title or ours.title, "updated_at": updated}


def _past(sup: Supervisor, agent_id: str) -> Past:
    settings = sup.services.settings
    if not is_agreed(sup.services.catalog, agent_id):
        raise Conflict(
            "The agent's command has changed.",
            "Send the agent a message first. VoxPilot then asks you to approve the command.",
        )
    return Past(sup.services.catalog, settings.keepers, settings.start_timeout)
