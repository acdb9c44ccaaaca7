"""The description of the HTTP interface, streams included.

Lives here: the shapes of everything a stream carries, made from the events
themselves, added to what the routes say of themselves. Types of clients are
generated from it. Lives elsewhere: the events (chat/events.py), bodies of
requests and responses (schemas.py).

Heavy (some thirty models) and rarely wanted, so it is imported when first asked for.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, Literal, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import models_json_schema

from voxpilot.chat.events import EVENT_TYPES, Event, Json, MessagePosted
from voxpilot.storage.event_log import DELTAS
from voxpilot.web.agent_schemas import CheckEvents
from voxpilot.web.schemas import ChatInfo

STREAM = "text/event-stream"
REF = "#/components/schemas/{model}"


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _left_out(schema: Json) -> None:
    """What is not there is left out, never null."""
    schema.pop("default", None)


def _optional(description: str | None = None) -> Any:
    return Field(None, description=description, json_schema_extra=_left_out)


class TurnNow(Shape):
    """The running turn."""

    id: str
    since: float
    by: Literal["assistant", "agent"]
    agent: str = _optional()
    session_name: str = _optional()
    stopping: Literal[True] = _optional()


class ChatHead(BaseModel):
    """What is true of the whole chat now: the fold of its events but for the blocks."""

    seq: int
    last_at: float | None
    turn: TurnNow | None
    queue: list[Json] = Field(description="Messages that wait, in their order.")
    questions: list[str] = Field(description="Ids of the open ones.")
    agents: dict[str, Json] = Field(description="The last agent-status by agent.")
    options: dict[str, list[Json]] = Field(description="By session.")
    commands: dict[str, list[Json]] = Field(description="By session.")
    usage: dict[str, Json] = Field(description="By session.")
    title: str = _optional()
    workspace: str = _optional()
    mode: str = _optional()
    agent: str = _optional()
    policy: str = _optional()


class Block(BaseModel):
    """Something that is drawn; what else it holds is as in the events it was folded from."""

    model_config = ConfigDict(extra="allow")
    pos: int = Field(description="Its place: the number of the event that began it.")
    kind: Literal[
        "message",
        "text",
        "thought",
        "tool",
        "terminal",
        "plan",
        "question",
        "notice",
        "turn",
        "unknown",
    ]
    at: float
    turn: str = _optional()
    tool_call_id: str = _optional()


class Snapshot(Shape):
    """The fold so far; what follows has greater numbers. Not stored."""

    chat_id: str = _optional("On /api/stream: the chat it belongs to.")
    seq: int
    chat: ChatHead
    blocks: list[Block] = Field(description="The newest ones, oldest first.")
    has_older: bool = Field(description="There are blocks before these.")


class Ready(Shape):
    """You have caught up; live from here. Not stored."""

    chat: str
    version: str


class Ping(Shape):
    """Still here. Not stored."""


class Chats(Shape):
    """The list of chats, newest first. Not stored."""

    chats: list[ChatInfo]


class ChatRemoved(Shape):
    """The chat is gone. Not stored."""

    chat: str


NOT_STORED: dict[str, type[BaseModel]] = {
    "snapshot": Snapshot,
    "ready": Ready,
    "ping": Ping,
    "chats": Chats,
    "chat-changed": ChatInfo,
    "chat-removed": ChatRemoved,
}


def describe(document: Json) -> Json:
    """Add the streams, and how to sign in, to a description of the routes."""
    stored = {event.kind: _shape(event) for event in EVENT_TYPES}
    by_kind = {**stored, **NOT_STORED}
    models: list[type[BaseModel]] = [*dict.fromkeys(by_kind.values()), CheckEvents]
    _, shapes = models_json_schema(
        [(model, "validation") for model in models],
        ref_template=REF,
    )
    components = document.setdefault("components", {})
    components["schemas"] = {
        **shapes["$defs"],
        **components.get("schemas", {}),
        "StreamEvents": {
            "type": "object",
            "description": "The data of each event of a stream, by the event's name.",
            "properties": {kind: _reference(model) for kind, model in by_kind.items()},
            "required": list(by_kind),
        },
        "StoredEvent": {"anyOf": [_reference(model) for model in stored.values()]},
    }
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "What `voxpilot token` prints."},
        "device": {"type": "apiKey", "in": "cookie", "name": "voxpilot"},
    }
    document["security"] = [{"token": []}, {"device": []}]
    for operation in [operation for path in document["paths"].values() for operation in path.values()]:
        _mend_stream(operation["responses"])
    return document


def _mend_stream(responses: Json) -> None:
    """The framework takes whatever is streamed for a string, and an error for something streamed."""
    for response in responses.values():
        content = response.get("content", {})
        if (streamed := content.get(STREAM)) is None:
            continue
        streamed["schema"].pop("type", None)
        if streamed["schema"]["$ref"].endswith("/ErrorAnswer"):
            content["application/json"] = content.pop(STREAM)


def _shape(event: type[Event]) -> type[BaseModel]:
    """One kind of event as it is streamed."""
    hints = get_type_hints(event)
    shape: dict[str, Any] = {
        "seq": (int, Field(description="Its number in the chat.")),
        "at": (float, Field(description="Seconds since 1970.")),
        "chat": (str, _optional("On /api/stream: the chat it belongs to.")),
        "cut": (Literal[True], _optional("This is a preview; the whole is at events/{seq}.")),
        "size": (int, _optional("Bytes of the whole.")),
    }
    if event is MessagePosted:
        whole = "Of a preview: this event, for each of `text` and `attachments` that is cut."
        shape["cut_at"] = (dict[str, int], _optional(whole))
    if event.kind in DELTAS:
        shape["first_seq"] = (int, _optional("Where a joined run of deltas begins."))
        shape["last_at"] = (float, _optional("When the last of them came."))
    for field in fields(event):
        hint = hints[field.name]
        is_optional = field.default is None or (field.default is MISSING and hint is Any)
        shape[field.name] = (_without_none(hint), _optional()) if is_optional else (hint, ...)
    made = f"{event.__name__}("
    doc = event.__doc__ if event.__doc__ and not event.__doc__.startswith(made) else None
    return create_model(event.__name__, __base__=Shape, __doc__=doc or f"`{event.kind}`", **shape)


def _without_none(hint: Any) -> Any:
    kinds = [kind for kind in get_args(hint) if kind is not type(None)]
    return kinds[0] if type(None) in get_args(hint) and len(kinds) == 1 else hint


def _reference(model: type[BaseModel]) -> Json:
    return {"$ref": REF.format(model=model.__name__)}
