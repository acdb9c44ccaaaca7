"""What a new session is told about the one that was lost.

Lives here: which part of the chat is summarised, and asking the person whether to send it. Lives elsewhere:
noticing that a session is lost (session_restore.py), writing the summary (chat/summary.py), sending it with
the next prompt (agents/requests/sessions.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json, NoticeGiven
from voxpilot.chat.summary import in_words, summarize
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.questions.open_questions import NewQuestion
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Question, Session, Task, Turn

CONTEXT = "context"
"""The purpose of asking whether a new session may be told what the lost one was about."""


def is_settled(ledger: Ledger, session: Session, task: Task, agent_name: str, now: float) -> bool:
    """Whether it is decided what a new session is told about a lost one; otherwise the person is asked.

    For delegated work nobody is asked: the new session is told, and the chat shows what.
    """
    note = session.note
    if note is None or note.get("use") is not None:
        return True
    if task.tool_call_id is not None:
        _send(ledger, session, task, {**note, "text": _about(ledger, session, task) or note["text"]}, now)
        return True
    if open_questions.asked(ledger, CONTEXT, task.turn) is None:
        note = {**note, "text": _about(ledger, session, task) or note["text"]}
        _ask(ledger, ledger.change(session, note=note), task, note, agent_name, now)
    return False


def decided(ledger: Ledger, question: Question, at: float) -> None:
    """The person decided whether to tell the new session about the lost one."""
    session = ledger.get(Session, question.session_id)
    if session is not None and session.note is not None:
        ledger.change(session, note={**session.note, "use": question.option_id == "include"})


def _about(ledger: Ledger, session: Session, task: Task) -> str:
    """What was asked and done before this task, from our own log: in the chat, or in one named session."""
    ledger.settle()
    if task.tool_call_id is None:
        turn = ledger.get(Turn, task.turn)
        message = turn.message_id if turn else None
        before = [
            block
            for block in ledger.transcript.blocks
            if block.get("turn") != task.turn and not (block["kind"] == "message" and block["id"] == message)
        ]
        return in_words(summarize(before))
    calls = {
        block["id"]
        for block in ledger.transcript.blocks
        if block["kind"] == "tool"
        and (done := block.get("delegated")) is not None
        and (done["agent"], done["session_name"]) == (session.agent, session.name)
    }
    return in_words(summarize(ledger.transcript.blocks, calls)) if calls else ""


def _send(ledger: Ledger, session: Session, task: Task, note: Json, now: float) -> None:
    ledger.change(session, note={**note, "use": True})
    notice = NoticeGiven(
        level="info",
        code="context-sent",
        text="A summary of the lost session was sent to the new one.",
        detail=note["text"],
        turn=task.turn,
        tool_call_id=task.tool_call_id,
    )
    ledger.emit(notice, now)


def _ask(ledger: Ledger, session: Session, task: Task, note: Json, agent_name: str, now: float) -> None:
    open_questions.ask_ourselves(
        ledger,
        NewQuestion(
            purpose=CONTEXT,
            type="confirm",
            title=f"Send a summary of this conversation to the new {agent_name} session?",
            detail={"text": note["text"]},
            options=(
                {"id": "include", "label": "Send it", "kind": "allow_once"},
                {"id": "leave-out", "label": "Do not send it", "kind": "reject_once"},
            ),
            turn=task.turn,
            session=session,
            agent=session.agent,
        ),
        now,
    )
