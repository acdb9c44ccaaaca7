"""What an agent may send to its client and request from it.

Lives here: updates, permissions and forms. Lives elsewhere: the transport (peer.py).
"""

from __future__ import annotations

from typing import Any

from voxpilot.agents.demo.protocol.peer import Json, Peer, RpcError

PERMISSION_OPTIONS = {
    "allow_once": "Allow once",
    "allow_always": "Always allow in this chat",
    "reject_once": "Reject",
}
"""The kind of each option, which is also its id, and its label."""


class TurnCancelled(Exception):
    """The person stopped the turn instead of answering."""


class Client:
    def __init__(self, peer: Peer) -> None:
        self.capabilities: Json = {}
        """What the client announced in `initialize`."""
        self._peer = peer

    @property
    def shows_forms(self) -> bool:
        match self.capabilities:
            case {"elicitation": {"form": dict()}}:
                return True
        return False

    def update(self, session_id: str, update: Json) -> None:
        self._peer.notify("session/update", {"sessionId": session_id, "update": update})

    async def ask_permission(self, session_id: str, call: Json) -> str:
        """The kind of option the person chose. Anything but a clear yes means no."""
        options = [
            {"optionId": kind, "kind": kind, "name": name} for kind, name in PERMISSION_OPTIONS.items()
        ]
        params = {"sessionId": session_id, "toolCall": call, "options": options}
        match await self._ask("session/request_permission", params):
            case {"outcome": {"outcome": "cancelled"}}:
                raise TurnCancelled
            case {"outcome": {"outcome": "selected", "optionId": str(kind)}} if kind in PERMISSION_OPTIONS:
                return kind
        return "reject_once"

    async def fill_in(self, session_id: str, message: str, schema: Json) -> Json | None:
        """What the person entered, or None. Only for a client that shows forms."""
        params = {"sessionId": session_id, "mode": "form", "message": message, "requestedSchema": schema}
        match await self._ask("elicitation/create", params):
            case {"action": "accept", "content": dict(content)}:
                return content
        return None

    async def _ask(self, method: str, params: Json) -> Any:
        try:
            return await self._peer.request(method, params)
        except RpcError:
            return None
