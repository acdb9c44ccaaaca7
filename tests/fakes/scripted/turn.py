"""One prompt being answered: what the directives can do.

Lives here: the session's updates, message ids, requests to the client.
Lives elsewhere: the script language (directives.py), the connection (agent.py).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from .options import Options
    from .wire import Wire

    class Connection(Protocol):
        """What a turn needs from the agent."""

        options: Options
        wire: Wire

        def request(self, method: str, params: dict[str, Any]) -> Reply: ...


class RpcError(Exception):
    """Answer the request with this error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class Reply:
    """The response to a request of ours, once it has arrived."""

    def __init__(self) -> None:
        self.frame: dict[str, Any] | None = None

    def has_come(self) -> bool:
        return self.frame is not None


class Session:
    """One conversation."""

    def __init__(
        self, session_id: str, cwd: str, history: list[tuple[str, str]], models: tuple[str, ...]
    ) -> None:
        self.id = session_id
        self.cwd = cwd
        self.history = history
        self.mode = "ask"
        self.models = models
        self.model = models[0]
        self.verbose = False
        self.turns: list[Turn] = []
        """The running turn first, then the waiting ones."""
        self.messages = 0


class Turn:
    """One prompt being answered."""

    def __init__(self, agent: Connection, session: Session, script: str) -> None:
        self.agent = agent
        self.session = session
        self.script = script
        self.stop_reason: str | None = None
        """Set when the script wants to end here."""
        self.late: list[str] = []
        """Said only after the prompt has been answered."""
        self.late_updates: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.last_result: dict[str, Any] = {}
        self._speaking: str | None = None

    def say(self, text: str) -> None:
        self.said.append(text)
        self.update(self.chunk("agent_message_chunk", text))

    def chunk(self, kind: str, text: str) -> dict[str, Any]:
        """A chunk of a message; the message continues until something else is sent."""
        if self._speaking != kind:
            self._speaking = kind
            self.session.messages += 1
        piece: dict[str, Any] = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
        if self.agent.options.message_ids:
            piece["messageId"] = f"{self.session.id}-m{self.session.messages}"
        return piece

    def update(self, update: dict[str, Any]) -> None:
        if not str(update.get("sessionUpdate")).endswith("_chunk"):
            self._speaking = None
        self.agent.wire.send(self.frame(update))

    def frame(self, update: dict[str, Any]) -> dict[str, Any]:
        params = {"sessionId": self.session.id, "update": update}
        return {"jsonrpc": "2.0", "method": "session/update", "params": params}

    def request(self, method: str, params: dict[str, Any]) -> Reply:
        return self.agent.request(method, {"sessionId": self.session.id, **params})
