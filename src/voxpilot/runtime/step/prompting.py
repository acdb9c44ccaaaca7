"""The content of a task's prompt.

Lives here: whether everything that goes along was read, and showing what was. Lives elsewhere: reading it
(context/), the form that an agent accepts (agents/requests/assembling.py).
"""

from __future__ import annotations

from voxpilot.agents.installed.capabilities import abilities_of
from voxpilot.agents.requests.assembling import assemble
from voxpilot.chat import gathered
from voxpilot.chat.events import Json
from voxpilot.runtime.context import needs
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Process, Task, Turn


def waits(ledger: Ledger, task: Task) -> bool:
    """Whether something that goes along with the message is still being read."""
    current = ledger.get(Turn, task.turn)
    return current is not None and needs.waits(current)


def content(ledger: Ledger, current: Turn | None, task: Task, process: Process, now: float) -> list[Json]:
    """The blocks of the prompt; the chat shows what was sent along. A delegated task has no turn here."""
    along = gathered.read(current.context if current else None)
    found = assemble(task.text, task.attachments, along, abilities_of(process.initialized))
    if current is not None:
        sent = along.sent(current.id, current.message_id, found.files, found.left_out)
        if sent is not None:
            ledger.emit(sent, now)
    return found.blocks
