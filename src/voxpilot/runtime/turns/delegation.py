"""Work that the assistant delegates to agents: its `copilot_agent` calls.

Lives here: turning a call into a task, and the end of the task into a result. Lives elsewhere: moving tasks
forward (step/progress.py), the assistant's turn (assistant/assistant_turn.py).
"""

from __future__ import annotations

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.assistant.toolbox import Delegation
from voxpilot.chat.events import DelegateDone, NoticeGiven, ToolReturned
from voxpilot.errors import Problem, VoxPilotError
from voxpilot.runtime.turns import tasks
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.model_rows import Call
from voxpilot.storage.database.rows import Task
from voxpilot.storage.database.states import CallState

SUMMARY_LENGTH = 4000
"""How much of an agent's last message the model gets."""
FILES_NAMED = 30
_PERSONS = "main"
"""The session in which a person talks to an agent: other approvals apply there."""


def begin(ledger: Ledger, catalog: Catalog, call: Call, wanted: Delegation, now: float) -> None:
    """Delegate the work to an agent, or tell the model why not."""
    try:
        agent = catalog.get(wanted.agent or ledger.chat.agent or catalog.default()).id
    except VoxPilotError as error:
        end(ledger, call, f"{error.message} {error.hint}".strip(), None, True, now)
        return
    ledger.change(call, state=CallState.RUNNING)
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
            text=f"Waiting for the earlier task in session “{task.session_name}” to finish.",
            turn=task.turn,
            tool_call_id=task.tool_call_id,
        )
        ledger.emit(notice, now)


def finished(ledger: Ledger, task: Task, stop_reason: str, problem: Problem | None, now: float) -> None:
    """The agent is done, or gone: its whole text is the result, and the model gets a summary."""
    call = ledger.get(Call, task.tool_call_id)
    if call is None:
        return
    ledger.settle()
    said = _said(ledger, task)
    summary = _summary(said, _changed_files(ledger, task), stop_reason, problem)
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
    failed = problem is not None or stop_reason in ("cancelled", "interrupted", "error")
    end(ledger, call, summary, "".join(said) or summary, failed, now)


def end(ledger: Ledger, call: Call, content: str, display: str | None, is_error: bool, now: float) -> None:
    """A call has its result, once."""
    shown = display if display is not None else content
    ledger.change(call, state=CallState.DONE, content=content, display=shown, is_error=is_error, ended_at=now)
    returned = ToolReturned(
        id=call.id, name=call.name, content=content, display=shown, is_error=is_error, turn=call.turn
    )
    ledger.emit(returned, now)


def _session_name(wanted: Delegation) -> str:
    """The name that the model chose, but never the person's own session."""
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


def _summary(said: list[str], files: list[str], stop_reason: str, problem: Problem | None) -> str:
    last = said[-1] if said else ""
    parts = [last if len(last) <= SUMMARY_LENGTH else "…" + last[-SUMMARY_LENGTH:]]
    if files:
        named = "\n".join(files[:FILES_NAMED])
        more = f"\n(and {len(files) - FILES_NAMED} more)" if len(files) > FILES_NAMED else ""
        parts.append(f"Files changed:\n{named}{more}")
    if problem is not None:
        parts.append(f"It failed: {problem.message}")
    elif stop_reason != "end_turn":
        parts.append(f"It stopped: {stop_reason}.")
    return "\n\n".join(part for part in parts if part) or "The agent sent no text."
