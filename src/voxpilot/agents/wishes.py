"""What agents ask a person: permissions, forms and links, in our words and back.

Lives here: reading such a request, and the answers as the protocol wants them.
Lives elsewhere: keeping and deciding questions (runtime/questions.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, Literal
from urllib.parse import urlsplit

from voxpilot.agents.dialogue import AnswerWanted, refuse, reply
from voxpilot.agents.failures import CANCELLED
from voxpilot.agents.own_terminals import with_names
from voxpilot.agents.translate import NEW_CALL, NotUnderstood, tool_fields, tool_id
from voxpilot.chat.events import Json, ToolCallChanged, ToolCallStarted
from voxpilot.chat.preview import LONGEST_ID
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Request, Session

MOST_OPTIONS = 100
"""No person looks through more, and all of them are in every preview."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing an agent wants to know."""

    type: Literal["permission", "form", "url"]
    title: str
    detail: Json
    options: tuple[Json, ...] = ()


def wish_of(ledger: Ledger, session: Session | None, wanted: AnswerWanted, at: float) -> Wish | None:
    """What is asked, or None when it cannot be put to a person; a tool call it names is recorded first."""
    if session is not None and wanted.request.method == "session/request_permission":
        return _permission(ledger, session, wanted.params, at)
    return _elicitation(wanted.params)


def refuse_wish(ledger: Ledger, request: Request) -> None:
    refuse(ledger, request, -32602, "this cannot be put to a person")


def choose(ledger: Ledger, request: Request, option: Json) -> None:
    """The person chose an option of a permission."""
    option_id = option.get("sent_as", option["id"])
    reply(ledger, request, {"outcome": {"outcome": "selected", "optionId": option_id}})


def respond(ledger: Ledger, request: Request, action: str, content: Json | None) -> None:
    """The person filled in a form, agreed to open a link, or would not."""
    answer: Json = {"action": action}
    if action == "accept" and content is not None:
        answer["content"] = content
    reply(ledger, request, answer)


def dismiss(ledger: Ledger, request: Request) -> None:
    """Nobody will answer: the turn was stopped."""
    match request.method:
        case "session/request_permission":
            reply(ledger, request, {"outcome": {"outcome": "cancelled"}})
        case "elicitation/create":
            reply(ledger, request, {"action": "cancel"})
        case _:
            refuse(ledger, request, CANCELLED, "the turn was stopped")


def _permission(ledger: Ledger, session: Session, params: Json, at: float) -> Wish | None:
    options = _options(params.get("options"))
    if not options:
        return None
    call = params.get("toolCall")
    call_id, fields = _tool_call(call if isinstance(call, dict) else {})
    fields = with_names(ledger, session, fields, {})
    known = _recorded(ledger, session, call_id, fields, at) if call_id is not None else {}
    title = fields.get("title") or known.get("title") or params.get("title") or known.get("tool_kind")
    detail = {
        name: value
        for name in ("tool_kind", "input", "locations", "content")
        if (value := fields.get(name) or known.get(name))
    }
    places = known.get("cut_at", {})
    cut_at = {name: seq for name, seq in places.items() if name in detail and not fields.get(name)}
    is_kept = any("whole_at" in item for item in detail.get("content", ()))
    if cut_at or is_kept:  # what was said before is known in part only; these events hold all of it
        detail |= {"cut": True, "cut_at": cut_at}
    sent = [option.get("sent_as", option["id"]) for option in options]
    if len(set(sent)) < len(sent):
        detail["alike"] = True
    return Wish(
        "permission", str(title or "The agent asks for permission"), {**detail, "tool": call_id}, options
    )


def _options(given: Any) -> tuple[Json, ...]:
    """What may be chosen, each under an id that no other has, for what was pressed is what is kept."""
    offered = [
        (option["optionId"], str(option.get("name", "")), str(option.get("kind", "")))
        for option in (given if isinstance(given, list) else ())
        if isinstance(option, dict) and isinstance(option.get("optionId"), str)
    ]
    theirs = {id for id, _, _ in offered}
    ours = (name for n in count(1) if (name := f"option-{n}") not in theirs)
    options: dict[str, Json] = {}
    for id, label, kind in list(dict.fromkeys(offered))[:MOST_OPTIONS]:
        own = next(ours) if id in options or len(id) > LONGEST_ID else id  # a longer one might be cut
        options[own] = {"id": own, "label": label, "kind": kind, **({"sent_as": id} if own != id else {})}
    return tuple(options.values())


def _tool_call(call: Json) -> tuple[str | None, Json]:
    fields = tool_fields(call)
    try:
        return tool_id(call), fields
    except NotUnderstood:
        return None, fields


def _recorded(ledger: Ledger, session: Session, id: str, fields: Json, at: float) -> Json:
    """What is known of the call now; one of the same name in an earlier turn was another."""
    inside: Json = {"id": id, "turn": session.turn, "tool_call_id": session.tool_call_id}
    known = ledger.transcript.tool(id, session.tool_call_id)
    if known is None or known.get("turn") == session.turn:
        ledger.emit(ToolCallChanged(**inside, **fields), at)
    else:
        ledger.emit(ToolCallStarted(**inside, **{**NEW_CALL, **fields}), at)
    return ledger.transcript.tool(id, session.tool_call_id) or {}


def _elicitation(params: Json) -> Wish | None:
    title = str(params.get("message") or "The agent asks something")
    match params:
        case {"mode": "form", "requestedSchema": dict(schema)}:
            return Wish("form", title, {"schema": schema, "tool": params.get("toolCallId")})
        case {"mode": "url", "url": str(url)} if (host := _host(url)) is not None:
            return Wish("url", title, {"url": url, "host": host, "tool": params.get("toolCallId")})
    return None


def _host(url: str) -> str | None:
    """The host of a web address; None for anything that is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in ("http", "https") else None
