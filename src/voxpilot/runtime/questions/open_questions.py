"""Questions that wait for a person, each decided exactly once.

Lives here: asking, answering, and closing questions that nobody can answer any more. Lives elsewhere: how an
agent asks (agents/requests/agent_questions.py).
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime
from typing import Literal

from voxpilot.agents.requests import agent_questions, choosing, forms
from voxpilot.agents.requests.dialogue import AnswerWanted
from voxpilot.chat.events import Json, NoticeGiven, QuestionAnswered, QuestionAsked
from voxpilot.errors import Conflict, Invalid, NotFound
from voxpilot.runtime.shared.boundaries import caution, shell_folders_after
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Process, Question, Session, Task, Turn
from voxpilot.storage.database.states import Direction, QuestionState, SessionPhase
from voxpilot.values import dataclass

OPEN_LIMIT = 1000
"""The most open questions in one chat; any beyond that are rejected."""
AGENTS = "agent"
"""The purpose of an agent's question; its answer goes to the agent unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQuestion:
    """A question of our own, before it is asked."""

    purpose: str
    """What it is for: step/decisions.py says what follows from the answer."""
    type: Literal["permission", "confirm", "sign-in"]
    title: str
    detail: Json
    """What the person sees besides the title."""
    options: tuple[Json, ...]
    turn: str | None = None
    agent: str | None = None
    session: Session | None = None
    """The session it belongs to; it is closed when the session's prompt ends."""
    request: Request | None = None
    """The agent's request it is about: withdrawn with it, and closed when the agent is gone."""
    process_id: str = ""
    """Without a request: the process whose end closes it."""
    tool_call_id: str | None = None
    """Without a session: the assistant's call in which it is shown."""


class AlreadyDecided(Conflict):
    """Somebody or something decided first."""

    code = "already-decided"


def ask(ledger: Ledger, wanted: AnswerWanted, task: Task | None, at: float) -> None:
    """Show an agent's question to the person, in its prompt or else in the task it is preparing for."""
    session = wanted.session and (ledger.get(Session, wanted.session.id) or wanted.session)
    process = ledger.get(Process, wanted.request.process_id)
    is_prompted = session is not None and session.phase is SessionPhase.PROMPTING
    asking: Session | Task | None = session if is_prompted else None
    prepares = asking is None and wanted.request.purpose is Purpose.FORM and _prepares(ledger, session)
    if prepares:
        asking = task
    turn = ledger.get(Turn, asking.turn) if asking is not None and asking.turn else None
    is_chosen = prepares and task is None and process is not None and _is_chosen(ledger, process)
    if (turn is None and not is_chosen) or (turn is not None and turn.cancelled_at is not None):
        # Nobody may approve work that was stopped, or that neither a turn nor a person requested.
        agent_questions.dismiss(ledger, wanted.request)
        return
    if len(ledger.all(Question)) >= OPEN_LIMIT:
        _note_flood(ledger, turn.id if turn else None, at)
        agent_questions.dismiss(ledger, wanted.request)
        return
    new = agent_questions.question_of(ledger, session, wanted, at)
    if new is None:
        agent_questions.refuse_question(ledger, wanted.request)
        return
    question = Question(
        id=_id_for(wanted.request),
        chat_id=ledger.chat.id,
        turn=turn.id if turn else None,
        process_id=wanted.request.process_id,
        request_id=wanted.request.id,
        session_id=session.id if session is not None and not prepares else "",
        type=new.type,
        title=new.title,
        detail=new.detail,
        options=new.options,
        asked_at=at,
    )
    agent = process.agent if process else None
    _put(ledger, question, agent, asking.tool_call_id if asking else None, at)


def _prepares(ledger: Ledger, session: Session | None) -> bool:
    """Whether an agent is doing something other than a prompt: opening a session, signing in, applying an
    option."""
    return session is None or session.phase is SessionPhase.RESTORING or _takes_choice(ledger, session)


def _takes_choice(ledger: Ledger, session: Session) -> bool:
    return any(chosen_in.id == session.id for _, chosen_in in choosing.under_way(ledger))


def _is_chosen(ledger: Ledger, process: Process) -> bool:
    """Whether a person requested what the agent is doing, although no turn did."""
    mine = [session for session in ledger.all(Session) if session.agent == process.agent]
    return any(session.wanted or _takes_choice(ledger, session) for session in mine)


def ask_ourselves(ledger: Ledger, new: NewQuestion, at: float) -> Question:
    """Ask the person a question of our own; `decisions.py` defines what follows from the answer."""
    request, session = new.request, new.session
    question = Question(
        id=_id_for(request) if request else f"q-{uuid.uuid4().hex[:12]}",
        chat_id=ledger.chat.id,
        turn=new.turn,
        process_id=request.process_id if request else new.process_id,
        request_id=request.id if request else "",
        session_id=session.id if session else "",
        type=new.type,
        title=new.title,
        detail=new.detail,
        options=new.options,
        asked_at=at,
        purpose=new.purpose,
    )
    _put(ledger, question, new.agent, session.tool_call_id if session else new.tool_call_id, at)
    return question


def call_in(question: Question) -> Json:
    """Everything known about the call in question, for the decision."""
    return {**question.detail, "title": question.title}


def asked(ledger: Ledger, purpose: str, turn: str | None = None) -> Question | None:
    """One of our own open questions."""
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
        raise Invalid("That is not one of the options.", "Choose one of the offered options.")
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
    """A person's answer to a form or a link; or none of the options that an agent offers."""
    question, request = _open(ledger, question_id)
    if question.purpose == AGENTS and question.type == "permission" and action in ("decline", "cancel"):
        if request is not None:
            agent_questions.dismiss(ledger, request)
        return _decide(ledger, question, "cancelled", "person", at, where=where)
    if question.type not in ("form", "url") or request is None:
        raise Invalid("Answer this question with one of its options.", "Send option_id.")
    if question.type == "form" and action == "accept":
        content = forms.checked(question.detail["schema"], content or {})
    agent_questions.respond(ledger, request, action, content if question.type == "form" else None)
    return _decide(ledger, question, action, "person", at, where=where)


def holds_up(ledger: Ledger, process: Process) -> bool:
    """Whether an agent is blocked until a person has answered."""
    return any(q.process_id == process.id and not q.session_id for q in ledger.all(Question))


def _wait_anew(ledger: Ledger, question: Question, at: float) -> None:
    """The time a person took does not count against the agent."""
    for request in ledger.all(Request):
        if request.process_id == question.process_id and request.direction is Direction.OUT:
            ledger.change(request, created_at=at)


def settle(ledger: Ledger, question: Question, outcome: str, at: float, reason: str | None = None) -> None:
    """The person did, or tried to do, what was asked somewhere else."""
    _decide(ledger, question, outcome, "person", at, reason=reason)


def withdraw(ledger: Ledger, request: Request, at: float) -> None:
    """The agent withdraws its question."""
    for question in ledger.all(Question):
        if question.request_id == request.id:
            cancel(ledger, question, at)


def cancel(
    ledger: Ledger, question: Question, at: float, by: str = "cancelled", reason: str | None = None
) -> None:
    """Tell the agent that nobody will choose."""
    request = ledger.get(Request, question.request_id)
    if request is not None and ledger.get(Process, question.process_id) is not None:
        agent_questions.dismiss(ledger, request)
    _decide(ledger, question, "cancelled", by, at, reason=reason)


def expire(ledger: Ledger, question: Question, why: str, at: float) -> None:
    """The agent is gone, so nobody is told."""
    _decide(ledger, question, "expired", "expired", at, reason=why)


def explain_decided(question: Question) -> AlreadyDecided:
    """The error for an answer that comes too late."""
    match question.decided_by:
        case "cancelled":
            return AlreadyDecided("The turn was stopped, so this question is closed.")
        case "expired" if question.outcome == "expired":
            return AlreadyDecided(
                "The agent exited, so the answer was not used.", "Send a message to start it again."
            )
    label = next((o["label"] for o in question.options if o["id"] == question.option_id), question.outcome)
    when = datetime.fromtimestamp(question.decided_at or 0).strftime("%H:%M")
    return AlreadyDecided(f"Already decided by {_who(question)} at {when}: {label}.")


def _who(question: Question) -> str:
    match question.decided_by:
        case "auto":
            return "the chat's policy"
        case "rule":
            return "one of your rules"
        case "expired":
            return "the time limit"
    return question.decided_where or "you"


def _note_flood(ledger: Ledger, turn: str | None, at: float) -> None:
    """Shown once per turn."""
    said = ledger.transcript.find("notice", f"too-many-questions/{turn}")
    if said is None:
        text = f"The agent asked more than {OPEN_LIMIT} questions at once; the rest were rejected."
        ledger.emit(NoticeGiven(level="warning", code="too-many-questions", text=text, turn=turn), at)


def _id_for(request: Request) -> str:
    return f"q-{request.id.replace(':', '-')}"


def _put(ledger: Ledger, question: Question, agent: str | None, tool_call_id: str | None, at: float) -> None:
    if question.type == "permission":
        session, turn = ledger.get(Session, question.session_id), ledger.get(Turn, question.turn or "")
        why = caution(ledger, call_in(question), session, turn)
        question = replace(question, detail={**question.detail, **why})
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
    """The caller makes sure that a question not found here was decided or never existed."""
    question = ledger.get(Question, question_id)
    request = ledger.get(Request, question.request_id) if question else None
    if question is None or (request is None and question.request_id):
        raise NotFound("Question not found, or no longer open.")
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
        agent_questions.choose(ledger, request, chosen)
    session = ledger.get(Session, question.session_id)
    kind = question.detail.get("tool_kind")
    if session is not None and question.purpose == AGENTS and chosen["kind"].startswith("allow"):
        session = _note_folders(ledger, session, question.detail)
    if session is not None and chosen["kind"] == "allow_always" and isinstance(kind, str):
        ledger.change(session, always=tuple({*(session.always or ()), kind}))
    return _decide(ledger, question, chosen["kind"] or "selected", by, at, chosen["id"], where, reason)


def _note_folders(ledger: Ledger, session: Session, call: Json) -> Session:
    """Some agents keep one shell for all commands: the next one starts where this one ends."""
    after = shell_folders_after(ledger, session, call)
    is_new = after != (session.shell_in or ledger.chat.roots[:1])
    return ledger.change(session, shell_in=after) if is_new else session


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
        state=QuestionState.DECIDED,
        outcome=outcome,
        option_id=option_id,
        decided_by=by,
        decided_where=where,
        asked_at=question.asked_at + ledger.shift,  # these no longer affect the decision; they are only shown
        decided_at=at + ledger.shift,
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
