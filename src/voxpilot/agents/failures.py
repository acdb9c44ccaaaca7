"""An agent's error in words that a person can use.

Lives here: the codes of the protocol. Lives elsewhere: what an error does to a
turn (runtime/), an agent's end (exits.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.errors import VoxPilotError

SIGN_IN = -32000
NOT_OFFERED = -32601
NOT_FOUND = -32002
CANCELLED = -32800
_CODES = {
    -32700: "The agent could not read our message.",
    -32600: "The agent took our message for invalid.",
    NOT_OFFERED: "The agent does not offer this.",
    -32602: "The agent refused what it was given.",
    -32603: "The agent failed inside.",
    SIGN_IN: "The agent wants you to sign in.",
    NOT_FOUND: "The agent cannot find what was asked for.",
    CANCELLED: "The agent dropped the request.",
}


class AgentRefused(VoxPilotError):
    """An agent answered with an error, or with something we cannot work with."""

    code = "agent-refused"


def describe_error(error: Json) -> Json:
    """An agent's error as a message and a hint, never a bare object."""
    code = error.get("code")
    said = error.get("message")
    general = _CODES.get(code if isinstance(code, int) else 0, "The agent reported an error.")
    message = f"{general} It says: {said}" if isinstance(said, str) and said else general
    described: Json = {"message": message, "code": code}
    if code == SIGN_IN:
        described["hint"] = "Sign in with the agent's own login command, then send the message again."
    if isinstance(error.get("data"), str | dict | list):
        described["detail"] = error["data"]
    return described


def wants_sign_in(error: Json | None) -> bool:
    return error is not None and error.get("code") == SIGN_IN
