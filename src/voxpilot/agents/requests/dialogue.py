"""A conversation with one agent process: its frames in order, and ours.

Lives here: parsing each line, matching answers to requests, refusing unsupported requests, and storing every
request as a row. Anything that needs a decision is yielded as a happening, in order with the updates. Lives
elsewhere: updates (updates/translate.py), what to ask an agent (sessions.py), decisions (runtime/).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any

from voxpilot.agents.installed.failures import CANCELLED
from voxpilot.agents.installed.quirks import remark_in
from voxpilot.agents.requests.purposes import CALLBACKS, OPENS_SESSION, purpose_of
from voxpilot.agents.updates import replay
from voxpilot.agents.updates.translate import SPOKEN, translate
from voxpilot.agents.wire import frames
from voxpilot.chat.events import Json, NoticeGiven, UpdateNotUnderstood
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import EarlyFrame, Process, Session
from voxpilot.storage.database.states import Direction, SessionPhase
from voxpilot.storage.database.subjects import NOTHING, Choice, Prompt, Subject
from voxpilot.values import dataclass

log = logging.getLogger(__name__)
EARLY_FRAMES = 500
"""Updates kept for a session that is still being opened."""
PASSED_OVER_BYTES = 1000
"""How much of a line that could not be processed is shown."""
LATE_SECONDS = 2.0
"""How long after the answer to its prompt an agent's output still belongs to that turn."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The agent answered a request of ours."""

    request: Request
    result: Any
    error: Json | None


@dataclass(frozen=True, slots=True)
class AnswerWanted:
    """The agent asks something that a person must answer: a permission, or a form or link to look at."""

    request: Request
    session: Session | None
    """None if it is about a request of ours that opens a session or signs in."""
    params: Json


@dataclass(frozen=True, slots=True)
class HelpWanted:
    """The agent asks us to read or write a file, or to run a command."""

    request: Request
    session: Session | None
    """None if it names a session that is not its own."""
    params: Json


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The agent no longer wants an answer to a request of its own."""

    request: Request


@dataclass(slots=True)
class Place:
    """The position within the lines of a record, and what is skipped because steps failed on it before.

    Anyone who waits for something skipped gets an error, unless that failed too: then it is dropped.
    """

    line: int = 0
    passed_over: frozenset[int] = frozenset()
    dropped: frozenset[int] = frozenset()
    is_passed_over: bool = False
    """The whole record."""
    is_dropped: bool = False


Happening = Answered | AnswerWanted | HelpWanted | Withdrawn


def hear(
    ledger: Ledger, process_id: str, lines: bytes, at: float, reading: Place | None = None
) -> Iterator[Happening]:
    """Record the lines in order; yields whatever needs a decision before the next line is processed."""
    reading = reading or Place()
    split = lines.split(b"\n")
    place = 0
    while place < len(split):
        if others := _up_to_a_frame(split, place):
            _count_unreadable(ledger, process_id, others)
            place += len(others)
            continue
        line = split[place]
        reading.line = place
        place += 1
        if reading.line in reading.passed_over:
            pass_over(ledger, line, at)
            if reading.line not in reading.dropped:
                yield from hear_outline(ledger, process_id, line, at)
            continue
        match frames.frame_in(line):
            case frames.Notification("session/update", params):
                said = _hear_update(ledger, process_id, params, line, at)
                if said and place < len(split) and (alike := frames.alike(line)):
                    texts = alike.texts_in(split, place)
                    ledger.more(texts)
                    place += len(texts)
            case frame:
                yield from _hear_other(ledger, process_id, frame, line, at)


def _up_to_a_frame(split: list[bytes], start: int) -> list[bytes]:
    """The next lines that cannot be frames; a program other than an agent may print thousands at once."""
    return list(takewhile(lambda line: not frames.may_be_one(line), islice(split, start, None)))


def _count_unreadable(ledger: Ledger, process_id: str, lines: list[bytes]) -> None:
    """They are reported at the end of the turn. Empty lines are nobody's mistake."""
    unreadable = [line for line in lines if line and not line.isspace()]
    if not unreadable:
        return
    process = _process(ledger, process_id)
    if not process.unreadable:  # the first says enough
        log.info("unreadable line: process=%s bytes=%d", process_id, len(unreadable[0]))
    ledger.change(process, unreadable=process.unreadable + len(unreadable))


def _hear_other(
    ledger: Ledger, process_id: str, frame: frames.Frame, line: bytes, at: float
) -> Iterator[Happening]:
    """Take a frame that is not an update of a session."""
    match frame:
        case frames.Notification("$/cancel_request", params):
            yield from _withdrawn(ledger, process_id, params)
        case frames.Answer():
            yield from _answer(ledger, process_id, frame, at)
        case frames.Call() if frame.unread:
            pass_over(ledger, line, at)
            _refuse_unread(ledger, process_id, frame, at)
        case frames.Call():
            yield from _call(ledger, process_id, frame, at)
        case frames.Unreadable():
            _count_unreadable(ledger, process_id, [line])


def hear_ends(ledger: Ledger, process_id: str, begins: str, ends: str, at: float) -> Iterator[Happening]:
    """Handle a line that was too long to keep: answer it if it was a request; if it was an answer, end what
    waits for it."""
    frame = frames.frame_between(begins.encode(), ends.encode(), "too large to be read")
    yield from _hear_outline(ledger, process_id, frame, at)


def hear_outline(ledger: Ledger, process_id: str, line: bytes, at: float) -> Iterator[Happening]:
    """The same for a line that is skipped."""
    yield from _hear_outline(ledger, process_id, frames.outline(line, "it could not be processed"), at)


def _hear_outline(ledger: Ledger, process_id: str, frame: frames.Frame, at: float) -> Iterator[Happening]:
    match frame:
        case frames.Answer():
            yield from _answer(ledger, process_id, frame, at)
        case frames.Call():
            _refuse_unread(ledger, process_id, frame, at)


def pass_over(ledger: Ledger, said: bytes, at: float) -> None:
    """Add a notice about a line that could not be processed."""
    text = "A message from the agent could not be processed and was skipped."
    detail = said[:PASSED_OVER_BYTES].decode("utf-8", "replace")
    ledger.emit(NoticeGiven(level="warning", code="passed-over", text=text, detail=detail), at)


def ask(
    ledger: Ledger,
    process_id: str,
    method: str,
    params: Json,
    at: float,
    subject: Subject = NOTHING,
    *,
    prompt: bool = False,
) -> Request:
    """Send a request; its answer arrives as a happening, even after a restart."""
    request = _new_request(ledger, process_id, Direction.OUT, "", method, subject, at)
    rpc_id = request.id.rpartition(":")[2]
    request = ledger.change(request, rpc_id=rpc_id)
    ledger.put_line(process_id, frames.request(rpc_id, method, params), rpc_id if prompt else None)
    return request


def tell(ledger: Ledger, process_id: str, method: str, params: Json, stops: Json | None = None) -> None:
    ledger.put_line(process_id, frames.notification(method, params), stops=stops)


def reply(ledger: Ledger, request: Request, result: Json, kept: Json | None = None) -> None:
    """Answer a request of the agent, once; `kept` is stored if the answer itself is too large to store."""
    ledger.change(request, response={"result": result if kept is None else kept})
    ledger.put_line(request.process_id, frames.result(request.rpc_id, result))


def refuse(ledger: Ledger, request: Request, code: int, message: str, data: Json | None = None) -> None:
    ledger.change(request, response={"error": {"code": code, "message": message}})
    ledger.put_line(request.process_id, frames.failure(request.rpc_id, code, message, data))


def welcome(ledger: Ledger, session: Session, at: float) -> None:
    """A session was opened: process the updates that arrived before we knew it."""
    for early in ledger.all(EarlyFrame):
        if early.process_id == session.process_id and early.acp_session_id == session.acp_session_id:
            known = ledger.get(Session, session.id) or session
            translate(ledger, known, frames.decode(early.line.encode())["params"].get("update"), at)
            ledger.delete(early)


def pass_over_early(ledger: Ledger, session: Session) -> None:
    """Drop the updates that arrived before we knew the session: they were repetitions."""
    for early in ledger.all(EarlyFrame):
        if early.process_id == session.process_id and early.acp_session_id == session.acp_session_id:
            ledger.delete(early)


def session_of(ledger: Ledger, process_id: str, acp_session_id: object) -> Session | None:
    for session in ledger.all(Session):
        if session.process_id == process_id and session.acp_session_id == acp_session_id:
            return session
    return None


def _hear_update(ledger: Ledger, process_id: str, params: Json, line: bytes, at: float) -> bool:
    """Record an update; True if it was text, so that similar lines can be joined."""
    update: Any = params.get("update")
    acp_session_id = params.get("sessionId")
    session = session_of(ledger, process_id, acp_session_id)
    if session is None:
        _keep_early(ledger, process_id, acp_session_id, line, params, at)
        return False
    if session.phase is SessionPhase.RESTORING:
        replay.hear(ledger, session, update, at)
        return False
    is_over = session.phase is not SessionPhase.PROMPTING
    if is_over and session.turn is not None and at > (session.answered_at or 0) + LATE_SECONDS:
        session = ledger.change(session, turn=None, tool_call_id=None)
    is_speaking = session.speaking == "agent_message_chunk"
    if remark := remark_in(_process(ledger, process_id).initialized, update, is_speaking):
        level, text = remark
        ledger.emit(NoticeGiven(level=level, code="agent-remark", text=text, turn=session.turn), at)
        ledger.change(session, heard=True)
        return False
    translate(ledger, session, update, at)
    match update:
        case {"sessionUpdate": str(kind), "content": {"type": "text", "text": str(text)}}:
            return bool(text) and kind in SPOKEN
    return False


def _keep_early(
    ledger: Ledger, process_id: str, acp_session_id: object, line: bytes, params: Json, at: float
) -> None:
    """Some agents send updates for a session before they answer the request that opens it."""
    waiting = [early for early in ledger.all(EarlyFrame) if early.process_id == process_id]
    opening = any(r.process_id == process_id and r.purpose in OPENS_SESSION for r in ledger.all(Request))
    if not isinstance(acp_session_id, str) or not opening or len(waiting) >= EARLY_FRAMES:
        ledger.emit(UpdateNotUnderstood(raw=params), at)
        return
    n = waiting[-1].n + 1 if waiting else 1
    ledger.save(
        EarlyFrame(
            process_id=process_id, n=n, acp_session_id=acp_session_id, line=line.decode("utf-8", "replace")
        )
    )


def _answer(ledger: Ledger, process_id: str, answer: frames.Answer, at: float) -> Iterator[Happening]:
    request = _open_request(ledger, process_id, Direction.OUT, answer.rpc_id)
    if request is not None:
        response = {"error": answer.error} if answer.error is not None else {"result": answer.result}
        yield Answered(ledger.change(request, response=response), answer.result, answer.error)
    elif answer.error is not None and answer.error.get("code") != CANCELLED:  # as we had asked for
        text = str(answer.error.get("message", "an error"))
        notice = NoticeGiven(level="warning", code="agent-complained", text=f"Message from the agent: {text}")
        ledger.emit(notice, at)


def _call(ledger: Ledger, process_id: str, call: frames.Call, at: float) -> Iterator[Happening]:
    request = _taken(ledger, process_id, call, at)
    if request.purpose in CALLBACKS:
        session = session_of(ledger, process_id, call.params.get("sessionId"))
        yield HelpWanted(request, session, call.params)
        return
    if request.purpose not in (Purpose.PERMISSION, Purpose.FORM):
        refuse(ledger, request, -32601, f"{call.method} is not supported")
        return
    session = session_of(ledger, process_id, call.params.get("sessionId"))
    about: Request | None = None
    if request.purpose is Purpose.FORM and "sessionId" not in call.params:
        # It may name a request of ours instead of its session.
        about = _open_request(ledger, process_id, Direction.OUT, frames.id_text(call.params.get("requestId")))
        subject = about.subject if about else None
        session = ledger.get(Session, subject.session) if isinstance(subject, Prompt | Choice) else None
    if session is None and about is None:
        refuse(ledger, request, -32602, "no such session")
        return
    yield AnswerWanted(request, session, call.params)


def _refuse_unread(ledger: Ledger, process_id: str, call: frames.Call, at: float) -> None:
    refuse(ledger, _taken(ledger, process_id, call, at), -32600, f"invalid request: {call.unread}")


def _taken(ledger: Ledger, process_id: str, call: frames.Call, at: float) -> Request:
    return _new_request(ledger, process_id, Direction.IN, call.rpc_id, call.method, NOTHING, at)


def _withdrawn(ledger: Ledger, process_id: str, params: Json) -> Iterator[Happening]:
    request = _open_request(ledger, process_id, Direction.IN, frames.id_text(params.get("requestId")))
    if request is not None:
        yield Withdrawn(request)


def _open_request(ledger: Ledger, process_id: str, direction: Direction, rpc_id: str) -> Request | None:
    for request in ledger.all(Request):
        if (
            request.process_id == process_id
            and request.direction is direction
            and request.rpc_id == rpc_id
            and request.response is None
        ):
            return request
    return None


def _new_request(
    ledger: Ledger,
    process_id: str,
    direction: Direction,
    rpc_id: str,
    method: str,
    subject: Subject,
    at: float,
) -> Request:
    process = _process(ledger, process_id)
    number = process.requests + 1
    ledger.change(process, requests=number)
    return ledger.save(
        Request(
            id=f"{process_id}:{number}",
            process_id=process_id,
            direction=direction,
            rpc_id=rpc_id,
            method=method,
            purpose=purpose_of(method),
            subject=subject,
            created_at=at,
        )
    )


def _process(ledger: Ledger, process_id: str) -> Process:
    process = ledger.get(Process, process_id)
    assert process is not None
    return process
