"""An agent that asks before it opens a session: its question names our request, for there is no session yet.

    python asking_agent.py

It says how it was answered, and that is all it says.
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
    opening: Any = None
    answered = ""
    for line in sys.stdin:
        frame = json.loads(line)
        id = frame.get("id")
        match frame:
            case {"method": "initialize"}:
                send(id=id, result={"protocolVersion": 1, "agentCapabilities": {}})
            case {"method": "session/new"}:
                opening = id
                send(id="terms", method="elicitation/create", params={"requestId": id, **LINK})
            case {"id": "terms"}:
                answered = json.dumps(frame.get("result") or frame.get("error"))
                send(id=opening, result={"sessionId": "one"})
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
