"""What goes along with the next message of a chat, to be shown.

Lives elsewhere: reading it for a message (gather.py).
"""

from __future__ import annotations

import os

from voxpilot.chat.events import Json
from voxpilot.runtime.context.gather import project_file
from voxpilot.runtime.context.needs import PROJECT_FILES
from voxpilot.runtime.context.skills_in_use import skills_in_use
from voxpilot.runtime.shared.services import Services


async def in_effect(services: Services, workspace: str) -> Json:
    """The skills and instructions of a workspace."""
    found = await skills_in_use(services, workspace)
    index = found.index()
    instructions, left_out = await _instructions(services, workspace)
    over = [{"what": what, "why": why} for what, why in (*found.problems, *index.left_out)]
    return {
        "skills_folder": found.folder.path,
        "skills": sum(skill.problem is None for skill in found.all),
        "always": [skill.name for skill in found.all if skill.always_active],
        "instructions": instructions,
        "left_out": [*over, *left_out],
    }


async def _instructions(services: Services, workspace: str) -> tuple[list[Json], list[Json]]:
    settings = services.settings
    found: list[Json] = []
    left_out: list[Json] = []
    if own := settings.instructions.strip():
        applies = "both" if settings.prepend_instructions else "assistant"
        found.append({"source": "personal", "path": None, "bytes": len(own.encode()), "applies": applies})
    for name in PROJECT_FILES if settings.project_instructions else ():
        text, why = await project_file(workspace, name)
        if why:
            left_out.append({"what": name, "why": why})
        if text:
            path = os.path.join(workspace, name)
            size = len(text.encode())
            found.append({"source": name, "path": path, "bytes": size, "applies": "assistant"})
    return found, left_out
