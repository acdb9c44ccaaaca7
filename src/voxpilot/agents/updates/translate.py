"""Updates of an agent's session, turned into events.

Lives here: one rule for each `session/update` kind. The only state between updates is the session's row.
Unknown updates are recorded whole. Lives elsewhere: requests and answers (requests/dialogue.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from voxpilot.agents.updates.options import COMMANDS, options_of, with_mode
from voxpilot.agents.updates.own_terminals import names_in, tell_of_terminal, with_names, without_terminals
from voxpilot.agents.updates.unapproved_actions import unasked
from voxpilot.chat.blocks import ENDED
from voxpilot.chat.events import (
    ChatInfoChanged,
    CommandsChanged,
    DelegateSpoke,
    Json,
    NoticeGiven,
    OptionsChanged,
    PlanMade,
    Spoken,
    TextSpoken,
    ThoughtSpoken,
    ToolCallChanged,
    ToolCallStarted,
    UpdateNotUnderstood,
    UsageReported,
)
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Session, Turn
from voxpilot.storage.database.states import SessionPhase

if TYPE_CHECKING:
    from voxpilot.chat.shapes import ToolBlock

SPOKEN: dict[str, type[TextSpoken] | type[ThoughtSpoken]] = {
    "agent_message_chunk": TextSpoken,
    "agent_thought_chunk": ThoughtSpoken,
}
_COMPACTION = {
    "in_progress": "The agent is summarising earlier messages to make room for new ones.",
    "completed": "The agent now works with a summary of earlier messages. This chat still has all of them.",
    "failed": "The agent could not summarise earlier messages to make room for new ones.",
    "cancelled": "The agent stopped summarising earlier messages.",
}
_MARKS = ("cut", "cut_at", "from_line", "whole_at")
NEW_CALL: Json = {"title": "", "tool_kind": "other", "status": "pending"}
"""The defaults of a tool call."""


LONGEST_TITLE = 500


class NotUnderstood(Exception):
    """An update with an unknown form."""


def translate(ledger: Ledger, session: Session, update: Any, at: float) -> None:
    """Record the update as events, or the update itself if it is unknown."""
    try:
        kind = update["sessionUpdate"]
        _RULES[kind](ledger, session, update, at)
    except (NotUnderstood, KeyError, TypeError, AttributeError, ValueError):
        ledger.emit(UpdateNotUnderstood(raw=update, turn=session.turn, tool_call_id=session.tool_call_id), at)
    if not session.heard:
        ledger.change(session, heard=True)


def message_id_of(ledger: Ledger, session: Session, update: Json) -> str:
    """The message a chunk belongs to; a new one starts if the agent gives no id and the kind changes."""
    given = update.get("messageId")
    if given is not None:  # some agents number their messages from one in every turn, or in every process
        return f"{session.id}:{session.turn or ''}:{given}"
    speaking = update["sessionUpdate"]
    if session.speaking != speaking:
        session = ledger.change(session, speaking=speaking, messages=session.messages + 1)
    return f"{session.id}-{session.messages}"


def tool_fields(call: Json) -> Json:
    """A tool call's fields under our names; absent, null and malformed values are left out."""
    fields = {
        "title": _text(call.get("title")),
        "tool_kind": _text(call.get("kind")),
        "status": _text(call.get("status")),
        "name": _text(call.get("name")),
        "input": call.get("rawInput"),
        "output": call.get("rawOutput"),
        "locations": _places(call.get("locations")),
        "content": _content(call.get("content")),
        "meta": without_terminals(call.get("_meta")),
    }
    return {name: value for name, value in fields.items() if value is not None}


def tool_id(call: Json) -> str:
    given = call.get("toolCallId")
    if not isinstance(given, str | int):
        raise NotUnderstood
    return str(given)


def _chunk(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    content = update["content"]
    if content == {"type": "text", "text": ""}:
        return  # some agents send empty chunks, which must not split a message in two
    message = message_id_of(ledger, session, update)
    match content:
        case {"type": "text", "text": str(text)}:
            ledger.speak(_spoken(session, update["sessionUpdate"], message, text), at)
        case {"type": str(kind)} if kind != "text":
            block = _without_marks(content)
            ledger.emit(replace(_spoken(session, update["sessionUpdate"], message, ""), block=block), at)
        case _:
            raise NotUnderstood


def _spoken(session: Session, kind: str, message: str, text: str) -> Spoken:
    """Text of an agent; if it works for the assistant, the text belongs to the assistant's call."""
    where: Json = {"message_id": message, "turn": session.turn, "tool_call_id": session.tool_call_id}
    if session.tool_call_id is not None and kind == "agent_message_chunk":
        return DelegateSpoke(content=text, session_name=session.name, agent=session.agent, **where)
    return SPOKEN[kind](content=text, **where)


def _user_chunk(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    """Some agents echo our own prompt, which is already in the chat."""
    turn = ledger.get(Turn, session.turn) if session.turn else None
    text = update["content"].get("text", "").strip()
    if session.phase is SessionPhase.PROMPTING and turn is not None:
        # The assistant's prompt is not the person's message; its beginning is kept.
        asked = (session.asked or "").strip()
        if text in turn.text or text in asked or (asked and text.startswith(asked)):
            return
    raise NotUnderstood


def _tool_call(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    _fall_silent(ledger, session)
    id = tool_id(update)
    names = names_in(ledger, session, id, update)
    fields = {**NEW_CALL, **with_names(ledger, session, tool_fields(update), names)}
    known = ledger.transcript.tool(id, session.tool_call_id)
    if known is not None and known.get("turn") == session.turn and _steps_back(session, known, fields):
        fields["status"] = known["status"]
    event = ToolCallStarted(
        id=id,
        turn=session.turn,
        tool_call_id=session.tool_call_id,
        unasked=unasked(ledger, session, id, fields),
        **fields,
    )
    ledger.emit(event, at)
    tell_of_terminal(ledger, session, id, update, names, at)


def _tool_update(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    _fall_silent(ledger, session)
    id = tool_id(update)
    names = names_in(ledger, session, id, update)
    fields = with_names(ledger, session, tool_fields(update), names)
    known = ledger.transcript.tool(id, session.tool_call_id)
    if known is not None and _steps_back(session, known, fields):
        del fields["status"]
    event = ToolCallChanged(
        id=id,
        turn=session.turn,
        tool_call_id=session.tool_call_id,
        unasked=unasked(ledger, session, id, fields),
        **fields,
    )
    ledger.emit(event, at)
    tell_of_terminal(ledger, session, id, update, names, at)


def _steps_back(session: Session, known: ToolBlock, fields: Json) -> bool:
    """Whether an update reopens a call that is over, or reports a stopped call as failed."""
    before, status = known.get("status"), fields.get("status")
    if before == "cancelled" and status == "failed":
        return known.get("turn") == session.turn
    return before in ENDED and status not in (None, *ENDED)


def _plan(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    entries = update.get("entries")
    if entries is None:
        entries = update["steps"]
    event = PlanMade(
        entries=tuple(_plan_entry(entry) for entry in entries if isinstance(entry, dict)),
        turn=session.turn,
        tool_call_id=session.tool_call_id,
    )
    ledger.emit(event, at)


def _plan_entry(entry: Json) -> Json:
    return {
        "content": str(entry.get("content") or entry.get("description") or ""),
        "priority": str(entry.get("priority") or "medium"),
        "status": str(entry.get("status") or "pending"),
    }


def _commands(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    given = _objects(update["availableCommands"]) or ()
    commands = tuple(command for command in given if _text(command.get("name")))
    ledger.change(session, options={**(session.options or {}), COMMANDS: commands})
    if _is_shown(ledger, session):
        ledger.emit(CommandsChanged(commands=commands, session_name=session.name), at)


def _mode(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    mode = update.get("currentModeId", update.get("modeId"))
    if not isinstance(mode, str):
        raise NotUnderstood
    change_options(ledger, session, with_mode(session.options or {}, mode), at)


def _config(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    options = _objects(update["configOptions"]) or ()
    change_options(ledger, session, {**(session.options or {}), "configOptions": options}, at)


def change_options(ledger: Ledger, session: Session, options: Json, at: float) -> None:
    """Store the agent's options, and report them in one form."""
    ledger.change(session, options=options)
    if _is_shown(ledger, session):
        ledger.emit(OptionsChanged(options=options_of(options), session_name=session.name), at)


def _is_shown(ledger: Ledger, session: Session) -> bool:
    """Not what an agent reports that the chat is no longer with; it is shown when the chat returns to it."""
    return session.name != "main" or session.agent == ledger.chat.agent


def _usage(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    usage = {name: update[name] for name in ("used", "size") if _is_number(update.get(name))}
    match update.get("cost"):
        case {"amount": amount} as cost if _is_number(amount):
            usage["cost"] = cost
    if _is_shown(ledger, session):
        ledger.emit(UsageReported(usage=usage, session_name=session.name), at)


def _info(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    """The agent's title for its session becomes the chat's title if the chat is with that agent."""
    is_whole = ledger.chat.mode == "agent" and session.tool_call_id is None
    given = _text(update.get("title"))
    title = given if is_whole else None
    if given:
        ledger.change(session, title=given[:LONGEST_TITLE])
    rest = {name: value for name, value in update.items() if name not in ("sessionUpdate", "title")}
    if title:
        ledger.change(ledger.chat, title=title)
    ledger.emit(ChatInfoChanged(title=title or None, meta=rest or None), at)


def _compaction(ledger: Ledger, session: Session, update: Json, at: float) -> None:
    """The agent has made room by replacing older messages in its memory with a summary."""
    text = _COMPACTION[update["status"]]
    parts = [part.get("text") for part in _objects(update.get("summary")) or ()]
    summary = "\n".join(part for part in parts if isinstance(part, str))
    notice = NoticeGiven(
        level="warning" if update["status"] == "failed" else "info",
        code="compaction",
        text=text,
        detail=summary or None,
        turn=session.turn,
        tool_call_id=session.tool_call_id,
    )
    ledger.emit(notice, at)


def _fall_silent(ledger: Ledger, session: Session) -> None:
    if session.speaking is not None:
        ledger.change(session, speaking=None)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _objects(value: object) -> tuple[Json, ...] | None:
    """A list without entries that are not objects."""
    if value is None:
        return None
    if not isinstance(value, list):
        raise NotUnderstood
    return tuple(item for item in value if isinstance(item, dict))


def _listed(value: object) -> tuple[Json, ...] | None:
    """The objects in a list; a single object counts as a list of one."""
    if isinstance(value, dict):
        return (value,)
    return _objects(value) if isinstance(value, list) else None


def _content(value: object) -> tuple[Json, ...] | None:
    items = _listed({"type": "text", "text": value} if isinstance(value, str) and value else value)
    if items is None:
        return None
    return tuple(map(_item, items))


def _item(item: Json) -> Json:
    """One content item of a tool call; a malformed one is kept as unknown."""
    match item:
        case {"type": "text" | "image" | "audio" | "resource_link" | "resource"}:
            return _item({"type": "content", "content": item})
        case {"type": "content", "content": str(text)}:
            return {**item, "content": {"type": "text", "text": text}}
        case {"type": "content", "content": {"type": "text", "text": str()}}:
            return item
        case {"type": "content", "content": {"type": str(kind)} as content} if kind != "text":
            return {**item, "content": _without_marks(content)}
        case {"type": "terminal", "terminalId": str()}:
            return item
        case {"type": "diff", "path": str(), "newText": str()} if _is_text_or_none(item.get("oldText")):
            return _without_marks(item)
        case {"type": "content" | "terminal" | "diff"}:
            return {"type": "unknown", "raw": item}
    return item


def _without_marks(item: Json) -> Json:
    """Without the fields that only we may set: that it is a preview, and where the full content is."""
    return {name: value for name, value in item.items() if name not in _MARKS}


def forged_marks(content: object) -> list[Json]:
    """Fields of an agent's content that use our names, which are not accepted."""
    listed = _listed(content) or ()
    found = [thing for item in listed for thing in (item, item.get("content")) if isinstance(thing, dict)]
    marks = [{name: thing[name] for name in _MARKS if name in thing} for thing in found]
    return [each for each in marks if each]


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _places(value: object) -> tuple[Json, ...] | None:
    places = _listed(value)
    return places and tuple(place for place in places if isinstance(place.get("path"), str))


_Rule = Callable[[Ledger, Session, Json, float], None]
_RULES: dict[str, _Rule] = {
    "agent_message_chunk": _chunk,
    "agent_thought_chunk": _chunk,
    "user_message_chunk": _user_chunk,
    "tool_call": _tool_call,
    "tool_call_update": _tool_update,
    "plan": _plan,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _config,
    "usage_update": _usage,
    "session_info_update": _info,
    "compaction_update": _compaction,
}
