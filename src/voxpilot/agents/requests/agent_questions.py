"""Questions of agents to a person: permissions, forms and links.

Lives here: parsing such a request, and the answers in the protocol's form.
Lives elsewhere: keeping and deciding questions (runtime/questions/open_questions.py).
"""

from __future__ import annotations

from itertools import count
from typing import Literal
from urllib.parse import urlsplit

from voxpilot.agents.installed.failures import CANCELLED
from voxpilot.agents.requests.dialogue import AnswerWanted, refuse, reply
from voxpilot.agents.updates.own_terminals import with_names, without_terminals
from voxpilot.agents.updates.translate import NEW_CALL, NotUnderstood, forged_marks, tool_fields, tool_id
from voxpilot.chat.events import Fields, Json, ToolCallChanged, ToolCallStarted
from voxpilot.chat.permissions.calls import became_another
from voxpilot.chat.preview import LONGEST_ID
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Session
from voxpilot.values import dataclass

MOST_OPTIONS = 100
"""The most options shown: nobody reads more, and every preview contains all of them. Up to half are kept for
rejecting."""
_REJECTING = ("reject_once", "reject_always")
_SHOWN = frozenset({"toolCallId", "title", "kind", "rawInput", "locations", "content"})
"""Fields of a call that the card shows in a special way; all others are listed."""
_STATUSES = ("pending", "in_progress", "completed", "failed")
_OF_A_REQUEST = frozenset({"sessionId", "toolCall", "options"})
_OF_AN_OPTION = frozenset({"optionId", "name", "kind"})


@dataclass(frozen=True, slots=True)
class AgentQuestion:
    """One question of an agent."""

    type: Literal["permission", "form", "url"]
    title: str
    detail: Json
    options: tuple[Json, ...] = ()


def question_of(
    ledger: Ledger, session: Session | None, wanted: AnswerWanted, at: float
) -> AgentQuestion | None:
    """The question, or None if it cannot be shown to a person; a tool call it names is recorded first."""
    if session is not None and wanted.request.purpose is Purpose.PERMISSION:
        return _permission(ledger, session, wanted.params, at)
    return _elicitation(wanted.params)


def refuse_question(ledger: Ledger, request: Request) -> None:
    refuse(ledger, request, -32602, "this question cannot be shown")


def choose(ledger: Ledger, request: Request, option: Json) -> None:
    """The person chose an option of a permission."""
    option_id = option.get("sent_as", option["id"])
    reply(ledger, request, {"outcome": {"outcome": "selected", "optionId": option_id}})


def respond(ledger: Ledger, request: Request, action: str, content: Json | None) -> None:
    """The person filled in a form, agreed to open a link, or declined."""
    answer: Json = {"action": action}
    if action == "accept" and content is not None:
        answer["content"] = content
    reply(ledger, request, answer)


def dismiss(ledger: Ledger, request: Request) -> None:
    """Nobody will answer: the turn was stopped."""
    match request.purpose:
        case Purpose.PERMISSION:
            reply(ledger, request, {"outcome": {"outcome": "cancelled"}})
        case Purpose.FORM:
            reply(ledger, request, {"action": "cancel"})
        case _:
            refuse(ledger, request, CANCELLED, "the turn was stopped")


def _permission(ledger: Ledger, session: Session, params: Json, at: float) -> AgentQuestion | None:
    options, left_out = _options(params.get("options"))
    if not options:
        return None
    call = params["toolCall"] if isinstance(params.get("toolCall"), dict) else {}
    call_id, fields = _tool_call(call)
    fields = with_names(ledger, session, fields, {})
    is_changed = call_id is not None and became_another(_told(ledger, session, call_id), fields)
    known = _recorded(ledger, session, call_id, fields, at) if call_id is not None else {}
    title = fields.get("title") or known.get("title") or params.get("title") or known.get("tool_kind")
    detail = {
        name: value
        for name in ("tool_kind", "input", "locations", "content")
        if (value := fields.get(name) or known.get(name))
    }
    places = known.get("cut_at", {})
    cut_at = {name: seq for name, seq in places.items() if name in detail and not fields.get(name)}
    kept = [item for item in detail.get("content", ()) if item.get("type") == "diff"]
    is_kept = any("whole_at" in item for item in kept)
    if cut_at or is_kept:  # earlier fields are known only as previews; these events hold the full values
        detail |= {"cut": True, "cut_at": cut_at}
    if more := _more(params, call, str(title)):
        detail["more"] = more
    if left_out:
        detail["options_left_out"] = left_out
    sent = [option.get("sent_as", option["id"]) for option in options]
    if len(set(sent)) < len(sent):
        detail["alike"] = True
    if is_changed:
        detail["changed"] = True
    return AgentQuestion(
        "permission", str(title or "The agent asks for permission"), {**detail, "tool": call_id}, options
    )


def _more(params: Json, call: Json, title: str) -> Json:
    """All other fields of the request. We do not know what they mean, so the person should see them."""
    of_call = {**_besides(call, _SHOWN), **_misshapen(call)}
    if of_call.get("status") in _STATUSES:
        del of_call["status"]
    if of_call.get("name") == title:
        del of_call["name"]
    of_request = _besides(params, _OF_A_REQUEST)
    if options := _more_of_options(params.get("options")):
        of_request["options"] = options
    if of_request.get("title") == title:
        del of_request["title"]
    named = {name if name not in of_call else f"request.{name}": each for name, each in of_request.items()}
    return {**named, **of_call}


def _besides(given: Json, shown: frozenset[str]) -> Json:
    found = {name: value for name, value in given.items() if name not in shown}
    if isinstance(found.get("_meta"), dict):
        found["_meta"] = without_terminals(found["_meta"])
    return {name: value for name, value in found.items() if value not in (None, "", {}, [])}


def _more_of_options(given: object) -> list[Json]:
    """Options with fields that we do not know, and those that cannot be chosen."""
    return [
        option
        for option in (given if isinstance(given, list) else ())
        if not isinstance(option, dict)
        or not isinstance(option.get("optionId"), str)
        or _besides(option, _OF_AN_OPTION)
        or not all(isinstance(option.get(name, ""), str) for name in ("name", "kind"))
    ]


def _misshapen(call: Json) -> Json:
    """Fields with a known name but an unknown form, which are not shown in their usual place."""
    found = {name: call[name] for name in ("title", "kind") if not isinstance(call.get(name, ""), str | None)}
    for name, wanted in (("content", ()), ("locations", ("path",))):
        items = call.get(name)
        if isinstance(items, list | dict):
            items = items if isinstance(items, list) else [items]
            is_right = all(
                isinstance(item, dict) and all(isinstance(item.get(each), str) for each in wanted)
                for item in items
            )
        else:
            is_right = items is None or (name == "content" and isinstance(items, str))
        if not is_right:
            found[name] = call[name]
    if "content" not in found and (marks := forged_marks(call.get("content"))):
        found["content"] = marks
    return found


def _options(given: object) -> tuple[tuple[Json, ...], int]:
    """The options, each with a unique id, because exactly the option that was pressed is stored.

    Also how many were left out; options that reject are never left out just because many others allow.
    """
    offered = [
        (option["optionId"], str(option.get("name", "")), str(option.get("kind", "")))
        for option in (given if isinstance(given, list) else ())
        if isinstance(option, dict) and isinstance(option.get("optionId"), str)
    ]
    theirs = {id for id, _, _ in offered}
    ours = (name for n in count(1) if (name := f"option-{n}") not in theirs)
    options: dict[str, Json] = {}
    distinct = list(dict.fromkeys(offered))
    kept = _kept(distinct)
    for id, label, kind in kept:
        own = next(ours) if id in options or len(id) > LONGEST_ID else id  # a longer one might be cut
        options[own] = {"id": own, "label": label, "kind": kind, **({"sent_as": id} if own != id else {})}
    return tuple(options.values()), len(distinct) - len(kept)


def _kept(offered: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The first options in order, including some that reject."""
    noes = [option for option in offered if option[2] in _REJECTING]
    room = MOST_OPTIONS - min(len(noes), MOST_OPTIONS // 2)
    others = [option for option in offered if option[2] not in _REJECTING][:room]
    chosen = {*others, *noes[: MOST_OPTIONS - len(others)]}
    return [option for option in offered if option in chosen]


def _tool_call(call: Json) -> tuple[str | None, Json]:
    fields = tool_fields(call)
    try:
        return tool_id(call), fields
    except NotUnderstood:
        return None, fields


def _told(ledger: Ledger, session: Session, id: str) -> Fields:
    """What is known about a call from this turn before the question; an approved version takes precedence."""
    asked: Fields = ledger.transcript.asked_about(id, session.tool_call_id) or {}
    known: Fields = ledger.transcript.tool(id, session.tool_call_id) or {}
    said = [asked.get("detail") or {}] if asked.get("turn") == session.turn and not asked.get("cut") else []
    said += [known] if known.get("turn") == session.turn and "input" not in known.get("cut_at", {}) else []
    return said[0] if said else {}


def _recorded(ledger: Ledger, session: Session, id: str, fields: Json, at: float) -> Fields:
    """What is known about the call now; one with the same id in an earlier turn is a different call."""
    inside: Json = {"id": id, "turn": session.turn, "tool_call_id": session.tool_call_id}
    known = ledger.transcript.tool(id, session.tool_call_id)
    if known is None or known.get("turn") == session.turn:
        ledger.emit(ToolCallChanged(**inside, **fields), at)
    else:
        ledger.emit(ToolCallStarted(**inside, **{**NEW_CALL, **fields}), at)
    return ledger.transcript.tool(id, session.tool_call_id) or {}


def _elicitation(params: Json) -> AgentQuestion | None:
    title = str(params.get("message") or "The agent has a question")
    match params:
        case {"mode": "form", "requestedSchema": dict(schema)}:
            return AgentQuestion("form", title, {"schema": schema, "tool": params.get("toolCallId")})
        case {"mode": "url", "url": str(url)} if (host := _host(url)) is not None:
            return AgentQuestion("url", title, {"url": url, "host": host, "tool": params.get("toolCallId")})
    return None


def _host(url: str) -> str | None:
    """The host of a web address; None for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in ("http", "https") else None
