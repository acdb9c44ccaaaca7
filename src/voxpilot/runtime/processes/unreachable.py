"""Notices that an agent cannot be reached, and that it can be reached again.

Lives here: the notices, one each time; the row remembers the last one. Lives elsewhere: noticing and
repairing it (agents/wire/connection.py).
"""

from __future__ import annotations

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.wire.connection import KeeperLink
from voxpilot.chat.events import AgentStatusChanged, NoticeGiven
from voxpilot.errors import OutOfFiles, explained
from voxpilot.runtime.turns import tasks
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Process


def tell(ledger: Ledger, catalog: Catalog, process: Process, link: KeeperLink, now: float) -> None:
    detail = _trouble_with(link)
    is_unreachable = bool(detail)
    if process.unreachable == is_unreachable:
        return
    ledger.change(process, unreachable=is_unreachable)
    name = catalog.describe(process.agent).display_name
    task = tasks.behind(ledger, process.agent)
    turn = task.turn if task else None
    if is_unreachable:
        text = f"{name} cannot be reached. It may still be working."
        notice = NoticeGiven(level="warning", code="agent-unreachable", text=text, detail=detail, turn=turn)
        status = AgentStatusChanged(agent=process.agent, status="error", message=f"{name} cannot be reached.")
    else:
        text = f"{name} can be reached again."
        notice = NoticeGiven(level="info", code="agent-reachable", text=text, turn=turn)
        status = AgentStatusChanged(agent=process.agent, status="busy" if task else "connected")
    ledger.emit(notice, now)
    ledger.emit(status, now)


def is_lasting(error: OSError | None) -> bool:
    """Whether a journal cannot be read for a reason that may last; the limit of open files does not."""
    return error is not None and not isinstance(explained(error), OutOfFiles)


def _trouble_with(link: KeeperLink) -> str:
    """Why an agent cannot be reached; empty if it can be."""
    if link.unreachable:
        return (
            "Its background process is not responding. VoxPilot keeps trying to reach it. "
            "Press Stop to end both."
        )
    if link.unreadable is not None and is_lasting(link.unreadable):
        return (
            f"Its output cannot be read: {link.unreadable.strerror}. VoxPilot keeps trying to read it. "
            "Press Stop to end the agent."
        )
    return ""
