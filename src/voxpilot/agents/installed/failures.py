"""An agent's error, explained for a person.

Lives here: the codes of the protocol. Lives elsewhere: what an error does to a
turn (runtime/), an agent's end (exits.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.errors import Problem, VoxPilotError

SIGN_IN = -32000
NOT_OFFERED = -32601
NOT_FOUND = -32002
CANCELLED = -32800
_CODES = {
    -32700: "The agent could not read a message from VoxPilot.",
    -32600: "The agent rejected a message from VoxPilot as invalid.",
    NOT_OFFERED: "The agent does not support this.",
    -32602: "The agent rejected the parameters.",
    -32603: "The agent had an internal error.",
    SIGN_IN: "The agent requires you to sign in.",
    NOT_FOUND: "The agent could not find the requested item.",
    CANCELLED: "The agent cancelled the request.",
}


class AgentRefused(VoxPilotError):
    """An agent answered with an error, or with something we cannot work with."""

    code = "agent-refused"


def describe_error(error: Json) -> Problem:
    """An agent's error as a message and a hint, never a bare object."""
    code = error.get("code")
    said = error.get("message")
    general = _CODES.get(code if isinstance(code, int) else 0, "The agent reported an error.")
    message = f"{general} It says: {said}" if isinstance(said, str) and said else general
    sign_in = "Sign in with the agent's own login command, then send the message again."
    detail = error.get("data") if isinstance(error.get("data"), str | dict | list) else ""
    return Problem(message, sign_in if code == SIGN_IN else "", detail, code)


def wants_sign_in(error: Json | None) -> bool:
    return error is not None and error.get("code") == SIGN_IN
