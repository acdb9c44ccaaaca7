"""Routes for diagnostics of a chat's agents: processes, frames, a report.

Lives here: from a request to what was found. Lives elsewhere: gathering and redacting it
(runtime/diagnostics.py).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from voxpilot.chat.events import Json
from voxpilot.errors import NotFound
from voxpilot.runtime import diagnostics
from voxpilot.runtime.diagnostics import MOST_FRAMES
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage.chats import chat_list
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.diagnostic_bodies import AgentProcesses, Frames, Report

router = Router("/api/chats/{chat_id}/diagnostics", "diagnostics")


@router.get("", model=AgentProcesses)
async def processes(chat_id: str, sup: Sup) -> Json:
    """The newest agent processes of a chat, with their error output, CPU and memory."""
    await _check(sup, chat_id)
    settings = sup.services.settings
    found = await diagnostics.look_at_chat(sup.services, chat_id)
    return {
        "frames_on": settings.acp_diagnostics,
        "texts_on": settings.acp_diagnostics_texts,
        "agents": [looked.told(sup.services) for looked in found],
    }


@router.get("/report", model=Report)
async def report(chat_id: str, sup: Sup) -> Json:
    """A report to read, copy or save. It contains no texts and no secrets, and is sent nowhere."""
    await _check(sup, chat_id)
    return {"text": await diagnostics.report(sup.services, chat_id)}


@router.get("/{process_id}/frames", model=Frames)
async def frames(
    chat_id: str,
    process_id: str,
    sup: Sup,
    limit: Annotated[int, Field(ge=1, le=MOST_FRAMES)] = 200,
) -> Json:
    """The newest frames, oldest first; 409 if the frame log is off."""
    await _check(sup, chat_id)
    log = await diagnostics.frames_of(sup.services, chat_id, process_id, limit)
    return {"frames": [asdict(frame) for frame in log.frames], "is_whole": log.is_whole}


async def _check(sup: Supervisor, chat_id: str) -> None:
    if await chat_list.summary(sup.services.db, chat_id) is None:
        raise NotFound("This chat does not exist.", "It may have been deleted.")
