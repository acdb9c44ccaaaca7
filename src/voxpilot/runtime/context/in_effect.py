"""What goes along with the next message of a chat, to be shown.

Lives elsewhere: reading it for a message (gather.py).
"""

from __future__ import annotations

import os

from voxpilot.chat.events import Json
from voxpilot.runtime.context.gather import is_used, project_file
from voxpilot.runtime.context.needs import PROJECT_FILES
from voxpilot.runtime.context.skills_in_use import NOT_TRUSTED, skills_in_use
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.database.rows import Chat


async def in_effect(services: Services, chat: Chat) -> Json:
    """The skills and instructions of a chat, as they apply to its next message."""
    found = await skills_in_use(services, chat.workspace)
    if not (is_followed := is_used(services, chat.workspace, by_agent=chat.mode == "agent")):
        found = found.from_an_untrusted_folder()
    index = found.index()
    instructions, left_out = await _instructions(services, chat.workspace, is_followed)
    over = [{"what": what, "why": why} for what, why in (*found.problems, *index.left_out)]
    return {
        "skills_folder": found.folder.path,
        "skills": sum(skill.problem is None for skill in found.all),
        "always": [skill.name for skill in found.all if skill.always_active],
        "instructions": instructions,
        "left_out": [*over, *left_out],
    }


async def _instructions(
    services: Services, workspace: str, is_followed: bool
) -> tuple[list[Json], list[Json]]:
    settings = services.settings
    found: list[Json] = []
    left_out: list[Json] = []
    if own := settings.instructions.strip():
        applies = "both" if settings.prepend_instructions else "assistant"
        found.append({"source": "personal", "path": None, "bytes": len(own.encode()), "applies": applies})
    for name in PROJECT_FILES if settings.project_instructions else ():
        text, why = await project_file(workspace, name)
        if text and not is_followed:
            text, why = "", NOT_TRUSTED
        if why:
            left_out.append({"what": name, "why": why})
        if text:
            path = os.path.join(workspace, name)
            size = len(text.encode())
            found.append({"source": name, "path": path, "bytes": size, "applies": "assistant"})
    return found, left_out
