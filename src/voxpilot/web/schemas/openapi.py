"""The description of the HTTP interface, streams included.

Lives here: the shapes of everything a stream carries, made from the events
themselves, added to the routes. Types of clients are generated from it. Lives
elsewhere: the routes (operations.py), the events (chat/events.py), bodies of
requests and responses (bodies.py).

Heavy (about thirty models) and rarely needed, so it is imported on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any, Literal, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import models_json_schema
from starlette.routing import Route

from voxpilot import __version__
from voxpilot.chat.events import EVENT_TYPES, Event, Json, MessagePosted
from voxpilot.storage.chats.event_log import DELTAS
from voxpilot.web.schemas.agent_bodies import CheckEvents
from voxpilot.web.schemas.bodies import ChatInfo
from voxpilot.web.schemas.operations import REF, Operations, reference


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _left_out(schema: Json) -> None:
    """A missing value is omitted, never null."""
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
    """The current state of the chat: the fold of its events, without the blocks."""

    seq: int
    last_at: float | None
    turn: TurnNow | None
    queue: list[Json] = Field(description="Queued messages, in order.")
    questions: list[str] = Field(description="Ids of the open questions.")
    agents: dict[str, Json] = Field(description="The latest agent-status of each agent.")
    options: dict[str, list[Json]] = Field(description="By session.")
    commands: dict[str, list[Json]] = Field(description="By session.")
    usage: dict[str, Json] = Field(description="By session.")
    title: str = _optional()
    workspace: str = _optional()
    mode: str = _optional()
    agent: str = _optional()
    policy: str = _optional()


class Block(BaseModel):
    """Something the page draws; its other fields are those of the events it was folded from."""

    model_config = ConfigDict(extra="allow")
    pos: int = Field(description="Its position: the number of the event that started it.")
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
    """The fold so far; the events that follow have higher numbers. Not stored."""

    chat_id: str = _optional("On /api/stream: the chat it belongs to.")
    seq: int
    chat: ChatHead
    blocks: list[Block] = Field(description="The newest ones, oldest first.")
    has_older: bool = Field(description="Whether there are earlier blocks.")


class Ready(Shape):
    """You have caught up; live events follow. Not stored."""

    chat: str
    version: str
    history: str = Field(description="Changes when the database is restored or rescued.")


class Ping(Shape):
    """Keep-alive. Not stored."""


class Chats(Shape):
    """The list of chats, newest first: its first page, and the chats that were asked for. Not stored."""

    chats: list[ChatInfo]
    history: str = Field(description="Changes when the database is restored or rescued.")
    next: str | None = Field(description="Where the list continues, for `GET /api/chats?before=`.")


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


def describe(routes: Sequence[Route]) -> Json:
    """The routes, the streams, and how to sign in."""
    operations = Operations(routes)
    stored = {event.kind: _shape(event) for event in EVENT_TYPES}
    by_kind = {**stored, **NOT_STORED}
    models: list[type[BaseModel]] = [*dict.fromkeys(by_kind.values()), CheckEvents]
    _, shapes = models_json_schema(
        [(model, "validation") for model in models],
        ref_template=REF,
    )
    schemas = {
        **shapes["$defs"],
        **operations.shapes,
        "StreamEvents": {
            "type": "object",
            "description": "The data of each event in a stream, by event name.",
            "properties": {kind: reference(model) for kind, model in by_kind.items()},
            "required": list(by_kind),
        },
        "StoredEvent": {"anyOf": [reference(model) for model in stored.values()]},
    }
    sign_in = {
        "token": {"type": "http", "scheme": "bearer", "description": "Printed by `voxpilot token`."},
        "device": {"type": "apiKey", "in": "cookie", "name": "voxpilot"},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "VoxPilot", "version": __version__},
        "paths": operations.paths,
        "components": {"schemas": schemas, "securitySchemes": sign_in},
        "security": [{"token": []}, {"device": []}],
    }


def _shape(event: type[Event]) -> type[BaseModel]:
    """One kind of event as it is streamed."""
    hints = get_type_hints(event)
    shape: dict[str, Any] = {
        "seq": (int, Field(description="Its number in the chat.")),
        "at": (float, Field(description="Seconds since 1970.")),
        "chat": (str, _optional("On /api/stream: the chat it belongs to.")),
        "cut": (Literal[True], _optional("This is a preview; the full event is at events/{seq}.")),
        "size": (int, _optional("Size of the full event in bytes.")),
    }
    if event is MessagePosted:
        whole = "In a preview: the number of this event, for each of `text` and `attachments` that is cut."
        shape["cut_at"] = (dict[str, int], _optional(whole))
    if event.kind in DELTAS:
        shape["first_seq"] = (int, _optional("The number of the first event in a joined run of deltas."))
        shape["last_at"] = (float, _optional("When the last of them arrived."))
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
