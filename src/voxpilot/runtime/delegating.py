"""Work that the assistant gives to agents: its `copilot_agent` calls.

Lives here: making a task of a call, and a result of how the task ended. Lives
elsewhere: carrying tasks on (progress.py), the assistant's turn (assisting.py).
"""

from __future__ import annotations

from voxpilot.agents.catalog import Catalog
from voxpilot.assistant.toolbox import Delegation
from voxpilot.chat.events import DelegateDone, Json, NoticeGiven, ToolReturned
from voxpilot.errors import VoxPilotError
from voxpilot.runtime import tasks
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.model_rows import Call
from voxpilot.storage.rows import Task

SUMMARY_LENGTH = 4000
"""How much of an agent's last words the model gets."""
FILES_NAMED = 30
_PERSONS = "main"
"""The session in which a person talks to an agent: other approvals count there."""


def begin(ledger: Ledger, catalog: Catalog, call: Call, wanted: Delegation, now: float) -> None:
    """Give the work to an agent, or tell the model why not."""
    try:
        agent = catalog.get(wanted.agent or ledger.chat.agent or catalog.default()).id
    except VoxPilotError as error:
        end(ledger, call, f"{error.message} {error.hint}".strip(), None, True, now)
        return
    ledger.change(call, state="running")
    task = ledger.save(
        Task(
            id=f"d-{call.id}",
            chat_id=call.chat_id,
            turn=call.turn,
            agent=agent,
            session_name=_session_name(wanted),
            text=wanted.prompt,
            tool_call_id=call.id,
            created_at=now,
        )
    )
    if tasks.are_before(ledger, task):
        notice = NoticeGiven(
            level="info",
            code="session-busy",
            text=f"Waits until “{task.session_name}” has done what it was given before.",
            turn=task.turn,
            tool_call_id=task.tool_call_id,
        )
        ledger.emit(notice, now)


def finished(ledger: Ledger, task: Task, stop_reason: str, error: Json | None, now: float) -> None:
    """The agent is done, or gone: its whole text is the result, and a summary what the model gets."""
    call = ledger.get(Call, task.tool_call_id)
    if call is None:
        return
    ledger.settle()
    said = _said(ledger, task)
    summary = _summary(said, _changed_files(ledger, task), stop_reason, error)
    done = DelegateDone(
        session_name=task.session_name,
        agent=task.agent,
        summary=summary,
        stop_reason=stop_reason,
        turn=task.turn,
        tool_call_id=task.tool_call_id,
    )
    ledger.emit(done, now)
    if stop_reason == "interrupted":
        call = ledger.change(call, cut=True)
    failed = error is not None or stop_reason in ("cancelled", "interrupted", "error")
    end(ledger, call, summary, "".join(said) or summary, failed, now)


def end(ledger: Ledger, call: Call, content: str, display: str | None, is_error: bool, now: float) -> None:
    """A call has its result, once."""
    shown = display if display is not None else content
    ledger.change(call, state="done", content=content, display=shown, is_error=is_error, ended_at=now)
    returned = ToolReturned(
        id=call.id, name=call.name, content=content, display=shown, is_error=is_error, turn=call.turn
    )
    ledger.emit(returned, now)


def _session_name(wanted: Delegation) -> str:
    """As the model calls it, but never the person's own."""
    name = wanted.session_name.strip()
    return f"{name} (assistant)" if name == _PERSONS else name


def _said(ledger: Ledger, task: Task) -> list[str]:
    """Every message of the agent within this call."""
    return [
        block["text"]
        for block in ledger.transcript.blocks
        if block["kind"] == "text" and block.get("tool_call_id") == task.tool_call_id
    ]


def _changed_files(ledger: Ledger, task: Task) -> list[str]:
    changed = {
        str(part.get("path"))
        for block in ledger.transcript.blocks
        if block["kind"] == "tool" and block.get("tool_call_id") == task.tool_call_id
        for part in block["content"]
        if part.get("type") == "diff" and block["status"] == "completed"
    }
    return sorted(changed)


def _summary(said: list[str], files: list[str], stop_reason: str, error: Json | None) -> str:
    last = said[-1] if said else ""
    parts = [last if len(last) <= SUMMARY_LENGTH else "…" + last[-SUMMARY_LENGTH:]]
    if files:
        named = "\n".join(files[:FILES_NAMED])
        more = f"\n(and {len(files) - FILES_NAMED} more)" if len(files) > FILES_NAMED else ""
        parts.append(f"Files changed:\n{named}{more}")
    if error is not None:
        parts.append(f"It failed: {error.get('message')}")
    elif stop_reason != "end_turn":
        parts.append(f"It stopped: {stop_reason}.")
    return "\n\n".join(part for part in parts if part) or "The agent said nothing."
