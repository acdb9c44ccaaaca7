"""What we ask of an agent: to begin, to take a prompt, to stop, to close a session, to sign in.

Lives here: the requests we make and how their answers are read. Lives
elsewhere: when to make them (runtime/progress.py), matching answers
(dialogue.py), opening sessions (opening.py), choosing options (choosing.py).
"""

from __future__ import annotations

from typing import Any

from voxpilot import __version__
from voxpilot.agents.callbacks import capabilities
from voxpilot.agents.dialogue import ask, tell
from voxpilot.agents.failures import AgentRefused
from voxpilot.chat.events import Json
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Request, Session, Task

PROTOCOL_VERSION = 1
CLOSE = "session/close"
ASKED_LENGTH = 4000
"""How much of a prompt is kept, to tell a new session what the lost one was about."""
CAPABILITIES: Json = {
    "auth": {"terminal": True},
    "elicitation": {"form": {}, "url": {}},
    "session": {"configOptions": {"boolean": {}}},
}
"""What we really do for every agent; files and commands are chosen for each."""


def begin(ledger: Ledger, process: Process, at: float, fs: bool = False, terminal: bool = False) -> None:
    ask(ledger, process.id, "initialize", greeting(fs, terminal), at)


def greeting(fs: bool, terminal: bool) -> Json:
    """What `initialize` says of us."""
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {**CAPABILITIES, **capabilities(fs, terminal)},
        "clientInfo": {"name": "voxpilot", "title": "VoxPilot", "version": __version__},
    }


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


def prompt(ledger: Ledger, session: Session, task: Task, attached: list[Json], at: float) -> None:
    said = [{"type": "text", "text": task.text}] if task.text.strip() else []
    blocks: list[Json] = [*_note(session), *said, *attached]
    params = {"sessionId": session.acp_session_id, "prompt": blocks}
    ask(
        ledger,
        session.process_id,
        "session/prompt",
        params,
        at,
        prompt=True,
        turn=task.turn,
        task=task.id,
        session=session.id,
    )
    ledger.change(
        session,
        turn=task.turn,
        tool_call_id=task.tool_call_id,
        prompting=True,
        heard=False,
        speaking=None,
        answered_at=None,
        prompts=session.prompts + 1,
        asked=task.text[:ASKED_LENGTH],
        note=None,
    )


def stop_reason_of(result: Any) -> str:
    reason = result.get("stopReason") if isinstance(result, dict) else None
    return reason if isinstance(reason, str) else "end_turn"


def cancel(ledger: Ledger, session: Session, stops: Json | None) -> None:
    """Have the agent stop; `stops` goes to its keeper."""
    tell(ledger, session.process_id, "session/cancel", {"sessionId": session.acp_session_id}, stops)


def close(ledger: Ledger, session: Session, at: float) -> None:
    """Have the agent let go of a session; what was said in it stays among its own."""
    ask(ledger, session.process_id, CLOSE, {"sessionId": session.acp_session_id}, at)


def authenticate(ledger: Ledger, process: Process, method: str, at: float, **subject: Any) -> Request:
    """Have the agent sign the person in, its own way."""
    return ask(ledger, process.id, "authenticate", {"methodId": method}, at, **subject)


def drop(ledger: Ledger, request: Request) -> None:
    """Tell the agent that a request of ours need not be answered."""
    tell(ledger, request.process_id, "$/cancel_request", {"requestId": int(request.rpc_id)})


def _note(session: Session) -> list[Json]:
    """What a new session is told of the one that was lost, if the person agreed."""
    note = session.note or {}
    if not note.get("use"):
        return []
    text = (
        "[Context from VoxPilot: the earlier session with this conversation could not be restored. "
        f"The last request in it was:]\n{note['text']}\n[End of context. The new request follows.]"
    )
    return [{"type": "text", "text": text}]
