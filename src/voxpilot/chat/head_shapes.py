"""The shape of a chat's head: the current state of the whole chat.

Lives here: its fields, once for Python and the page. Lives elsewhere: the blocks, and
how these types reach the page (shapes.py).
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class OpenTurn(TypedDict):
    """The turn that is running."""

    id: str
    since: float
    """Seconds since 1970, like every `at`."""
    by: Literal["assistant", "agent"]
    agent: NotRequired[str]
    session_name: NotRequired[str]
    stopping: NotRequired[bool]
    """Someone asked it to stop."""


class MessageCut(TypedDict, total=False):
    """The events that hold the whole message if only part of it is here.

    Large files come without their data, marked `cut`.
    """

    text: int
    attachments: int


class QueuedMessage(TypedDict):
    """A message that waits for its turn."""

    id: str
    role: Literal["user", "assistant", "agent"]
    text: str
    attachments: NotRequired[list[dict[str, Any]]]
    cut: NotRequired[bool]
    """Only a preview is here. In logs of earlier versions `cut_at` is missing."""
    cut_at: NotRequired[MessageCut]
    queued: NotRequired[bool]
    ahead: NotRequired[bool]
    """Runs before messages without this mark."""
    to: NotRequired[str]
    """Who gets it, if the chat is with another agent by now; empty for the assistant."""
    handover: NotRequired[str]
    size: NotRequired[int]


class AgentStatus(TypedDict):
    """Whether an agent is running."""

    status: Literal["starting", "connected", "busy", "disconnected", "error"]
    message: NotRequired[str]
    hint: NotRequired[str]
    sandbox: NotRequired[Literal["standard", "strict"]]
    """The sandbox its process runs in, if any."""


class OptionChoice(TypedDict):
    """One value of an option."""

    value: Any
    name: NotRequired[str]
    description: NotRequired[str]
    group: NotRequired[str]


class AgentOption(TypedDict):
    """A mode, model or config option of an agent."""

    id: str
    name: str
    description: NotRequired[str | None]
    category: str
    """`mode`, `model`, `thought_level`, `other` or the agent's own word."""
    type: Literal["select", "boolean"]
    current: NotRequired[Any]
    choices: list[OptionChoice]
    via: Literal["config", "model", "mode"]


class CommandInput(TypedDict, total=False):
    """The argument of a slash command."""

    hint: str


class AgentCommand(TypedDict):
    """A slash command, as ACP describes it."""

    name: str
    description: NotRequired[str]
    input: NotRequired[CommandInput | None]


class Cost(TypedDict, total=False):
    """What a session has cost so far."""

    amount: float
    currency: str


class Usage(TypedDict, total=False):
    """How full the context window is, and the cost."""

    used: int
    """Tokens in the context window."""
    size: int
    """Tokens that fit into it."""
    cost: Cost | None


class ChatModel(TypedDict, total=False):
    """A model chosen for the assistant in one chat; empty if the settings decide."""

    provider: str
    """It applies only while the settings use this provider."""
    name: str


class Handover(TypedDict, total=False):
    """What the next message takes along for the one who answers it; empty if nothing."""

    text: str
    edited: bool
    """A person has changed it, so it stays as it is."""
    left_out: bool
    """A person does not want it sent."""


class Head(TypedDict):
    """The current state of the whole chat."""

    seq: int
    """The number of the last event that was folded."""
    last_at: float | None
    turn: OpenTurn | None
    queue: list[QueuedMessage]
    """Messages that wait for their turn, in order."""
    questions: list[str]
    """Ids of questions that wait for an answer."""
    agents: dict[str, AgentStatus]
    """By agent."""
    options: dict[str, list[AgentOption]]
    """By session name, like the next two; `main` is the chat's own session."""
    commands: dict[str, list[AgentCommand]]
    usage: dict[str, Usage]
    title: NotRequired[str]
    workspace: NotRequired[str]
    mode: NotRequired[Literal["llm", "agent"]]
    agent: NotRequired[str]
    policy: NotRequired[str]
    counts: NotRequired[str]
    """The policy in effect, if a setting is or was stricter than the chat's own."""
    meta: NotRequired[dict[str, Any]]
    model: NotRequired[ChatModel]
    tools_off: NotRequired[list[str]]
    """The assistant's tools that are switched off."""
    handover: NotRequired[Handover]


class SentSkill(TypedDict):
    """A skill that was sent in full."""

    id: str
    name: str
    path: str
    why: Literal["always", "chosen"]


class SentFile(TypedDict):
    """A file that was sent with a message."""

    path: str
    how: Literal["embedded", "linked", "text", "image", "audio"]
    bytes: int
    lines: NotRequired[list[int]]
    """The first and the last, if not the whole file."""


class LeftOut(TypedDict):
    """Something that could not be sent with a message."""

    what: str
    why: str


class SentContext(TypedDict):
    """What was sent along with a message."""

    skills_folder: NotRequired[str]
    indexed: int
    """How many skills the index names."""
    skills: list[SentSkill]
    instructions: list[str]
    files: list[SentFile]
    left_out: list[LeftOut]
