"""An agent that asks a person something before it answers a request that is no prompt.

    python asking_agent.py [METHOD] [names-session | too-large]

It asks in `session/new`, or in the method that is named; its question names our request, or the session. It
says how it was answered, and that is all it says. Asking in `authenticate`, it wants a sign-in first. With
`too-large`, what it asks in that method, and then its answer to that, is more than anybody takes.
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
CAN_LOAD = {"loadSession": True}
METHODS = [{"id": "page", "name": "On a page"}]
CHOICES = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]
LARGE = "x" * 17_000_000
BEGUN = {"protocolVersion": 1, "agentCapabilities": CAN_LOAD, "authMethods": METHODS}


def main() -> None:
    asks_in = sys.argv[1] if len(sys.argv) > 1 else "session/new"
    names: dict[str, Any] = {"sessionId": "one"} if "names-session" in sys.argv else {}
    asked: Any = None
    answered, model = "nothing", "a"
    for line in sys.stdin:
        frame = json.loads(line)
        id, method = frame.get("id"), frame.get("method")
        option = {"id": "model", "name": "Model", "category": "model", "type": "select"}
        offered = {"configOptions": [{**option, "currentValue": model, "options": CHOICES}]}
        results = {
            "initialize": BEGUN,
            "authenticate": {},
            "session/new": {"sessionId": "one", **offered},
            "session/load": offered,
            "session/set_config_option": offered,
            "session/prompt": {"stopReason": "end_turn"},
        }
        if id == "terms" and "too-large" in sys.argv:
            say(json.dumps(frame["error"]["code"]))
            send(id=asked[0], result={"_meta": {"large": LARGE}, "stopReason": "end_turn"})
        elif id == "terms":
            answered = json.dumps(frame.get("result") or frame.get("error"))
            if asked[1] == "session/load":
                say("as before")
            send(id=asked[0], result=results[asked[1]])
        elif method == asks_in and asked is None and "too-large" in sys.argv:
            asked = (id, method)
            send(method="fs/write_text_file", params={"content": LARGE}, id="terms")
        elif method == asks_in and asked is None:
            asked = (id, method)
            send(id="terms", method="elicitation/create", params={**(names or {"requestId": id}), **LINK})
        elif method == "session/new" and asks_in == "authenticate" and asked is None:
            send(id=id, error={"code": -32000, "message": "Authentication required"})
        elif method is not None and id is not None:
            if method == "session/prompt":
                say(answered)
            if method == "session/set_config_option":
                model = frame["params"]["value"]
            send(id=id, result=results[method])


def say(text: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send(method="session/update", params={"sessionId": "one", "update": update})


def send(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
