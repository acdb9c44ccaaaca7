"""The shapes the fold produces: the blocks of a chat.

Lives here: their fields, once for Python and the page; `make types` writes them to
frontend/src/state/shapes.ts, and tests/chat/test_shapes.py holds the fold to them.
Lives elsewhere: the head (head_shapes.py), the fold (transcript.py), the events it folds (events.py).

Only type checkers and scripts import this module.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from voxpilot.chat.head_shapes import (
    AgentCommand,
    AgentOption,
    ChatModel,
    Handover,
    LeftOut,
    MessageCut,
    SentContext,
    SentFile,
    SentSkill,
    Usage,
)


class Placed(TypedDict):
    """The fields of every block."""

    pos: int
    """Its position and its id within the chat. Never changes; later blocks have higher numbers."""
    at: float
    turn: NotRequired[str]
    tool_call_id: NotRequired[str]
    """The delegated call it belongs to."""
    cut: NotRequired[bool]
    """Only a preview is here."""
    size: NotRequired[int]
    """Bytes of the whole, if only a preview is here."""


class MessageBlock(Placed):
    """A message that was sent."""

    kind: Literal["message"]
    id: str
    role: Literal["user", "assistant", "agent"]
    text: str
    attachments: NotRequired[list[dict[str, Any]]]
    handover: NotRequired[str]
    """Sent along with it: what others did in this chat."""
    cut_at: NotRequired[MessageCut]
    context: NotRequired[SentContext]


class WholeAt(TypedDict):
    """Where the whole of a diff is: an event, and an index in its content."""

    seq: int
    item: int


class DiffContent(TypedDict):
    """A change to a file."""

    type: Literal["diff"]
    path: NotRequired[str | None]
    oldText: NotRequired[str | None]
    newText: NotRequired[str]
    from_line: NotRequired[int]
    """The lines before this one are unchanged and left out."""
    cut: NotRequired[bool]
    """Part of the change itself is left out."""
    whole_at: NotRequired[WholeAt]
    """Set if it comes from an earlier event than the content around it."""


class Resource(TypedDict, total=False):
    """A file inside a content part."""

    uri: str
    text: str
    blob: str
    mimeType: str


class ContentPart(TypedDict):
    """A piece of content, as ACP sends it."""

    type: str
    """text, image, audio, resource_link, resource, or an unknown word."""
    text: NotRequired[str]
    data: NotRequired[str]
    mimeType: NotRequired[str]
    uri: NotRequired[str]
    name: NotRequired[str]
    resource: NotRequired[Resource]
    cut_at: NotRequired[int]
    """The event that holds the whole of a large part."""


class SpokenPart(TypedDict):
    """Content other than text within streamed text."""

    after: int
    """Code points of text before it."""
    content: ContentPart


class Spoken(Placed):
    """Streamed text."""

    message_id: str
    text: str
    parts: NotRequired[list[SpokenPart]]
    superseded: NotRequired[bool]
    """The model was asked again; this is the earlier, unfinished answer."""


class TextBlock(Spoken):
    """Text of an agent or the assistant."""

    kind: Literal["text"]


class ThoughtBlock(Spoken):
    """Reasoning of an agent or the assistant."""

    kind: Literal["thought"]


SpokenBlock = TextBlock | ThoughtBlock


class PartContent(TypedDict):
    """A content part of a tool call."""

    type: Literal["content"]
    content: NotRequired[ContentPart]


class TerminalContent(TypedDict):
    """A terminal of a tool call."""

    type: Literal["terminal"]
    terminalId: NotRequired[str]


ToolContent = PartContent | DiffContent | TerminalContent
"""What a tool call shows, as ACP sends it. Any field may be missing, since agents are careless."""


class Location(TypedDict, total=False):
    """A file that a tool call works on."""

    path: str
    line: int | None


class ToolCut(TypedDict, total=False):
    """The events that hold the whole of each field of which only a preview is here."""

    input: int
    output: int
    content: int
    locations: int


class Delegated(TypedDict):
    """How work that the assistant gave to an agent ended."""

    session_name: str
    agent: str
    summary: str
    stop_reason: str


class ToolResult(TypedDict):
    """What a tool of the assistant returned."""

    content: str
    display: str
    is_error: bool
    seq: int
    """The event that holds all of it."""
    cut: NotRequired[bool]
    size: NotRequired[int]


class ToolBlock(Placed):
    """A tool call."""

    kind: Literal["tool"]
    id: str
    title: str
    tool_kind: str
    """read, edit, delete, move, search, execute, think, fetch, switch_mode, other, or an unknown word."""
    status: str
    """pending, in_progress, completed, failed, cancelled, or an unknown word."""
    name: NotRequired[str]
    input: NotRequired[Any]
    output: NotRequired[Any]
    locations: list[Location]
    content: list[ToolContent]
    early: NotRequired[bool | Literal["proposed"]]
    """Known from updates or a question only: the call itself has not arrived yet."""
    cut_at: NotRequired[ToolCut]
    meta: NotRequired[dict[str, Any]]
    delegated: NotRequired[Delegated]
    result: NotRequired[ToolResult]
    unasked: NotRequired[bool]
    """It changed something without anyone being asked."""


class Exit(TypedDict, total=False):
    """How a command ended."""

    exit_code: int
    signal: str


class TerminalBlock(Placed):
    """A command that runs or ran for an agent."""

    kind: Literal["terminal"]
    terminal_id: str
    command: NotRequired[Any]
    """A line for the shell, or a list: the program and its arguments."""
    cwd: NotRequired[str]
    takes_input: NotRequired[bool]
    """A person may type into it while it runs."""
    text: str
    skipped: NotRequired[int]
    """Bytes that are not shown; the text says where."""
    held: NotRequired[bool]
    """The rest is shown when it ends."""
    exit: NotRequired[Exit]
    tool: NotRequired[str]
    """The tool call of an agent that runs it itself."""
    told_as: NotRequired[str]
    """The agent's name for it, if another terminal already had that name."""


class PlanEntry(TypedDict):
    """One step of a plan."""

    content: str
    priority: str
    """high, medium, low"""
    status: str
    """pending, in_progress, completed"""


class PlanBlock(Placed):
    """The agent's plan for a turn."""

    kind: Literal["plan"]
    entries: list[PlanEntry]


class QuestionDetail(TypedDict, total=False):
    """Exactly what will happen."""

    tool: str | None
    """The id of the tool call in question."""
    tool_kind: str
    input: Any
    locations: list[Location]
    content: list[ToolContent]
    cut_at: ToolCut
    caution: str
    """Why this is more than everyday work."""
    unclear: str
    """Why only a person can approve it; not a warning."""


class QuestionOption(TypedDict):
    """One way to answer a question."""

    id: str
    label: str
    kind: str
    """allow_once, allow_always, reject_once, reject_always, or an unknown word."""


class Answer(TypedDict):
    """How a question was answered."""

    question_id: str
    outcome: str
    """The kind of the chosen option, or `cancelled` or `expired`."""
    by: Literal["person", "rule", "auto", "cancelled", "expired"]
    option_id: NotRequired[str]
    where: NotRequired[str]
    """The device."""
    reason: NotRequired[str]
    at: float


class QuestionBlock(Placed):
    """A question to a person."""

    kind: Literal["question"]
    id: str
    type: Literal["permission", "form", "url", "confirm", "sign-in"]
    title: str
    detail: QuestionDetail
    options: list[QuestionOption]
    agent: NotRequired[str]
    answer: NotRequired[Answer]


class NoticeBlock(Placed):
    """A note from the server."""

    kind: Literal["notice"]
    level: Literal["info", "warning", "error"]
    code: str
    text: str
    detail: NotRequired[str]


class TurnError(TypedDict):
    """Why a turn failed."""

    message: str
    hint: NotRequired[str]


class TurnBlock(Placed):
    """A turn that has ended."""

    kind: Literal["turn"]
    since: float
    stop_reason: str
    """end_turn, max_tokens, max_turn_requests, refusal, cancelled, interrupted, error"""
    error: NotRequired[TurnError]


class UnknownBlock(Placed):
    """An event that could not be folded."""

    kind: Literal["unknown"]
    raw: Any
    broken: NotRequired[bool]
    """Its kind is known, but it lacks what events of that kind have."""


Block = (
    MessageBlock
    | TextBlock
    | ThoughtBlock
    | ToolBlock
    | TerminalBlock
    | PlanBlock
    | QuestionBlock
    | NoticeBlock
    | TurnBlock
    | UnknownBlock
)

OPEN_SHAPES = (Usage, QuestionDetail, TurnError)
"""Shapes that may have more fields than those named here."""

EVENT_FIELDS: dict[str, Any] = {
    "TextSpoken.block": ContentPart,
    "ThoughtSpoken.block": ContentPart,
    "DelegateSpoke.block": ContentPart,
    "ContextSent.skills": list[SentSkill],
    "ContextSent.files": list[SentFile],
    "ContextSent.left_out": list[LeftOut],
    "ToolCallStarted.locations": list[Location],
    "ToolCallStarted.content": list[ToolContent],
    "ToolCallChanged.locations": list[Location],
    "ToolCallChanged.content": list[ToolContent],
    "PlanMade.entries": list[PlanEntry],
    "QuestionAsked.detail": QuestionDetail,
    "QuestionAsked.options": list[QuestionOption],
    "OptionsChanged.options": list[AgentOption],
    "CommandsChanged.commands": list[AgentCommand],
    "UsageReported.usage": Usage,
    "ChatInfoChanged.model": ChatModel,
    "ChatInfoChanged.handover": Handover,
    "TurnEnded.error": TurnError,
}
"""The shapes of event fields that are plain JSON in events.py and go into the head or a block unchanged."""
