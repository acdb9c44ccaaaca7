"""A turn: one message of a person and everything it leads to until it is answered.

Lives here: the queue, and how a turn starts, is stopped and ends. States only
move forward, and every turn ends exactly once. Lives elsewhere: moving a running turn forward, step by step
(step/progress.py), questions (questions/open_questions.py).
"""

from __future__ import annotations

import uuid
from typing import Any

from voxpilot.agents.requests import sessions
from voxpilot.assistant.attachments import check as check_attachments
from voxpilot.chat import references
from voxpilot.chat.events import (
    ChatInfoChanged,
    Json,
    MessagePosted,
    NoticeGiven,
    TurnEnded,
    TurnStarted,
)
from voxpilot.chat.gathered import kept
from voxpilot.chat.titles import title_for
from voxpilot.errors import Conflict, Invalid, NotFound, Problem
from voxpilot.runtime.callbacks import orphan_commands, terminals
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.runtime.turns import delegation, handover, tasks
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Question, Session, Task, Turn
from voxpilot.storage.database.states import ProcessState, TurnState
from voxpilot.storage.database.subjects import Prompt

ASSISTANT = handover.ASSISTANT
QUEUE_BYTES = 32_000_000
"""How much may wait in one chat, with attachments; it is held in memory until it is sent."""
ALL_BYTES = 256_000_000
"""How much the messages of all chats may take together, those that are being answered among them."""
SMALL_BYTES = 100_000
"""A message of this size is always accepted."""


def running(ledger: Ledger) -> Turn | None:
    return next(iter(all_running(ledger)), None)


def all_running(ledger: Ledger) -> list[Turn]:
    return [turn for turn in ledger.all(Turn) if turn.state is TurnState.RUNNING]


def queued(ledger: Ledger) -> list[Turn]:
    """Queued messages, the next one first."""
    waiting = [turn for turn in ledger.all(Turn) if turn.state is TurnState.QUEUED]
    return sorted(waiting, key=lambda turn: (not turn.ahead, turn.number))


def post(ledger: Ledger, text: str, attachments: tuple[Json, ...], now: float, ahead: bool = False) -> Turn:
    """Queue a person's message behind the running turn; with `ahead`, before the others in the queue."""
    before = running(ledger) if ahead else None
    agent = before.agent if before is not None else handover.answerer(ledger.chat)
    if agent is None:
        raise Invalid("This chat has no agent.", "Choose an agent for this chat.")
    _check_said(text, attachments)
    if not ahead:  # a reason is short, and the decision it belongs to must not fail
        _check_room(queued(ledger), text, attachments)
    references.check(attachments)
    if agent == ASSISTANT:
        check_attachments(attachments)
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
            handover=handover.take(ledger, agent, now),
        )
    )
    if not ledger.chat.title:
        title = title_for(text, attachments)
        ledger.change(ledger.chat, title=title)
        ledger.emit(ChatInfoChanged(title=title), now)
    ledger.emit(_message(ledger, turn), now)
    return turn


def held_bytes(ledger: Ledger) -> int:
    """About how much the open messages of a chat take in memory."""
    return sum(_size((turn.text, turn.attachments)) for turn in ledger.all(Turn))


def check_room_for_all(held: int, text: str, attachments: tuple[Json, ...]) -> None:
    """Whether a message may be added to those that all chats together hold."""
    size = _size((text, attachments))
    if size > SMALL_BYTES and held and held + size > ALL_BYTES:
        raise Conflict(
            "Too many large messages are waiting or being answered in all chats.",
            f"They can total {ALL_BYTES // 1_000_000} MB. Send this one when some of the others are done.",
        )


def edit(ledger: Ledger, message_id: str, text: str, now: float) -> Turn:
    turn = _waiting(ledger, message_id)
    _check_said(text, turn.attachments)
    _check_room([other for other in queued(ledger) if other is not turn], text, turn.attachments)
    turn = ledger.change(turn, text=text)
    ledger.emit(_message(ledger, turn), now)
    return turn


def remove(ledger: Ledger, message_id: str, now: float) -> None:
    turn = ledger.change(
        _waiting(ledger, message_id), state=TurnState.CANCELLED, ended_at=now, stop_reason="cancelled"
    )
    event = MessagePosted(id=turn.message_id, role="user", text=turn.text, removed=True)
    ledger.emit(event, now)
    if (following := handover.give_back(ledger, turn, queued(ledger), now)) is not None:
        ledger.emit(_message(ledger, following), now)


def tell_who_gets(ledger: Ledger, now: float) -> None:
    """The chat is with another one now: queued messages keep theirs, and say so."""
    for waiting in queued(ledger):
        ledger.emit(_message(ledger, waiting), now)


def start(ledger: Ledger, turn: Turn, now: float) -> Turn:
    turn = ledger.change(turn, state=TurnState.RUNNING, started_at=now)
    ledger.change(ledger.chat, answered_by=turn.agent)
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
    """Stop the running turn: immediately if no prompt was sent, otherwise as soon as the agents confirm."""
    turn = running(ledger)
    if turn is None or wanted not in (None, turn.id):
        raise Conflict("Nothing is running in this chat." if turn is None else "Another turn is running now.")
    if turn.cancelled_at is not None:
        return turn
    turn = ledger.change(turn, cancelled_at=now)
    ledger.emit(NoticeGiven(level="info", code="stopping", text="Stopping.", turn=turn.id), now)
    for question in _questions_of(ledger, turn):
        open_questions.cancel(ledger, question, now)
    terminals.stop_turn(ledger, turn.id)
    for task in tasks.of_turn(ledger, turn):
        request = tasks.prompt_request(ledger, task)
        session = ledger.get(Session, request.about(Prompt).session) if request else None
        if session is not None:
            sessions.cancel(ledger, session, orphan_commands.to_end(ledger, task, session))
        else:
            finish(ledger, task, TurnState.CANCELLED, "cancelled", now)
            _give_up_starting(ledger, task)
            _give_up_signing_in(ledger, task)
    return turn


def finish(
    ledger: Ledger, task: Task, state: TurnState, stop_reason: str, now: float, problem: Problem | None = None
) -> None:
    """A task is over, and so is its turn if it had no other work."""
    turn = ledger.get(Turn, task.turn)
    tasks.close(ledger, task, stop_reason, now)
    if task.tool_call_id is not None:
        delegation.finished(ledger, task, stop_reason, problem, now)
    elif turn is not None:
        end(ledger, turn, state, stop_reason, now, problem)
    tasks.tell_free(ledger, task.agent, now)


def end(
    ledger: Ledger, turn: Turn, state: TurnState, stop_reason: str, now: float, problem: Problem | None = None
) -> None:
    """The one way a running turn ends."""
    for task in tasks.of_turn(ledger, turn):
        tasks.close(ledger, task, stop_reason, now)
    for question in _questions_of(ledger, turn):
        open_questions.cancel(ledger, question, now)
    error = problem.as_json() if problem else None
    context = kept(turn.context, is_agents=bool(turn.agent))
    ledger.change(turn, state=state, ended_at=now, stop_reason=stop_reason, error=error, context=context)
    ledger.emit(TurnEnded(turn=turn.id, stop_reason=stop_reason, error=error), now)
    for changed in handover.ended(ledger, turn, queued(ledger), now):
        ledger.emit(_message(ledger, changed), now)


def _message(ledger: Ledger, turn: Turn) -> MessagePosted:
    return MessagePosted(
        id=turn.message_id,
        role="user",
        text=turn.text,
        attachments=turn.attachments,
        queued=True,
        ahead=turn.ahead or None,
        to=None if turn.agent == handover.answerer(ledger.chat) else turn.agent,
        handover=turn.handover["text"] if turn.handover else None,
    )


def _check_said(text: str, attachments: tuple[Json, ...]) -> None:
    if not text.strip() and not attachments:
        raise Invalid("The message is empty.", "Write a message or attach a file.")


def _check_room(waiting: list[Turn], text: str, attachments: tuple[Json, ...]) -> None:
    """One message of any size may wait; more only as long as all of them are not too large together."""
    size = _size((text, attachments)) + sum(_size((turn.text, turn.attachments)) for turn in waiting)
    if waiting and size > QUEUE_BYTES:
        raise Conflict(
            "The queue is full.",
            f"Queued messages can total {QUEUE_BYTES // 1_000_000} MB. Remove one, or wait until the next "
            "one starts.",
        )


def _size(value: Any) -> int:
    """About how many bytes it takes."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list | tuple) else 0


def _waiting(ledger: Ledger, message_id: str) -> Turn:
    for turn in queued(ledger):
        if turn.message_id == message_id:
            return turn
    raise NotFound("This message is no longer in the queue.", "Its turn has started, or it was removed.")


def _questions_of(ledger: Ledger, turn: Turn) -> list[Question]:
    return [question for question in ledger.all(Question) if question.turn == turn.id]


def _give_up_starting(ledger: Ledger, task: Task) -> None:
    process = tasks.process_of(ledger, task.agent)
    if (
        process is not None
        and process.state in (ProcessState.WAITING, ProcessState.STARTING)
        and not tasks.of_agent(ledger, task.agent)
    ):
        stop_process(ledger, process, at_once=True)


def _give_up_signing_in(ledger: Ledger, task: Task) -> None:
    """An agent that is still working would delay whatever comes next."""
    process = tasks.process_of(ledger, task.agent)
    if process is None or tasks.of_agent(ledger, task.agent):
        return
    for request in ledger.all(Request):
        if request.process_id == process.id and request.purpose is Purpose.SIGN_IN:
            sessions.abandon(ledger, request, "the turn was stopped")
