"""Questions that wait for a person, each decided exactly once.

Lives here: asking, answering, and taking questions back when nobody can answer
them any more. Lives elsewhere: how an agent asks (agents/sessions.py).
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime
from typing import Literal

from voxpilot.agents import choosing, forms, wishes
from voxpilot.agents.dialogue import FORM, AnswerWanted
from voxpilot.chat.events import Json, NoticeGiven, QuestionAnswered, QuestionAsked
from voxpilot.errors import Conflict, Invalid, NotFound
from voxpilot.runtime.ground import caution
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Question, Request, Session, Task, Turn

OPEN_LIMIT = 1000
"""Open questions in one chat; an agent that floods people with more gets no for an answer."""
AGENTS = "agent"
"""The purpose of a question that an agent put; its answer goes to the agent as it is."""


class AlreadyDecided(Conflict):
    """Somebody or something was faster."""

    code = "already-decided"


def ask(ledger: Ledger, wanted: AnswerWanted, task: Task | None, at: float) -> None:
    """Put what an agent asks to the person: within its prompt, or else the task that it gets ready for."""
    session = wanted.session and (ledger.get(Session, wanted.session.id) or wanted.session)
    process = ledger.get(Process, wanted.request.process_id)
    asking: Session | Task | None = session if session is not None and session.prompting else None
    prepares = asking is None and wanted.request.method == FORM and _prepares(ledger, session)
    if prepares:
        asking = task
    turn = ledger.get(Turn, asking.turn) if asking is not None and asking.turn else None
    is_chosen = prepares and task is None and process is not None and _is_chosen(ledger, process)
    if (turn is None and not is_chosen) or (turn is not None and turn.cancelled_at is not None):
        # Nobody may approve what was stopped, or what neither a turn nor a person asked for.
        wishes.dismiss(ledger, wanted.request)
        return
    if len(ledger.all(Question)) >= OPEN_LIMIT:
        _note_flood(ledger, turn.id if turn else None, at)
        wishes.dismiss(ledger, wanted.request)
        return
    wish = wishes.wish_of(ledger, session, wanted, at)
    if wish is None:
        wishes.refuse_wish(ledger, wanted.request)
        return
    question = Question(
        id=_id_for(wanted.request),
        chat_id=ledger.chat.id,
        turn=turn.id if turn else None,
        process_id=wanted.request.process_id,
        request_id=wanted.request.id,
        session_id=session.id if session is not None and not prepares else "",
        type=wish.type,
        title=wish.title,
        detail=wish.detail,
        options=wish.options,
        asked_at=at,
    )
    agent = process.agent if process else None
    _put(ledger, question, agent, asking.tool_call_id if asking else None, at)


def _prepares(ledger: Ledger, session: Session | None) -> bool:
    """Whether an agent is at something else than a prompt: opening a session, signing in, taking a choice."""
    return session is None or session.loading is not None or _takes_choice(ledger, session)


def _takes_choice(ledger: Ledger, session: Session) -> bool:
    return any(chosen_in.id == session.id for _, chosen_in in choosing.under_way(ledger))


def _is_chosen(ledger: Ledger, process: Process) -> bool:
    """Whether a person wants of an agent what it is at, although no turn does."""
    mine = [session for session in ledger.all(Session) if session.agent == process.agent]
    return any(session.wanted or _takes_choice(ledger, session) for session in mine)


def ask_ourselves(
    ledger: Ledger,
    purpose: str,
    type: Literal["permission", "confirm", "sign-in"],
    title: str,
    detail: Json,
    options: tuple[Json, ...],
    at: float,
    turn: str | None = None,
    request: Request | None = None,
    session: Session | None = None,
    agent: str | None = None,
    process_id: str = "",
    tool_call_id: str | None = None,
) -> Question:
    """Ask the person something of our own; `decisions.py` says what follows from the answer.

    With a request, the question is about that request of an agent's: it is taken back when the
    agent withdraws it, and closed when the agent is gone; so it is with a process.
    """
    question = Question(
        id=_id_for(request) if request else f"q-{uuid.uuid4().hex[:12]}",
        chat_id=ledger.chat.id,
        turn=turn,
        process_id=request.process_id if request else process_id,
        request_id=request.id if request else "",
        session_id=session.id if session else "",
        type=type,
        title=title,
        detail=detail,
        options=options,
        asked_at=at,
        purpose=purpose,
    )
    _put(ledger, question, agent, session.tool_call_id if session else tool_call_id, at)
    return question


def asked(ledger: Ledger, purpose: str, turn: str | None = None) -> Question | None:
    """An open question of ours."""
    for question in ledger.all(Question):
        if question.purpose == purpose and turn in (None, question.turn):
            return question
    return None


def answer(
    ledger: Ledger, question_id: str, option_id: str, where: str, reason: str | None, at: float
) -> Question:
    """A person's choice among the options of a question."""
    question, request = _open(ledger, question_id)
    chosen = next((option for option in question.options if option["id"] == option_id), None)
    if chosen is None:
        raise Invalid("That is not one of the options.", "Choose one that was offered.")
    return _choose(ledger, question, request, chosen, "person", at, where, reason)


def choose_for_person(
    ledger: Ledger, question: Question, option_id: str, by: str, at: float, reason: str | None = None
) -> Question:
    """An option chosen by a policy, a rule or the clock."""
    chosen = next(option for option in question.options if option["id"] == option_id)
    request = ledger.get(Request, question.request_id)
    return _choose(ledger, question, request, chosen, by, at, reason=reason)


def respond(
    ledger: Ledger, question_id: str, action: str, content: Json | None, where: str, at: float
) -> Question:
    """A person's answer to a form or a link."""
    question, request = _open(ledger, question_id)
    if question.type not in ("form", "url") or request is None:
        raise Invalid("This question is answered with one of its options.", "Send option_id.")
    if question.type == "form" and action == "accept":
        content = forms.checked(question.detail["schema"], content or {})
    wishes.respond(ledger, request, action, content if question.type == "form" else None)
    return _decide(ledger, question, action, "person", at, where=where)


def holds_up(ledger: Ledger, process: Process) -> bool:
    """Whether an agent cannot go on with what it prepares before a person has answered."""
    return any(q.process_id == process.id and not q.session_id for q in ledger.all(Question))


def _wait_anew(ledger: Ledger, question: Question, at: float) -> None:
    """The time that a person took is not the agent's."""
    for request in ledger.all(Request):
        if request.process_id == question.process_id and request.direction == "out":
            ledger.change(request, created_at=at)


def settle(ledger: Ledger, question: Question, outcome: str, at: float, reason: str | None = None) -> None:
    """The person did what was wanted, or tried to, elsewhere than here."""
    _decide(ledger, question, outcome, "person", at, reason=reason)


def withdraw(ledger: Ledger, request: Request, at: float) -> None:
    """The agent takes its question back."""
    for question in ledger.all(Question):
        if question.request_id == request.id:
            cancel(ledger, question, at)


def cancel(
    ledger: Ledger, question: Question, at: float, by: str = "cancelled", reason: str | None = None
) -> None:
    """Tell the agent that nobody will choose."""
    request = ledger.get(Request, question.request_id)
    if request is not None and ledger.get(Process, question.process_id) is not None:
        wishes.dismiss(ledger, request)
    _decide(ledger, question, "cancelled", by, at, reason=reason)


def expire(ledger: Ledger, question: Question, why: str, at: float) -> None:
    """The agent is gone: there is nobody to tell."""
    _decide(ledger, question, "expired", "expired", at, reason=why)


def explain_decided(question: Question) -> AlreadyDecided:
    """Why an answer comes too late."""
    match question.decided_by:
        case "cancelled":
            return AlreadyDecided("The turn was stopped, so this question is closed.")
        case "expired" if question.outcome == "expired":
            return AlreadyDecided(
                "The agent is gone, so nothing was done.", "Send a message to start it again."
            )
    label = next((o["label"] for o in question.options if o["id"] == question.option_id), question.outcome)
    when = datetime.fromtimestamp(question.decided_at or 0).strftime("%H:%M")
    return AlreadyDecided(f"Already decided by {_who(question)} at {when}: {label}.")


def _who(question: Question) -> str:
    match question.decided_by:
        case "auto":
            return "the chat's policy"
        case "rule":
            return "a rule of yours"
        case "expired":
            return "the time limit"
    return question.decided_where or "you"


def _note_flood(ledger: Ledger, turn: str | None, at: float) -> None:
    """Said once for a turn."""
    said = ledger.transcript.find("notice", f"too-many-questions/{turn}")
    if said is None:
        text = f"The agent asks more than {OPEN_LIMIT} things at once; the rest was turned down."
        ledger.emit(NoticeGiven(level="warning", code="too-many-questions", text=text, turn=turn), at)


def _id_for(request: Request) -> str:
    return f"q-{request.id.replace(':', '-')}"


def _put(ledger: Ledger, question: Question, agent: str | None, tool_call_id: str | None, at: float) -> None:
    if question.type == "permission" and (why := caution(ledger, question.detail)):
        question = replace(question, detail={**question.detail, "caution": why})
    ledger.save(question)
    event = QuestionAsked(
        id=question.id,
        type=question.type,  # type: ignore[arg-type]
        title=question.title,
        detail=question.detail,
        options=question.options,
        agent=agent,
        turn=question.turn,
        tool_call_id=tool_call_id,
    )
    ledger.emit(event, at)


def _open(ledger: Ledger, question_id: str) -> tuple[Question, Request | None]:
    """The caller sees to it that a question not found here was decided or never was."""
    question = ledger.get(Question, question_id)
    request = ledger.get(Request, question.request_id) if question else None
    if question is None or (request is None and question.request_id):
        raise NotFound("There is no such open question.")
    return question, request


def _choose(
    ledger: Ledger,
    question: Question,
    request: Request | None,
    chosen: Json,
    by: str,
    at: float,
    where: str | None = None,
    reason: str | None = None,
) -> Question:
    if question.purpose == AGENTS and request is not None:
        wishes.choose(ledger, request, chosen)
    session = ledger.get(Session, question.session_id)
    kind = question.detail.get("tool_kind")
    if session is not None and chosen["kind"] == "allow_always" and isinstance(kind, str):
        ledger.change(session, always=tuple({*(session.always or ()), kind}))
    return _decide(ledger, question, chosen["kind"] or "selected", by, at, chosen["id"], where, reason)


def _decide(
    ledger: Ledger,
    question: Question,
    outcome: str,
    by: str,
    at: float,
    option_id: str | None = None,
    where: str | None = None,
    reason: str | None = None,
) -> Question:
    decided = ledger.change(
        question,
        state="decided",
        outcome=outcome,
        option_id=option_id,
        decided_by=by,
        decided_where=where,
        decided_at=at,
        reason=reason,
    )
    if question.process_id and not question.session_id:
        _wait_anew(ledger, question, at)
    session = ledger.get(Session, question.session_id)
    event = QuestionAnswered(
        question_id=question.id,
        outcome=outcome,
        by=by,  # type: ignore[arg-type]
        option_id=option_id,
        where=where,
        reason=reason,
        turn=question.turn,
        tool_call_id=session.tool_call_id if session else None,
    )
    ledger.emit(event, at)
    return decided
