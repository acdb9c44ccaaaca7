"""Whether something has to be read before a turn's message is sent.

Lives here: that decision, once for each turn, and marking the turn. Most messages need nothing and are sent
in the same step. Lives elsewhere: reading it (gathering.py, gather.py).
"""

from __future__ import annotations

import os

from voxpilot.assistant import attachments
from voxpilot.chat.events import Json
from voxpilot.chat.gathered import DUE, Gathered, is_due
from voxpilot.chat.references import is_reference, is_upload
from voxpilot.settings import Settings
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Turn
from voxpilot.threads import glance

PROJECT_FILES = ("AGENTS.md", "VOXPILOT.md")
"""Instructions for the assistant, in the workspace."""


def begin(ledger: Ledger, settings: Settings, own_skills: str, turn: Turn, now: float) -> Turn:
    """Decide what a turn needs that has just started. `own_skills` is the person's own folder of them."""
    if any(is_reference(one) or is_upload(one) for one in turn.attachments) or _has_files(
        ledger, settings, own_skills, turn
    ):
        return ledger.change(turn, context=DUE)
    if instructions := personal_instructions(settings, for_agent=bool(turn.agent)):
        return keep(ledger, turn, Gathered(instructions=instructions), now)
    return turn


def keep(ledger: Ledger, turn: Turn, found: Gathered, now: float) -> Turn:
    """Keep what goes along with the turn, and show what the assistant gets of it.

    What an agent gets depends on what it accepts, so that is shown when its prompt is sent.
    """
    if not turn.agent:
        files, left_out = attachments.sent(turn.attachments, found)
        if (event := found.sent(turn.id, turn.message_id, files, left_out)) is not None:
            ledger.emit(event, now)
    return ledger.change(turn, context=found.as_json())


def waits(turn: Turn) -> bool:
    """Whether its message cannot be sent yet."""
    return is_due(turn.context)


def personal_instructions(settings: Settings, for_agent: bool) -> tuple[Json, ...]:
    """The person's own instructions, if they go to this side."""
    text = settings.instructions.strip()
    if not text or (for_agent and not settings.prepend_instructions):
        return ()
    return ({"source": "personal", "text": text},)


def _has_files(ledger: Ledger, settings: Settings, own: str, turn: Turn) -> bool:
    """Whether there are skills, or instructions of the project, as far as a short look tells."""
    workspace = ledger.chat.workspace
    names = [settings.acp_skills_folder_path.strip("/")]
    if not turn.agent and settings.project_instructions:
        names += PROJECT_FILES
    paths = [os.path.join(workspace, name) for name in names if name]
    return _exists(workspace, paths) or _exists(own, [own])


def _exists(place: str, paths: list[str]) -> bool:
    return glance(place, lambda: any(map(os.path.exists, paths)), True)
