"""Handing a chat over: what the next one to answer is told about the part of the chat it has not seen.

Lives here: when there is something to hand over, what a person may change about it, and the message it goes
with. It is bound to that message when the message is posted, so it is sent once, also after a restart.
Lives elsewhere: the summary (chat/summary.py), switching (commands/edit_chat.py), sending it
(agents/requests/sessions.py, assistant/model_runner.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voxpilot.agents.requests.opening import find_session
from voxpilot.chat.events import ChatInfoChanged, Json
from voxpilot.chat.handover import LENGTH
from voxpilot.chat.summary import in_words, summarize
from voxpilot.errors import Conflict
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Chat, Session, Turn
from voxpilot.storage.database.states import TurnState

ASSISTANT = ""
"""In place of an agent's name: the assistant answers."""


def answerer(chat: Chat) -> str | None:
    """Who gets the next message; None if the chat has no agent."""
    return chat.agent if chat.mode == "agent" else ASSISTANT


def offer(ledger: Ledger, now: float) -> None:
    """Another one answers from now on: write down what it has missed, for a person to read and edit."""
    to = answerer(ledger.chat)
    text = _missed(ledger, to, _waiting_for_others(ledger, to)) if to is not None else ""
    _keep(ledger, {"text": text} if text else None, now)


def edit(ledger: Ledger, text: str | None, left_out: bool | None, now: float) -> None:
    """A person changes the handover or leaves it out; what is None stays as it is."""
    pending = ledger.chat.handover
    if pending is None:
        raise Conflict(
            "There is nothing to hand over.", "It was sent with a message, or nobody else answers."
        )
    changed = dict(pending)
    if text is not None and text.strip() != pending["text"]:
        changed |= {"text": text.strip()[:LENGTH], "edited": True}
    leave_out = pending.get("left_out", False) if left_out is None else left_out
    changed["left_out"] = leave_out or not changed["text"]
    _keep(ledger, changed, now)


def take(ledger: Ledger, to: str, now: float) -> Json | None:
    """The handover for a message that is being posted; no later message gets it."""
    pending = ledger.chat.handover
    if pending is None or to != answerer(ledger.chat):
        return None
    _keep(ledger, None, now)
    return None if pending.get("left_out") else pending


def give_back(ledger: Ledger, turn: Turn, waiting: Sequence[Turn], now: float) -> Turn | None:
    """Its message was never sent: the next one to the same agent gets the handover.

    Returns that message's turn if it waits in the queue already.
    """
    if turn.handover is None or (turn.agent == ASSISTANT and turn.started_at is not None):
        return None  # the assistant's history contains even a message that failed
    following = next((other for other in waiting if other.agent == turn.agent), None)
    if following is not None:
        return ledger.change(following, handover=turn.handover) if following.handover is None else None
    if answerer(ledger.chat) == turn.agent and ledger.chat.handover is None:
        _keep(ledger, turn.handover, now)
    return None


def ended(ledger: Ledger, turn: Turn, waiting: Sequence[Turn], now: float) -> list[Turn]:
    """A turn has ended: its agent has seen it, and others have missed it.

    A handover that nobody has edited is written again. Returns the turns in the queue that this changes.
    """
    changed: list[Turn] = []
    if turn.agent == ASSISTANT or _was_sent(ledger, turn):
        seen = {**(ledger.chat.seen or {}), turn.agent: ledger.transcript.head["seq"]}
        ledger.change(ledger.chat, seen=seen)
    elif (following := give_back(ledger, turn, waiting, now)) is not None:
        changed.append(following)
    pending, to = ledger.chat.handover, answerer(ledger.chat)
    if pending is not None and not pending.get("edited") and to is not None:
        text = _missed(ledger, to, _waiting_for_others(ledger, to))
        _keep(ledger, {**pending, "text": text} if text else None, now)
    for other in waiting:
        carried = (ledger.get(Turn, other.id) or other).handover
        if carried is None or carried.get("edited"):
            continue
        if (text := _missed(ledger, other.agent)) != carried["text"]:
            handover = {**carried, "text": text} if text else None
            changed.append(ledger.change(other, handover=handover))
    return changed


def _keep(ledger: Ledger, handover: Json | None, now: float) -> None:
    if handover != ledger.chat.handover:
        ledger.change(ledger.chat, handover=handover)
        ledger.emit(ChatInfoChanged(handover=handover or {}), now)


def _missed(ledger: Ledger, to: str, waiting: Sequence[Turn] = ()) -> str:
    """A summary of what happened since this one last answered; empty if nothing did."""
    ledger.settle()
    since = _seen_by(ledger, to)
    own = {turn.id for turn in ledger.all(Turn) if turn.state is TurnState.RUNNING and turn.agent == to}
    blocks = [b for b in ledger.transcript.blocks if b["pos"] > since and b.get("turn") not in own]
    queued: list[Any] = [
        {"kind": "message", "role": "user", "text": turn.text, "attachments": turn.attachments}
        for turn in waiting
    ]
    return in_words(summarize([*blocks, *queued]))


def _waiting_for_others(ledger: Ledger, to: str | None) -> list[Turn]:
    return [turn for turn in ledger.all(Turn) if turn.state is TurnState.QUEUED and turn.agent != to]


def _seen_by(ledger: Ledger, to: str) -> int:
    """The number of the last event of its last turn; 0 if it has to start with a new session."""
    if to != ASSISTANT:
        session = find_session(ledger, to, "main")
        if session is None or not session.prompts:
            return 0
    return int((ledger.chat.seen or {}).get(to, 0))


def _was_sent(ledger: Ledger, turn: Turn) -> bool:
    return any(
        (session.agent, session.name, session.turn) == (turn.agent, turn.session_name, turn.id)
        for session in ledger.all(Session)
    )
