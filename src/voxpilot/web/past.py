"""Routes of an agent's own history.

Lives here: from a request to the agent and back, and which chat has a session
already. Lives elsewhere: asking the agent (agents/past.py), opening a session
as a chat (chats.py).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from voxpilot.agents.agreed import is_agreed
from voxpilot.agents.past import Past
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict
from voxpilot.runtime.creating import check_folder
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.runtime.trust import untrusted
from voxpilot.storage import chats
from voxpilot.storage.trusted import list_folders
from voxpilot.web.agent_schemas import ForkedSession, ForkWish, PastSessions
from voxpilot.web.chats import Sup

router = APIRouter(prefix="/api/agents/{agent_id}/sessions", tags=["agents"])


@router.get("", response_model=PastSessions)
async def list_sessions(
    agent_id: str,
    sup: Sup,
    workspace: Annotated[str | None, Query(max_length=4096)] = None,
    cursor: Annotated[str | None, Query(max_length=4096)] = None,
) -> Json:
    """Starts the agent for as long as it takes to ask it."""
    found, following = await _past(sup, agent_id).sessions(sup.house.catalog.get(agent_id), workspace, cursor)
    ours = await chats.chats_with_sessions(sup.house.db, agent_id)
    listed = [{**asdict(session), "chat": ours.get(session.session_id)} for session in found]
    return {"sessions": listed, "next": following}


@router.post("/{session_id:path}/fork", status_code=201, response_model=ForkedSession)
async def fork(agent_id: str, session_id: str, body: ForkWish, sup: Sup) -> Json:
    """The agent opens the copy in the folder, so that must be trusted as for any other session."""
    agent = sup.house.catalog.get(agent_id)
    await check_folder(body.workspace)
    if untrusted([body.workspace], await list_folders(sup.house.db), sup.house.settings):
        raise Conflict(f"Nobody has trusted {body.workspace} yet.", "Send a message in a chat there first.")
    return {"session_id": await _past(sup, agent_id).fork(agent, session_id, body.workspace)}


@router.delete("/{session_id:path}", status_code=204)
async def delete(agent_id: str, session_id: str, sup: Sup) -> None:
    ours = await chats.chats_with_sessions(sup.house.db, agent_id)
    if session_id in ours:
        raise Conflict("A chat has this session open.", "Delete the chat first.")
    await _past(sup, agent_id).delete(sup.house.catalog.get(agent_id), session_id)


def _past(sup: Supervisor, agent_id: str) -> Past:
    settings = sup.house.settings
    if not is_agreed(sup.house.catalog, agent_id):
        raise Conflict("The agent's command has changed.", "Send it a message first; you are asked there.")
    return Past(sup.house.catalog, settings.keepers, settings.start_timeout)
