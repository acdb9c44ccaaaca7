"""Moving a chat to another folder.

Lives elsewhere: choosing the first folder (create_chat.py), whether a folder is there (shared/boundaries.py).
"""

from __future__ import annotations

import os

from voxpilot.chat.events import ChatInfoChanged, NoticeGiven
from voxpilot.errors import Conflict, Invalid
from voxpilot.runtime.processes import stopping
from voxpilot.runtime.turns import turn
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Process, Session
from voxpilot.threads import glance


def move(ledger: Ledger, folder: str, now: float) -> None:
    """Work in another folder from now on; agents that run in the old one are ended, and so are their
    sessions."""
    if folder == ledger.chat.workspace:
        return
    if not os.path.isabs(folder) or not glance(folder, lambda: os.path.isdir(folder), False):
        raise Invalid(
            f"The folder {folder} does not exist.", "Enter the absolute path of an existing folder."
        )
    if turn.running(ledger) is not None:
        raise Conflict("A turn is running in the chat's folder.", "Stop it or wait until it ends.")
    ledger.change(ledger.chat, workspace=folder)
    ledger.emit(ChatInfoChanged(workspace=folder), now)
    for process in ledger.all(Process):
        stopping.end(ledger, process, now)
    _begin_new_sessions(ledger, now)


def _begin_new_sessions(ledger: Ledger, now: float) -> None:
    """A session belongs to the folder it was opened in, so sessions of the old folder are not restored."""
    known = ledger.all(Session)
    for session in known:
        ledger.change(session, note=None, prompts=0, unseen=False)
    if any(session.acp_session_id for session in known):
        text = f"The chat was moved to {ledger.chat.workspace}. Its agents start new sessions there."
        ledger.emit(NoticeGiven(level="info", code="moved", text=text), now)
