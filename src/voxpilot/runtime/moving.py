"""A chat's folder: noticing that it is gone, and going to another one.

Lives here: both. Lives elsewhere: choosing the first folder (creating.py).
"""

from __future__ import annotations

import os

from voxpilot.chat.events import ChatInfoChanged, Json, NoticeGiven
from voxpilot.errors import Conflict, Invalid
from voxpilot.runtime import leaving, turn
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Session


def missing(ledger: Ledger) -> Json | None:
    """Why no agent can work in the chat's folder just now."""
    folder = ledger.chat.workspace
    if os.path.isdir(folder) and os.access(folder, os.X_OK):
        return None
    return {
        "message": f"The chat's folder {folder} is missing or may not be entered.",
        "hint": "Choose another folder for the chat, or bring this one back.",
        "code": "folder-missing",
    }


def move(ledger: Ledger, folder: str, now: float) -> None:
    """Work in another folder from now on; agents that run in the old one are ended, and their sessions."""
    if folder == ledger.chat.workspace:
        return
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        raise Invalid(f"There is no folder {folder}.", "Give the absolute path of a folder that exists.")
    if turn.running(ledger) is not None:
        raise Conflict("A turn is running in the chat's folder.", "Stop it, or wait for its end.")
    ledger.change(ledger.chat, workspace=folder)
    ledger.emit(ChatInfoChanged(workspace=folder), now)
    for process in ledger.all(Process):
        leaving.end(ledger, process, now)
    _begin_anew(ledger, now)


def _begin_anew(ledger: Ledger, now: float) -> None:
    """A session stays in the folder it was opened in, so those of the old one are not brought back."""
    known = ledger.all(Session)
    for session in known:
        loading = "quiet" if session.loading == "shown" else session.loading
        ledger.change(session, note=None, prompts=0, loading=loading)
    if any(session.acp_session_id for session in known):
        text = f"The chat has moved to {ledger.chat.workspace}. Its agents begin new sessions there."
        ledger.emit(NoticeGiven(level="info", code="moved", text=text), now)
