"""The notice that an agent kept working while the server was restarted.

Lives here: the agents that were working when the chat was loaded, and one notice once one of them is found.
Lives elsewhere: waking their chats (recovery.py), reconnecting (agents/wire/connection.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from voxpilot.agents.wire.connection import KeeperLink
from voxpilot.chat.events import NoticeGiven
from voxpilot.runtime.turns import turn
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import Process
from voxpilot.storage.database.subjects import Prompt


class FoundAgain:
    def __init__(self, ledger: Ledger) -> None:
        # A chat with an agent at work is never unloaded, so an earlier server has left these.
        self._left = _working(ledger)
        self._looked_at: frozenset[str] = frozenset()
        """Those that the current step has found, or knows to be gone."""

    def tell(self, ledger: Ledger, links: Mapping[str, KeeperLink], now: float) -> None:
        """To be called before the journals are read, which may end the work."""
        self._looked_at = frozenset(id for id in self._left if _is_decided(ledger, id, links.get(id)))
        if not self._looked_at:
            return
        current = turn.running(ledger)
        if current is not None and self._looked_at & _working(ledger):
            text = "The server was restarted; the agent kept working."
            ledger.emit(NoticeGiven(level="info", code="recovered", text=text, turn=current.id), now)
            self._looked_at = self._left

    def stored(self) -> None:
        """The step is stored, and with it the notice, if there was one."""
        self._left -= self._looked_at


def _is_decided(ledger: Ledger, process_id: str, link: KeeperLink | None) -> bool:
    return (link is not None and link.has_agent) or ledger.get(Process, process_id) is None


def _working(ledger: Ledger) -> frozenset[str]:
    """The processes that have a prompt to answer."""
    return frozenset(r.process_id for r in ledger.all(Request) if isinstance(r.subject, Prompt))
