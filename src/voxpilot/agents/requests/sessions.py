"""Our requests to an agent: initialize, prompt, stop, close a session, sign in.

Lives here: the requests we make and how their answers are read. Lives
elsewhere: when to make them (runtime/step/progress.py), matching answers
(dialogue.py), opening sessions (opening.py), choosing options (choosing.py).
"""

from __future__ import annotations

from voxpilot import __version__
from voxpilot.agents.installed.failures import AgentRefused
from voxpilot.agents.requests.callbacks import capabilities
from voxpilot.agents.requests.dialogue import ask, tell
from voxpilot.chat.events import Json
from voxpilot.chat.handover import labelled
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import Process, Session, Task
from voxpilot.storage.database.states import SessionPhase
from voxpilot.storage.database.subjects import Prompt, SigningIn

PROTOCOL_VERSION = 1
ASKED_LENGTH = 4000
"""How much of a prompt is kept, to tell a new session what the lost one was about."""
CAPABILITIES: Json = {
    "auth": {"terminal": True},
    "elicitation": {"form": {}, "url": {}},
    "session": {"configOptions": {"boolean": {}}},
}
"""The capabilities we announce to every agent; files and commands are set for each."""


def begin(ledger: Ledger, process: Process, at: float, fs: bool = False, terminal: bool = False) -> None:
    ask(ledger, process.id, "initialize", greeting(fs, terminal), at)


def greeting(fs: bool, terminal: bool) -> Json:
    """What `initialize` tells an agent about us."""
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {**CAPABILITIES, **capabilities(fs, terminal)},
        "clientInfo": {"name": "voxpilot", "title": "VoxPilot", "version": __version__},
    }


def check_begun(result: object) -> Json:
    """The agent's answer to `initialize`, if we speak the same version."""
    if not isinstance(result, dict):
        raise AgentRefused(
            "The agent's first response could not be read.", "Check that this program is an ACP agent."
        )
    version = result.get("protocolVersion")
    if version != PROTOCOL_VERSION or isinstance(version, bool | str):
        raise AgentRefused(
            f"The agent uses protocol version {version!r}, but VoxPilot uses {PROTOCOL_VERSION}.",
            "Update the agent or VoxPilot.",
        )
    return result


def prompt(
    ledger: Ledger, session: Session, task: Task, blocks: list[Json], at: float, handover: str = ""
) -> None:
    """Send a task; `handover` says what others did in the chat before."""
    handed = [{"type": "text", "text": labelled(handover)}] if handover else []
    params = {"sessionId": session.acp_session_id, "prompt": [*_note(session), *handed, *blocks]}
    ask(
        ledger,
        session.process_id,
        "session/prompt",
        params,
        at,
        Prompt(session=session.id, turn=task.turn, task=task.id),
        prompt=True,
    )
    ledger.change(
        session,
        turn=task.turn,
        tool_call_id=task.tool_call_id,
        phase=SessionPhase.PROMPTING,
        heard=False,
        speaking=None,
        answered_at=None,
        prompts=session.prompts + 1,
        asked=task.text[:ASKED_LENGTH],
        used_at=at,
        note=None,
    )


def take_back(ledger: Ledger, session: Session) -> None:
    """The agent never received its last prompt, which will be sent to the next process."""
    ledger.change(session, phase=SessionPhase.IDLE, turn=None, prompts=session.prompts - 1, asked="")


def stop_reason_of(result: object) -> str:
    reason = result.get("stopReason") if isinstance(result, dict) else None
    return reason if isinstance(reason, str) else "end_turn"


def cancel(ledger: Ledger, session: Session, stops: Json | None) -> None:
    """Tell the agent to stop; `stops` goes to its keeper."""
    tell(ledger, session.process_id, "session/cancel", {"sessionId": session.acp_session_id}, stops)


def close(ledger: Ledger, session: Session, at: float) -> None:
    """Tell the agent to close a session; the agent keeps its history."""
    ask(ledger, session.process_id, "session/close", {"sessionId": session.acp_session_id}, at)


def authenticate(ledger: Ledger, process: Process, method: str, at: float, turn: str | None) -> Request:
    """Tell the agent to sign the person in, with its own method."""
    return ask(ledger, process.id, "authenticate", {"methodId": method}, at, SigningIn(turn=turn))


def abandon(ledger: Ledger, request: Request, why: str, *, is_told: bool = True) -> Request:
    """Close a request that will not be answered, or whose answer nobody wants; one of ours is cancelled.

    `is_told` is False for an agent that is gone or about to be.
    """
    if is_told:
        tell(ledger, request.process_id, "$/cancel_request", {"requestId": int(request.rpc_id)})
    return ledger.change(request, response={"error": {"message": why}})


def _note(session: Session) -> list[Json]:
    """What a new session is told about the one that was lost, if the person agreed."""
    note = session.note or {}
    if not note.get("use"):
        return []
    text = (
        "[Context from VoxPilot: the earlier session with this conversation could not be restored. "
        f"A summary of it:]\n{note['text']}\n[End of context. The new request follows.]"
    )
    return [{"type": "text", "text": text}]
