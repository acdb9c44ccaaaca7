"""An agent that asks before it opens a session: its question names our request, for there is no session yet.

    python asking_agent.py [signs-in]

It says how it was answered, and that is all it says. With `signs-in` it wants a sign-in first, and asks in
that.
"""

from __future__ import annotations

import json
import sys
from typing import Any

LINK = {
    "mode": "url",
    "message": "Agree to the terms",
    "elicitationId": "terms",
    "url": "https://example.com/",
}


def main() -> None:
    asks_in = "authenticate" if "signs-in" in sys.argv else "session/new"
    opening: Any = None
    answered = ""
    for line in sys.stdin:
        frame = json.loads(line)
        id = frame.get("id")
        match frame:
            case {"method": "initialize"}:
                methods = [{"id": "page", "name": "On a page"}]
                send(id=id, result={"protocolVersion": 1, "agentCapabilities": {}, "authMethods": methods})
            case {"method": method} if method == asks_in and not answered:
                opening = id
                send(id="terms", method="elicitation/create", params={"requestId": id, **LINK})
            case {"id": "terms"}:
                answered = json.dumps(frame.get("result") or frame.get("error"))
                send(id=opening, result={"sessionId": "one"})
            case {"method": "session/new"} if not answered:
                send(id=id, error={"code": -32000, "message": "Authentication required"})
            case {"method": "session/new"}:
                send(id=id, result={"sessionId": "one"})
            case {"method": "session/prompt"}:
                content = {"type": "text", "text": answered}
                update = {"sessionUpdate": "agent_message_chunk", "content": content}
                send(method="session/update", params={"sessionId": "one", "update": update})
                send(id=id, result={"stopReason": "end_turn"})


def send(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
