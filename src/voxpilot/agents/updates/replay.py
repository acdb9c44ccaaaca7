"""The history that an agent repeats while it restores a session.

Lives here: skipping what the chat already has, and turning a history that it does not have into turns. Lives
elsewhere: asking for it (requests/opening.py), what each update means (translate.py).
"""

from __future__ import annotations

from typing import Any

from voxpilot.agents.updates.comparing import compared
from voxpilot.agents.updates.translate import translate
from voxpilot.chat.events import ChatInfoChanged, Json, MessagePosted, ToolCallChanged, TurnEnded, TurnStarted
from voxpilot.chat.titles import title_of
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Session

STATE = frozenset(
    {
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "usage_update",
        "session_info_update",
    }
)
"""Updates that report the current state, not messages."""


def hear(ledger: Ledger, session: Session, update: object, at: float) -> None:
    """Process one update of a session that is being loaded."""
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    if isinstance(kind, str) and kind in STATE:
        translate(ledger, session, update, at)
        return
    rebuilt = compared(session, _counted(session), update)
    session = ledger.change(session, replay=rebuilt)
    if session.unseen:
        _show(ledger, session, update, kind, at)


def is_empty(session: Session) -> bool:
    """Nothing was repeated."""
    return not (session.replay or {}).get("updates")


def finish(ledger: Ledger, session: Session, at: float, stop_reason: str = "end_turn") -> None:
    """The agent has repeated everything, or will not: end the turn being rebuilt."""
    if session.unseen:
        _begin_turn(ledger, session, at)
        _end_turn(ledger, session, at, stop_reason)


def _counted(session: Session) -> Json:
    rebuilt = session.replay or {"updates": 0, "turns": 0}
    return {**rebuilt, "updates": rebuilt["updates"] + 1}


def _show(ledger: Ledger, session: Session, update: Any, kind: Any, at: float) -> None:
    rebuilt = session.replay or {}
    content = update.get("content") if kind == "user_message_chunk" else None
    if not isinstance(content, dict):
        session = _begin_turn(ledger, session, at)
        translate(ledger, session, update, at)
        return
    if "said" in rebuilt and rebuilt.get("message") != update.get("messageId"):
        rebuilt = _begin_turn(ledger, session, at).replay or {}  # the previous message was never answered
    if "said" not in rebuilt:
        _end_turn(ledger, session, at)
        rebuilt = {**rebuilt, "said": "", "parts": [], "message": update.get("messageId")}
    if content.get("type") == "text":
        # Agents repeat a message in one piece, so the next piece is another part, or one never answered.
        between = "\n\n" if rebuilt["said"] else ""
        rebuilt = {**rebuilt, "said": rebuilt["said"] + between + str(content.get("text", ""))}
    else:
        rebuilt = {**rebuilt, "parts": [*rebuilt["parts"], content]}
    ledger.change(session, replay=rebuilt)


def _begin_turn(ledger: Ledger, session: Session, at: float) -> Session:
    """The person's message in the history is complete: show it, and open the turn that answers it."""
    session = ledger.get(Session, session.id) or session
    rebuilt = dict(session.replay or {})
    if "said" not in rebuilt:
        return session
    text, parts, _ = rebuilt.pop("said"), rebuilt.pop("parts"), rebuilt.pop("message", None)
    number = rebuilt["turns"] = rebuilt["turns"] + 1
    turn = f"{_turns_of(session)}{number}"
    message = MessagePosted(id=f"{turn}-m", role="user", text=text, attachments=tuple(parts), turn=turn)
    ledger.emit(message, at)
    ledger.emit(
        TurnStarted(
            turn=turn, by="agent", message_id=message.id, agent=session.agent, session_name=session.name
        ),
        at,
    )
    _name_chat(ledger, text, at)
    return ledger.change(session, replay=rebuilt, turn=turn, speaking=None)


def _turns_of(session: Session) -> str:
    """The prefix of turns that are rebuilt from this session's history."""
    return f"h-{session.id}-"


def _end_turn(ledger: Ledger, session: Session, at: float, stop_reason: str = "end_turn") -> None:
    session = ledger.get(Session, session.id) or session
    if session.turn is None or not session.turn.startswith(_turns_of(session)):
        return
    for call in ledger.transcript.open_calls(session.turn, None):
        ledger.emit(ToolCallChanged(id=call["id"], status="cancelled", turn=session.turn), at)
    ledger.emit(TurnEnded(turn=session.turn, stop_reason=stop_reason), at)
    ledger.change(session, turn=None, speaking=None)


def _name_chat(ledger: Ledger, text: str, at: float) -> None:
    if not ledger.chat.title and (title := title_of(text)):
        ledger.change(ledger.chat, title=title)
        ledger.emit(ChatInfoChanged(title=title), at)
