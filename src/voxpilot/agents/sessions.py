"""What we ask of an agent: to begin, to open a session, to take a prompt, to stop.

Lives here: the requests we make and how their answers are read. Lives
elsewhere: when to make them (runtime/turn.py), matching answers (dialogue.py).
"""

from __future__ import annotations

import uuid
from typing import Any

from voxpilot import __version__
from voxpilot.agents.callbacks import capabilities
from voxpilot.agents.dialogue import ask, tell, welcome
from voxpilot.agents.options import accepts, options_of, with_current
from voxpilot.agents.translate import change_options
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, VoxPilotError
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Request, Session, Turn

PROTOCOL_VERSION = 1
CAPABILITIES: Json = {
    "elicitation": {"form": {}, "url": {}},
    "session": {"configOptions": {"boolean": {}}},
}
"""What we really do for every agent; files and commands are chosen for each."""
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


def begin(ledger: Ledger, process: Process, at: float, fs: bool = False, terminal: bool = False) -> None:
    params = {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {**CAPABILITIES, **capabilities(fs, terminal)},
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


def set_option(ledger: Ledger, session: Session, option_id: str, value: Any, at: float) -> None:
    """Choose a mode, model or other option; shown at once, and taken back if the agent will not have it."""
    offered = session.options or {}
    option = next((option for option in options_of(offered) if option["id"] == option_id), None)
    if option is None or not accepts(option, value):
        raise Invalid("The agent does not offer that.", "Choose one of the values it lists.")
    params: Json = {"sessionId": session.acp_session_id}
    match option["via"]:
        case "config":
            kind = {"type": "boolean"} if option["type"] == "boolean" else {}
            method, params = (
                "session/set_config_option",
                {**params, "configId": option_id, **kind, "value": value},
            )
        case "mode":
            method, params = "session/set_mode", {**params, "modeId": value}
        case _:
            method, params = "session/set_model", {**params, "modelId": value}
    subject = {"session": session.id, "option": option_id, "before": option["current"]}
    ask(ledger, session.process_id, method, params, at, **subject)
    change_options(ledger, session, with_current(offered, option, value), at)


def option_set(ledger: Ledger, request: Request, result: Any, at: float) -> None:
    """The agent took a choice; some answer with everything they offer now."""
    session = ledger.get(Session, request.subject["session"])
    if session is not None and isinstance(result, dict) and isinstance(result.get("configOptions"), list):
        change_options(
            ledger, session, {**(session.options or {}), "configOptions": result["configOptions"]}, at
        )


def option_refused(ledger: Ledger, request: Request, at: float) -> None:
    """The agent did not take a choice: show what was chosen before."""
    session = ledger.get(Session, request.subject["session"])
    if session is None:
        return
    for option in options_of(session.options or {}):
        if option["id"] == request.subject["option"]:
            before = with_current(session.options or {}, option, request.subject["before"])
            change_options(ledger, session, before, at)


def stop_reason_of(result: Any) -> str:
    reason = result.get("stopReason") if isinstance(result, dict) else None
    return reason if isinstance(reason, str) else "end_turn"


def cancel(ledger: Ledger, session: Session) -> None:
    tell(ledger, session.process_id, "session/cancel", {"sessionId": session.acp_session_id})


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
