"""Routes for skills.

Lives here: listing them, reading one, switching one on or off, suggesting some, and what goes along with a
chat's next message. Lives elsewhere: the skills (runtime/context/).
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from voxpilot.chat.events import Json
from voxpilot.runtime.commands.known_folder import known_folder
from voxpilot.runtime.context.in_effect import in_effect
from voxpilot.runtime.context.skills_in_use import skills_in_use
from voxpilot.runtime.context.suggesting import suggest
from voxpilot.storage.across_chats.skill_choices import SkillChoice, choose
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.context_bodies import (
    ContextInfo,
    Skills,
    SkillsWanted,
    SkillSwitch,
    SkillText,
    SuggestedSkills,
)
from voxpilot.workspace.skill_index import FULL_BYTES, INDEX_BYTES

_PREVIEW_BYTES = 100_000
Asked = Annotated[str, Field(min_length=1, max_length=4096)]

router = Router("/api", "skills")


@router.get("/skills", model=Skills)
async def listed(workspace: Asked, sup: Sup) -> Json:
    return await _listed(sup, await known_folder(sup.services, workspace))


@router.get("/skills/text", model=SkillText)
async def text(workspace: Asked, id: Asked, sup: Sup) -> Json:
    """The beginning of a skill's file."""
    found = await skills_in_use(sup.services, await known_folder(sup.services, workspace))
    words, is_cut = await found.text(found.find(id).id, _PREVIEW_BYTES)
    return {"text": words, "is_cut": is_cut}


@router.put("/skills/always", model=Skills)
async def switch(body: SkillSwitch, sup: Sup) -> Json:
    """Send a skill in full with every message, or not, whatever its file says; a personal one everywhere."""
    folder = await known_folder(sup.services, body.workspace)
    skill = (await skills_in_use(sup.services, folder)).find(body.id)
    where = "" if skill.source == "personal" else folder
    row = SkillChoice(workspace=where, skill=skill.id, always=body.on, at=sup.services.clock.now())
    await choose(sup.services.db, row)
    return await _listed(sup, folder)


@router.post("/skills/suggestions", model=SuggestedSkills)
async def suggested(body: SkillsWanted, sup: Sup) -> Json:
    """Skills whose name, tags or description match the text, with the words that match; at most three."""
    found = await skills_in_use(sup.services, await known_folder(sup.services, body.workspace))
    fitting = await asyncio.to_thread(suggest, body.text, found.all)
    return {"skills": [{"id": one.skill.id, "name": one.skill.name, "why": list(one.why)} for one in fitting]}


@router.get("/chats/{chat_id}/context", model=ContextInfo)
async def context(chat_id: str, sup: Sup) -> Json:
    """What goes along with the next message: skills and instructions, and what does not fit."""
    return await in_effect(sup.services, (await sup.chat(chat_id)).ledger.chat)


async def _listed(sup: Sup, workspace: str) -> Json:
    found = await skills_in_use(sup.services, workspace)
    index = found.index()
    sent, over = await found.in_full(())
    left_out = [{"what": what, "why": why} for what, why in (*found.problems, *index.left_out)]
    return {
        "folder": found.folder.path,
        "exists": found.folder.exists,
        "personal_folder": found.personal.path,
        "skills": [
            {name: getattr(skill, name) for name in type(skill).__slots__} | {"tags": list(skill.tags)}
            for skill in found.all
        ],
        "index_bytes": index.bytes,
        "always_bytes": sum(len(one["text"].encode()) for one in sent),
        "budget_bytes": INDEX_BYTES + FULL_BYTES,
        "left_out": [*left_out, *over],
    }
