"""Tasks for agents: each is one prompt for one session of one agent.

Lives here: creating, finding and closing them. A turn in agent mode is one task
of the same id; an assistant's turn has one for each piece of work it delegates.
Lives elsewhere: moving them forward (step/progress.py), what the end of one means (turn.py).
"""

from __future__ import annotations

from voxpilot.chat.events import AgentStatusChanged, NoticeGiven, TerminalExited, ToolCallChanged
from voxpilot.runtime.questions import open_questions
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import Process, Question, Session, Task, Terminal, Turn
from voxpilot.storage.database.states import ProcessState, SessionPhase
from voxpilot.storage.database.subjects import Prompt


def of_whole_turn(ledger: Ledger, turn: Turn, now: float) -> Task:
    """The one task of a turn in agent mode."""
    return ledger.save(
        Task(
            id=turn.id,
            chat_id=turn.chat_id,
            turn=turn.id,
            agent=turn.agent,
            session_name=turn.session_name,
            text=turn.text,
            attachments=turn.attachments,
            created_at=now,
        )
    )


def of_turn(ledger: Ledger, turn: Turn) -> list[Task]:
    return [task for task in ledger.all(Task) if task.turn == turn.id]


def of_agent(ledger: Ledger, agent: str) -> list[Task]:
    return [task for task in ledger.all(Task) if task.agent == agent]


def waiting_for(ledger: Ledger, agent: str) -> list[Task]:
    """Tasks that were not sent to this agent yet."""
    return [task for task in of_agent(ledger, agent) if prompt_request(ledger, task) is None]


def behind(ledger: Ledger, agent: str) -> Task | None:
    """The task for which an agent is started, opens a session or signs in: its questions are shown there."""
    found = waiting_for(ledger, agent) or of_agent(ledger, agent)
    return found[0] if found else None


def prompt_request(ledger: Ledger, task: Task) -> Request | None:
    """The open prompt of this task, if one was sent."""
    for request in ledger.all(Request):
        if isinstance(request.subject, Prompt) and request.subject.task_id == task.id:
            return request
    return None


def process_of(ledger: Ledger, agent: str) -> Process | None:
    """The agent's process in this chat: starting, ready or stopping."""
    return next((process for process in ledger.all(Process) if process.agent == agent), None)


def close(ledger: Ledger, task: Task, stop_reason: str, now: float) -> None:
    """The task is over: nothing of it continues in its session."""
    _note_unreadable(ledger, task, now)
    for session in ledger.all(Session):
        if _has_prompt_of(session, task):
            _close_questions(ledger, session, now)
            _close_tools(ledger, session, task, now)
            phase = SessionPhase.IDLE if session.phase is SessionPhase.PROMPTING else session.phase
            ledger.change(session, phase=phase, answered_at=now, speaking=None)
    ledger.change(task, ended_at=now, stop_reason=stop_reason)


def tell_free(ledger: Ledger, agent: str, now: float) -> None:
    """The agent is idle."""
    process = process_of(ledger, agent)
    if process is not None and process.state is ProcessState.READY and not of_agent(ledger, agent):
        ledger.emit(AgentStatusChanged(agent=agent, status="connected"), now)


def are_before(ledger: Ledger, task: Task) -> bool:
    """Whether its session has other work to do first."""
    return any(
        other.agent == task.agent and other.session_name == task.session_name and other.id != task.id
        for other in ledger.all(Task)
    )


def _has_prompt_of(session: Session, task: Task) -> bool:
    """Whether the session's newest prompt is this task's; several may be meant for one session."""
    return (session.agent, session.name, session.turn, session.tool_call_id) == (
        task.agent,
        task.session_name,
        task.turn,
        task.tool_call_id,
    )


def _close_questions(ledger: Ledger, session: Session, now: float) -> None:
    for question in [question for question in ledger.all(Question) if question.session_id == session.id]:
        open_questions.cancel(ledger, question, now)


def _close_tools(ledger: Ledger, session: Session, task: Task, now: float) -> None:
    """Some agents leave tool calls open forever; nothing runs once the task is over."""
    for call in ledger.transcript.open_calls(task.turn, task.tool_call_id):
        event = ToolCallChanged(
            id=call["id"], status="cancelled", turn=task.turn, tool_call_id=task.tool_call_id
        )
        ledger.emit(event, now)
    for terminal in ledger.transcript.open_terminals(task.turn, task.tool_call_id):
        if ledger.get(Terminal, terminal) is None:  # one that the agent only mentioned
            ended = TerminalExited(terminal_id=terminal, turn=task.turn, tool_call_id=task.tool_call_id)
            ledger.emit(ended, now)


def _note_unreadable(ledger: Ledger, task: Task, now: float) -> None:
    process = process_of(ledger, task.agent)
    if process is None or not process.unreadable:
        return
    lines = "1 unreadable line" if process.unreadable == 1 else f"{process.unreadable} unreadable lines"
    notice = NoticeGiven(
        level="warning",
        code="unreadable-lines",
        text=f"The agent sent {lines}.",
        turn=task.turn,
        tool_call_id=task.tool_call_id,
    )
    ledger.emit(notice, now)
    ledger.change(process, unreadable=0)
