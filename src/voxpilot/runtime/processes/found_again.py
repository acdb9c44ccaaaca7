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
from voxpilot.storage.database.subjects import Prompt


class FoundAgain:
    def __init__(self, ledger: Ledger) -> None:
        # A chat with an agent at work is never unloaded, so an earlier server has left these.
        self._left = _working(ledger)
        self._is_told = False

    def tell(self, ledger: Ledger, links: Mapping[str, KeeperLink], now: float) -> None:
        """To be called before the journals are read, which may end the work."""
        if not self._left:
            return
        found = {id for id in self._left & _working(ledger) if id in links and links[id].has_agent}
        current = turn.running(ledger)
        self._is_told = bool(found) and current is not None
        if found and current is not None:
            text = "The server was restarted; the agent kept working."
            ledger.emit(NoticeGiven(level="info", code="recovered", text=text, turn=current.id), now)

    def stored(self) -> None:
        """The step is stored, and with it the notice, if there was one."""
        if self._is_told:
            self._left = frozenset()


def _working(ledger: Ledger) -> frozenset[str]:
    """The processes that have a prompt to answer."""
    return frozenset(r.process_id for r in ledger.all(Request) if isinstance(r.subject, Prompt))
