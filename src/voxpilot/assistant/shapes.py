"""Messages to and from a model, independent of the provider.

Lives here: the values that the rest of the assistant shares. Lives elsewhere: sending them (llm.py), choosing
a model (providers.py), what of a conversation is sent (history.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic import SecretStr

from voxpilot.values import dataclass

Json = dict[str, Any]
Wire = Literal["openai", "anthropic", "demo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Which model, where, and with which key. The key is not part of the repr."""

    provider: str
    wire: Wire
    model: str
    base_url: str = ""
    api_key: SecretStr | None = None
    context_tokens: int = 128_000
    """The size of its context in tokens."""
    max_output_tokens: int = 0
    """The longest answer; 0 leaves it to the provider."""
    silence_seconds: float = 180.0
    """How long it may be silent before the request is given up."""
    tries: int = 3
    """How often a request is sent at most; it is repeated only if no part of an answer has arrived."""
    pause_seconds: float = 0.5
    """The pause before the second attempt; it doubles before each further one."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call."""

    name: str
    description: str
    parameters: Json
    """JSON schema of its arguments."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    """Unique within its step; some providers reuse ids in later steps."""
    name: str
    arguments: Json | None
    """None if the model's arguments cannot be parsed."""
    raw: str = ""
    """The arguments as the model wrote them."""
    error: str = ""
    """Why they cannot be parsed, explained for the model."""


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """How much of the input came from the provider's cache."""


@dataclass(frozen=True, slots=True)
class Step:
    """One whole answer of a model."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    thoughts: str = ""
    usage: Usage = Usage()
    finish: str = "stop"
    """`stop`, `length`, `content_filter`, `tool_call` or `error`."""
    is_cut: bool = False
    """It called more tools than one answer may contain; the rest was not read."""
    message: Json | None = None
    """The provider's own complete message, stored so that the next request can repeat it exactly."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer as it arrives."""

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
