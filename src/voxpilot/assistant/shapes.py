"""What is said to a model and what it answers, in no provider's words.

Lives here: the shapes that the rest of the assistant shares. Lives elsewhere:
saying them over the wire (llm.py), choosing a model (providers.py), what of a
conversation is sent (history.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import SecretStr

Json = dict[str, Any]
Wire = Literal["openai", "anthropic", "demo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Which model, where, and with which key. The key shows in no repr."""

    provider: str
    wire: Wire
    model: str
    base_url: str = ""
    api_key: SecretStr | None = None
    context_tokens: int = 128_000
    """How much it can read at once."""
    max_output_tokens: int = 0
    """The longest answer; 0 leaves it to the provider."""
    silence_seconds: float = 180.0
    """How long it may say nothing before it is given up."""
    tries: int = 3
    """How often a request is sent at most; again only while nothing of an answer has come."""
    pause_seconds: float = 0.5
    """Before the second try; twice as long before each further one."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something a model may call."""

    name: str
    description: str
    parameters: Json
    """JSON schema of its arguments."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    """Unique in its step; some providers use the same ones again in the next."""
    name: str
    arguments: Json | None
    """None if what the model wrote cannot be read."""
    raw: str = ""
    """The arguments as the model wrote them."""
    error: str = ""
    """Why they cannot be read, in words for the model."""


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Of the input, what the provider had read before."""


@dataclass(frozen=True, slots=True)
class Step:
    """One whole answer of a model."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    thoughts: str = ""
    usage: Usage = Usage()
    finish: str = "stop"
    """`stop`, `length`, `content_filter`, `tool_call` or `error`."""
    message: Json | None = None
    """The provider's own message, whole. Stored and given back it makes the next request exact."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer as it comes."""

    kind: Literal["text", "thought"]
    text: str


OnDelta = Callable[[Delta], None]


@dataclass(frozen=True, slots=True)
class Image:
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class PersonSaid:
    text: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSaid:
    text: str
    calls: tuple[ToolCall, ...] = ()
    message: Json | None = None
    """What `Step.message` was. Without it, or if it cannot be read, the other two fields are used."""


@dataclass(frozen=True, slots=True)
class ToolReturned:
    call_id: str
    name: str
    content: str
    is_error: bool = False


Message = PersonSaid | ModelSaid | ToolReturned
"""A conversation is a sequence of these, oldest first."""
