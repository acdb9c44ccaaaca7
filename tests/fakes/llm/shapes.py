"""Requests to the model and its replies, independent of the provider.

Lives here: the shapes. Lives elsewhere: reading and writing them as a provider
would (openai_chat.py, openai_responses.py, anthropic.py), choosing a reply (script.py).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

Json = dict[str, Any]
PAUSE_SECONDS = 0.005
MODELS = ("scripted-one", "scripted-two", "scripted-three")
GIVEN_TOKENS = 1200
CACHED_TOKENS = 200

_count = itertools.count(1)


def new_id(prefix: str) -> str:
    return f"{prefix}_{next(_count):08d}"


@dataclass(frozen=True, slots=True)
class Said:
    """Something in the conversation so far that matters to a script."""

    by: Literal["user", "tool"]
    text: str
    beside_result: bool = False
    """Arrived in one message with a tool's result: perhaps the agent's own comment on it."""
    follows: bool = False
    """Is another part of the previous message."""


@dataclass(frozen=True, slots=True)
class Asked:
    model: str
    stream: bool
    conversation: tuple[Said, ...]
    tools: Mapping[str, Json | None]
    """The schema of each tool's arguments; None for one that takes plain text."""
    may_want_rights: bool = True
    """A command may ask for more rights than it has. One agent refuses it where its user is asked anyway."""


@dataclass(frozen=True, slots=True)
class Say:
    text: str
    pause: float = PAUSE_SECONDS
    """Seconds after each word."""


@dataclass(frozen=True, slots=True)
class Think:
    text: str
    pause: float = PAUSE_SECONDS


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: Json | str
    id: str


Block = Say | Think | Call


@dataclass(frozen=True, slots=True)
class Reply:
    blocks: tuple[Block, ...]
    fails_with: int | None = None
    """An HTTP status instead of a reply."""
    breaks: bool = False
    """The connection is cut in the middle."""
    is_empty: bool = False
    """Neither text nor calls."""
    is_short: bool = False
    """It ended at the length limit."""
    wait_seconds: float = 0.0
    """Before the first word."""
    held_by: str = ""
    """A file that must exist before it continues after its first words."""

    @property
    def calls(self) -> int:
        return sum(isinstance(block, Call) for block in self.blocks)

    @property
    def tokens(self) -> int:
        return 1 + sum(20 if isinstance(block, Call) else len(block.text) // 4 for block in self.blocks)


class Frame(NamedTuple):
    """One server-sent event."""

    event: str | None
    data: Json | str
    pause: float = 0.0


class Wire(Protocol):
    """One provider's wire format."""

    def read(self, body: Json) -> Asked: ...
    def stream(self, reply: Reply, model: str) -> Iterator[Frame]: ...
    def whole(self, reply: Reply, model: str) -> Json: ...
    def failure(self, status: int, message: str) -> Json: ...


def words(text: str) -> list[str]:
    """The pieces in which a text is streamed; joined they are the text."""
    return re.findall(r"\S+\s*|\s+", text)


def thirds(text: str) -> list[str]:
    """Arguments of a tool come in pieces too."""
    cut = max(1, len(text) // 3)
    return [part for part in (text[:cut], text[cut : 2 * cut], text[2 * cut :]) if part]


def text_in(content: Any) -> str:
    """The text of a message's content, whether it is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(part["text"] for part in content if isinstance(part, dict) and "text" in part)
