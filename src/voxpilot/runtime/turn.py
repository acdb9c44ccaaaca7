"""A turn: one message of a person and all that comes of it until it is answered.

Lives here: the queue, and how a turn begins, is stopped and ends. States only
move forward, and every turn ends exactly once. Lives elsewhere: carrying a
running turn on, step by step (progress.py), questions (questions.py).
"""

from __future__ import annotations

import uuid

from voxpilot.agents import sessions
from voxpilot.agents.abilities import abilities_of
from voxpilot.agents.attached import as_blocks
from voxpilot.assistant.attachments import check as check_attachments
from voxpilot.chat.events import (
    ChatInfoChanged,
    Json,
    MessagePosted,
    NoticeGiven,
    TurnEnded,
    TurnStarted,
)
from voxpilot.chat.titles import title_for
from voxpilot.errors import Conflict, Invalid, NotFound
from voxpilot.runtime import delegating, left_running, questions, tasks, terminals
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Question, Request, Session, Task, Turn, TurnState

ASSISTANT = ""
"""In place of an agent's name: the assistant answers."""


def running(ledger: Ledger) -> Turn | None:
    return next(iter(all_running(ledger)), None)


def all_running(ledger: Ledger) -> list[Turn]:
    return [turn for turn in ledger.all(Turn) if turn.state == "running"]


def queued(ledger: Ledger) -> list[Turn]:
    """Messages that wait, the next one first."""
    waiting = [turn for turn in ledger.all(Turn) if turn.state == "queued"]
    return sorted(waiting, key=lambda turn: (not turn.ahead, turn.number))


def post(ledger: Ledger, text: str, attachments: tuple[Json, ...], now: float, ahead: bool = False) -> Turn:
    """Put a person's message behind whatever runs; `ahead` of what waits already."""
    agent = ledger.chat.agent if ledger.chat.mode == "agent" else ASSISTANT
    if agent is None:
        raise Invalid("This chat has no agent to talk to.", "Choose an agent for the chat.")
    _check_said(text, attachments)
    if agent == ASSISTANT:
        check_attachments(attachments)
    elif (process := tasks.process_of(ledger, agent)) is not None and process.initialized is not None:
        as_blocks(attachments, abilities_of(process.initialized))
    ledger.last_turn += 1
    turn = ledger.save(
        Turn(
            id=f"t-{uuid.uuid4().hex[:12]}",
            chat_id=ledger.chat.id,
            number=ledger.last_turn,
            message_id=f"m-{uuid.uuid4().hex[:12]}",
            text=text,
            attachments=attachments,
            agent=agent,
            created_at=now,
            ahead=ahead,
        )
    )
    if not ledger.chat.title:
        title = title_for(text, attachments)
        ledger.change(ledger.chat, title=title)
        ledger.emit(ChatInfoChanged(title=title), now)
    ledger.emit(_message(turn), now)
    return turn


def edit(ledger: Ledger, message_id: str, text: str, now: float) -> Turn:
    turn = _waiting(ledger, message_id)
    _check_said(text, turn.attachments)
    turn = ledger.change(turn, text=text)
    ledger.emit(_message(turn), now)
    return turn


def remove(ledger: Ledger, message_id: str, now: float) -> None:
    turn = ledger.change(
        _waiting(ledger, message_id), state="cancelled", ended_at=now, stop_reason="cancelled"
    )
    event = MessagePosted(id=turn.message_id, role="user", text=turn.text, removed=True)
    ledger.emit(event, now)


def start(ledger: Ledger, turn: Turn, now: float) -> Turn:
    turn = ledger.change(turn, state="running", started_at=now)
    if turn.agent != ASSISTANT:
        tasks.of_whole_turn(ledger, turn, now)
    event = TurnStarted(
        turn=turn.id,
        by="agent" if turn.agent else "assistant",
        message_id=turn.message_id,
        agent=turn.agent or None,
        session_name=turn.session_name if turn.agent else None,
    )
    ledger.emit(event, now)
    return turn


def cancel(ledger: Ledger, now: float, wanted: str | None = None) -> Turn:
    """Stop the running turn: at once if no prompt is out, else as soon as the agents say so."""
    turn = running(ledger)
    if turn is None or wanted not in (None, turn.id):
        raise Conflict("Nothing is running in this chat." if turn is None else "Another turn is running now.")
    if turn.cancelled_at is not None:
        return turn
    turn = ledger.change(turn, cancelled_at=now)
    ledger.emit(NoticeGiven(level="info", code="stopping", text="Stopping.", turn=turn.id), now)
    for question in _questions_of(ledger, turn):
        questions.cancel(ledger, question, now)
    terminals.stop_turn(ledger, turn.id)
    for task in tasks.of_turn(ledger, turn):
        request = tasks.prompt_request(ledger, task)
        session = ledger.get(Session, request.subject["session"]) if request else None
        if session is not None:
            sessions.cancel(ledger, session, left_running.to_end(ledger, task, session))
        else:
            finish(ledger, task, "cancelled", "cancelled", now)
            _give_up_starting(ledger, task)
            _give_up_signing_in(ledger, task)
    return turn


def finish(
    ledger: Ledger, task: Task, state: TurnState, stop_reason: str, now: float, error: Json | None = None
) -> None:
    """A task is over, and with it the turn that was nothing else."""
    turn = ledger.get(Turn, task.turn)
    tasks.close(ledger, task, stop_reason, now)
    if task.tool_call_id is not None:
        delegating.finished(ledger, task, stop_reason, error, now)
    elif turn is not None:
        end(ledger, turn, state, stop_reason, now, error)
    tasks.tell_free(ledger, task.agent, now)


def end(
    ledger: Ledger, turn: Turn, state: TurnState, stop_reason: str, now: float, error: Json | None = None
) -> None:
    """The one way a running turn ends."""
    for task in tasks.of_turn(ledger, turn):
        tasks.close(ledger, task, stop_reason, now)
    for question in _questions_of(ledger, turn):
        questions.cancel(ledger, question, now)
    ledger.change(turn, state=state, ended_at=now, stop_reason=stop_reason, error=error)
    ledger.emit(TurnEnded(turn=turn.id, stop_reason=stop_reason, error=error), now)


def _message(turn: Turn) -> MessagePosted:
    return MessagePosted(
        id=turn.message_id,
        role="user",
        text=turn.text,
        attachments=turn.attachments,
        queued=True,
        ahead=turn.ahead or None,
    )


def _check_said(text: str, attachments: tuple[Json, ...]) -> None:
    if not text.strip() and not attachments:
        raise Invalid("This message says nothing.", "Write something, or attach a file.")


def _waiting(ledger: Ledger, message_id: str) -> Turn:
    for turn in queued(ledger):
        if turn.message_id == message_id:
            return turn
    raise NotFound("This message is not waiting any more.", "Its turn has begun, or it was removed.")


def _questions_of(ledger: Ledger, turn: Turn) -> list[Question]:
    return [question for question in ledger.all(Question) if question.turn == turn.id]


def _give_up_starting(ledger: Ledger, task: Task) -> None:
    process = tasks.process_of(ledger, task.agent)
    if (
        process is not None
        and process.state in ("waiting", "starting")
        and not tasks.of_agent(ledger, task.agent)
    ):
        ledger.change(process, state="stopping", force=True)


def _give_up_signing_in(ledger: Ledger, task: Task) -> None:
    """An agent that is still at it would hold up whatever comes next."""
    process = tasks.process_of(ledger, task.agent)
    if process is None or tasks.of_agent(ledger, task.agent):
        return
    for request in ledger.all(Request):
        if request.process_id == process.id and request.method == "authenticate":
            sessions.drop(ledger, request)
            ledger.change(request, response={"error": {"message": "the turn was stopped"}})
