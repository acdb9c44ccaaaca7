"""Where a chat's agents may work, according to the machine and the settings.

Lives here: the folders of a chat and our own, whether the chat's folder exists, and which calls need a
warning. Lives elsewhere: the rules (chat/permissions/decide.py).
"""

from __future__ import annotations

import os
from functools import cache, partial

from voxpilot.chat.events import Json
from voxpilot.chat.permissions import trees
from voxpilot.chat.permissions.decide import Boundaries, Reason, look, shell_after
from voxpilot.errors import Problem
from voxpilot.runtime.shared.looking_time import look_for
from voxpilot.settings import Settings, config_path
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Session, Turn
from voxpilot.threads import glance


def boundaries_of(ledger: Ledger, settings: Settings, session: Session | None) -> Boundaries:
    own = (str(settings.data_dir), str(config_path(os.environ)))
    return _boundaries(ledger, own, session, settings.acp_skills_folder_path.strip("/"))


def folder_missing(ledger: Ledger) -> Problem | None:
    """Why no agent can work in the chat's folder right now."""
    folder = ledger.chat.workspace
    for root in ledger.chat.roots:
        if (real := glance(root, partial(os.path.realpath, root), root)) != root:
            return Problem(
                f"The chat's folder {root} has been replaced with a symbolic link to {real}.",
                "If you want the chat to work there, choose that folder for it.",
                code="folder-missing",
            )
    state = glance(folder, lambda: "there" if _may_enter(folder) else "missing", "silent")
    if state == "there":
        return None
    if state == "silent":
        return Problem(
            f"The disk with the chat's folder {folder} is not responding.",
            "Send the message again when the disk responds, or choose another folder for the chat.",
            code="folder-missing",
        )
    return Problem(
        f"The chat's folder {folder} is missing or not accessible.",
        "Choose another folder for the chat, or restore this one.",
        code="folder-missing",
    )


def caution(ledger: Ledger, call: Json, session: Session | None, turn: Turn | None) -> Json:
    """Why a call needs attention, as fields for its question; none for most.

    `caution` warns of harm; `unclear` only says why a person has to approve it.
    """
    skills = Settings.model_fields["acp_skills_folder_path"].default
    looked = look(call, _boundaries(ledger, (), session, skills))
    if isinstance(looked, Reason):
        return {"caution" if looked.is_grave else "unclear": looked.words}
    if turn is not None and turn.unasked_left == 0 and looked.is_change:
        return {"unclear": "many changes have already been made in this turn without asking"}
    return {}


def shell_folders_after(ledger: Ledger, session: Session, call: Json) -> tuple[str, ...]:
    """Where the shell of a session may be after a call that was allowed."""
    return shell_after(call, _boundaries(ledger, (), session, ""))


def _boundaries(ledger: Ledger, own: tuple[str, ...], session: Session | None, skills: str) -> Boundaries:
    home = os.path.expanduser("~")
    shell_in = (session.shell_in or ()) if session is not None else ()
    this = look_for(ledger.chat.id)
    return Boundaries(
        roots=ledger.chat.roots,
        own=own,
        home=home,
        skills=skills,
        shell_in=shell_in,
        follow=this.timed(cache(real_path)),
        below=this.timed(trees.below),
        repository_of=this.timed(trees.repository_of),
    )


def real_path(path: str) -> str:
    """Where a path leads, with links resolved, whether or not it exists.

    An invalid path, or one whose disk does not respond, leads outside.
    """
    try:
        return glance(path, lambda: os.path.realpath(path), "/")
    except (OSError, ValueError):
        return "/"


def _may_enter(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)
