"""An agent that asks a person something before it answers a request other than a prompt.

    python asking_agent.py [METHOD] [names-session | too-large]

It asks in `session/new`, or in the method that is named; its question names our request, or the session. It
says only how it was answered. Asking in `authenticate`, it wants a sign-in first. With `too-large`, what it
asks in that method, and then its answer to that, is larger than any limit.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

AGENT = Path(__file__)

LINK = {
    "mode": "url",
    "message": "Agree to the terms",
    "elicitationId": "terms",
    "url": "https://example.com/",
}
CAN_LOAD = {"loadSession": True}
METHODS = [{"id": "page", "name": "On a page"}]
CHOICES = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]
LARGE = "x" * 17_000_000
BEGUN = {"protocolVersion": 1, "agentCapabilities": CAN_LOAD, "authMethods": METHODS}


class Asking:
    """Takes frames, one after the other; what it says goes to `send`."""

    def __init__(self, arguments: list[str], send: Callable[[dict[str, Any]], None]) -> None:
        self._asks_in = arguments[0] if arguments else "session/new"
        self._names: dict[str, Any] = {"sessionId": "one"} if "names-session" in arguments else {}
        self._is_too_large = "too-large" in arguments
        self._to_client = send
        self._asked: Any = None
        self._answered, self._model = "nothing", "a"

    def take(self, frame: dict[str, Any]) -> None:
        id, method = frame.get("id"), frame.get("method")
        option = {"id": "model", "name": "Model", "category": "model", "type": "select"}
        offered = {"configOptions": [{**option, "currentValue": self._model, "options": CHOICES}]}
        results = {
            "initialize": BEGUN,
            "authenticate": {},
            "session/new": {"sessionId": "one", **offered},
            "session/load": offered,
            "session/set_config_option": offered,
            "session/prompt": {"stopReason": "end_turn"},
        }
        if id == "terms" and self._is_too_large:
            self._say(json.dumps(frame["error"]["code"]))
            self._send(id=self._asked[0], result={"_meta": {"large": LARGE}, "stopReason": "end_turn"})
        elif id == "terms":
            self._answered = json.dumps(frame.get("result") or frame.get("error"))
            if self._asked[1] == "session/load":
                self._say("as before")
            self._send(id=self._asked[0], result=results[self._asked[1]])
        elif method == self._asks_in and self._asked is None and self._is_too_large:
            self._asked = (id, method)
            self._send(method="fs/write_text_file", params={"content": LARGE}, id="terms")
        elif method == self._asks_in and self._asked is None:
            self._asked = (id, method)
            about = self._names or {"requestId": id}
            self._send(id="terms", method="elicitation/create", params={**about, **LINK})
        elif method == "session/new" and self._asks_in == "authenticate" and self._asked is None:
            self._send(id=id, error={"code": -32000, "message": "Authentication required"})
        elif method is not None and id is not None:
            if method == "session/prompt":
                self._say(self._answered)
            if method == "session/set_config_option":
                self._model = frame["params"]["value"]
            self._send(id=id, result=results[method])

    def _say(self, text: str) -> None:
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        self._send(method="session/update", params={"sessionId": "one", "update": update})

    def _send(self, **frame: Any) -> None:
        self._to_client({"jsonrpc": "2.0", **frame})


def main() -> None:
    def send(frame: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(frame) + "\n")
        sys.stdout.flush()

    agent = Asking(sys.argv[1:], send)
    for line in sys.stdin:
        agent.take(json.loads(line))


if __name__ == "__main__":
    main()
