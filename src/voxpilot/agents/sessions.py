"""What we ask of an agent: to begin, to open a session, to take a prompt, to stop.

Lives here: the requests we make and how their answers are read. Lives
elsewhere: when to make them (runtime/turn.py), matching answers (dialogue.py).
"""

from __future__ import annotations

import uuid
from typing import Any

from voxpilot import __version__
from voxpilot.agents.dialogue import ask, refuse, reply, tell, welcome
from voxpilot.agents.translate import NotUnderstood, change_options, tool_fields, tool_id
from voxpilot.chat.events import Json, ToolCallChanged
from voxpilot.errors import VoxPilotError
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Request, Session, Turn

PROTOCOL_VERSION = 1
_CODES = {
    -32700: "The agent could not read our message.",
    -32600: "The agent took our message for invalid.",
    -32601: "The agent does not offer this.",
    -32602: "The agent refused what it was given.",
    -32603: "The agent failed inside.",
    -32000: "The agent wants you to sign in.",
    -32002: "The agent cannot find what was asked for.",
}


class AgentRefused(VoxPilotError):
    """An agent answered with an error, or with something we cannot work with."""

    code = "agent-refused"


def begin(ledger: Ledger, process: Process, at: float) -> None:
    params = {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {},
        "clientInfo": {"name": "voxpilot", "title": "VoxPilot", "version": __version__},
    }
    ask(ledger, process.id, "initialize", params, at)


def check_begun(result: Any) -> Json:
    """The agent's answer to `initialize`, if we speak the same version."""
    if not isinstance(result, dict):
        raise AgentRefused("The agent's first answer cannot be read.", "Is this program an ACP agent?")
    version = result.get("protocolVersion")
    if version != PROTOCOL_VERSION or isinstance(version, bool | str):
        raise AgentRefused(
            f"The agent speaks protocol version {version!r}, and we speak {PROTOCOL_VERSION}.",
            "Update the agent, or VoxPilot.",
        )
    return result


def open_session(ledger: Ledger, process: Process, name: str, at: float) -> None:
    params = {"cwd": ledger.chat.workspace, "mcpServers": []}
    ask(ledger, process.id, "session/new", params, at, session_name=name)


def session_opened(ledger: Ledger, process: Process, request: Request, result: Any, at: float) -> Session:
    """Keep the session the agent has opened. It is stored before anything is sent on it."""
    if not isinstance(result, dict) or not isinstance(result.get("sessionId"), str):
        raise AgentRefused("The agent opened a session without a name.", "Restart the agent.")
    name = request.subject["session_name"]
    before = find_session(ledger, process.agent, name)
    session = Session(
        id=before.id if before else uuid.uuid4().hex[:12],
        chat_id=ledger.chat.id,
        agent=process.agent,
        name=name,
        acp_session_id=result["sessionId"],
        process_id=process.id,
        created_at=at,
        messages=before.messages if before else 0,
    )
    ledger.save(session)
    offered = {key: result[key] for key in ("configOptions", "modes", "models") if result.get(key)}
    if offered:
        change_options(ledger, session, offered, at)
    welcome(ledger, session, at)
    return ledger.get(Session, session.id) or session


def find_session(ledger: Ledger, agent: str, name: str) -> Session | None:
    for session in ledger.all(Session):
        if session.agent == agent and session.name == name:
            return session
    return None


def prompt(ledger: Ledger, session: Session, turn: Turn, at: float) -> None:
    blocks: list[Json] = [{"type": "text", "text": turn.text}, *turn.attachments]
    params = {"sessionId": session.acp_session_id, "prompt": blocks}
    ask(
        ledger,
        session.process_id,
        "session/prompt",
        params,
        at,
        prompt=True,
        turn=turn.id,
        session=session.id,
    )
    ledger.change(
        session, turn=turn.id, tool_call_id=None, prompting=True, heard=False, speaking=None, answered_at=None
    )


def stop_reason_of(result: Any) -> str:
    reason = result.get("stopReason") if isinstance(result, dict) else None
    return reason if isinstance(reason, str) else "end_turn"


def cancel(ledger: Ledger, session: Session) -> None:
    tell(ledger, session.process_id, "session/cancel", {"sessionId": session.acp_session_id})


def answer_permission(ledger: Ledger, request: Request, option_id: str | None) -> None:
    """Choose an option, or say that the turn was cancelled."""
    if option_id is None:
        reply(ledger, request, {"outcome": {"outcome": "cancelled"}})
    else:
        reply(ledger, request, {"outcome": {"outcome": "selected", "optionId": option_id}})


def permission_of(ledger: Ledger, session: Session, params: Json, at: float) -> Json | None:
    """What a permission request is about, in our words; its tool call is recorded first."""
    options = [
        {"id": option["optionId"], "label": str(option.get("name", "")), "kind": str(option.get("kind", ""))}
        for option in params.get("options") or ()
        if isinstance(option, dict) and isinstance(option.get("optionId"), str)
    ]
    if not options:
        return None
    call = params.get("toolCall")
    call = call if isinstance(call, dict) else {}
    try:
        call_id, fields = tool_id(call), tool_fields(call)
    except NotUnderstood:
        call_id, fields = None, {}
    known: Json = {}
    if call_id is not None:
        event = ToolCallChanged(id=call_id, turn=session.turn, tool_call_id=session.tool_call_id, **fields)
        ledger.emit(event, at)
        known = ledger.transcript.tool(call_id, session.tool_call_id) or {}
    title = fields.get("title") or known.get("title") or params.get("title") or known.get("tool_kind")
    detail = {
        name: value
        for name in ("tool_kind", "input", "locations", "content")
        if (value := fields.get(name) or known.get(name))
    }
    return {
        "title": str(title or "The agent asks for permission"),
        "detail": {**detail, "tool": call_id},
        "options": options,
    }


def refuse_permission(ledger: Ledger, request: Request) -> None:
    refuse(ledger, request, -32602, "a permission request needs options")


def describe_error(error: Json) -> Json:
    """An agent's error as a message and a hint, never a bare object."""
    code = error.get("code")
    said = error.get("message")
    general = _CODES.get(code if isinstance(code, int) else 0, "The agent reported an error.")
    message = f"{general} It says: {said}" if isinstance(said, str) and said else general
    described: Json = {"message": message, "code": code}
    if code == -32000:
        described["hint"] = "Sign in with the agent's own login command, then send the message again."
    if isinstance(error.get("data"), str | dict | list):
        described["detail"] = error["data"]
    return described
