"""Bodies of requests and responses.

Lives here: shapes and their limits. Lives elsewhere: what is done with them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

EVENT_STREAM: dict[str, Any] = {
    "description": "Server-sent events; the event's name says which of these shapes its data has.",
    "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/StreamEvents"}}},
}
STORED_EVENT: dict[str, Any] = {
    "description": "The complete event.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/StoredEvent"}}},
}
"""The shapes named here are made from the events themselves (openapi.py)."""


def _storable(value: dict[str, Any]) -> dict[str, Any]:
    """Content without a fixed shape must at least be JSON that can be stored."""
    try:
        orjson.dumps(value)
    except TypeError as error:
        raise ValueError("it contains text or numbers that cannot be stored") from error
    return value


Key = Annotated[str, Field(min_length=1, max_length=200)]
"""Chosen by the client. Repeating a request with the same key returns the same answer and changes nothing."""
Anything = Annotated[dict[str, Any], AfterValidator(_storable)]


class Answer(BaseModel):
    """Built when it is first used, to save start-up time."""

    model_config = ConfigDict(defer_build=True)


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class TrustedFolderInfo(Answer):
    path: str
    at: float


class TrustedFolders(Answer):
    folders: list[TrustedFolderInfo]


class Health(Answer):
    status: Literal["ok"]
    version: str


class SignIn(Body):
    code: str = Field(min_length=1, max_length=200)
    device: str = Field("A browser", min_length=1, max_length=80)


class Me(Answer):
    device: str
    device_id: str | None
    confirmed: bool
    """Whether it may loosen settings, trust and permissions."""
    version: str


class SignedIn(Me):
    key: str
    """To be sent as X-VoxPilot-Key with every request, together with the cookie. Returned only this once."""


class DeviceInfo(Answer):
    id: str
    name: str
    created_at: float
    last_used_at: float
    this_one: bool
    confirmed: bool
    """False until a confirmed browser confirms it; see docs/security.md."""


class NewLink(Answer):
    code: str
    url: str
    expires_in: float


class NewChat(Body):
    workspace: str | None = Field(None, max_length=4096)
    mode: Literal["llm", "agent"] | None = None
    """The default is `agent` if an agent is named, otherwise the setting `interaction_mode_default`."""
    agent: str | None = Field(None, max_length=100)
    """In agent mode, the default is the setting `acp_default_agent_id`, otherwise an installed agent."""
    permissions: Literal["ask", "auto"] | None = None
    """Whether the agent asks before it acts; the default depends on the mode."""
    name: str | None = Field(None, min_length=1, max_length=200)
    load: str | None = Field(None, min_length=1, max_length=500)
    """The id of one of the agent's own sessions, to show and continue it."""
    directories: list[Annotated[str, Field(max_length=4096)]] | None = Field(None, max_length=20)
    """Additional folders the agent may use."""
    key: Key | None = None


class Restart(Body):
    reload: bool = False
    """Restore the session instead of starting a new one."""
    key: Key | None = None


class Restarted(Answer):
    agent: str


class ChatChange(Body):
    title: str | None = Field(None, min_length=1, max_length=500)
    mode: Literal["llm", "agent"] | None = None
    agent: str | None = Field(None, max_length=100)
    workspace: str | None = Field(None, max_length=4096)
    permissions: Literal["ask", "auto"] | None = None
    model: str | None = Field(None, max_length=200)
    """The assistant's model in this chat; empty for the one in the settings."""
    tools_off: list[Annotated[str, Field(max_length=100)]] | None = Field(None, max_length=100)
    """The assistant's tools that are switched off in this chat: all of them."""


class HandoverChange(Body):
    """What the next message takes along; omitted fields stay as they are."""

    text: str | None = Field(None, max_length=20_000)
    left_out: bool | None = None
    """Whether it is not sent."""


class ChatInfo(Answer):
    """A chat as shown in the list."""

    id: str
    title: str
    workspace: str
    mode: str
    agent: str | None
    policy: str
    name: str | None
    created_at: float
    updated_at: float
    last_seq: int
    running: bool
    queued: int
    needs_you: int
    last_turn: str | None
    status: Literal["needs-you", "working", "failed", "ready", "new"]


class ChatList(Answer):
    chats: list[ChatInfo]
    next: str | None = None
    """The value of `before` for the next page; null on the last page."""


class NewMessage(Body):
    text: str = Field(max_length=2_000_000)
    """May be empty only if something is attached."""
    attachments: list[Anything] = Field(default=[], max_length=50)
    key: Key


class MessageEdit(Body):
    text: str = Field(max_length=2_000_000)
    key: Key | None = None


class Cancel(Body):
    turn: str | None = Field(None, max_length=100)
    """Stop this turn only."""
    key: Key | None = None


class MessageTaken(Answer):
    message_id: str
    turn: str


class TurnRef(Answer):
    turn: str


class AnswerGiven(Body):
    """`option_id` for a permission; `action` and `content` for a form or a link."""

    option_id: str | None = Field(None, max_length=1000)
    action: Literal["accept", "decline", "cancel"] | None = None
    content: Anything | None = None
    reason: str | None = Field(None, max_length=10_000)
    key: Key | None = None


class Typed(Body):
    """Input for a command's terminal, exactly as a keyboard would send it: Enter is `\\r`, Ctrl-C is
    `\\u0003`."""

    data: str = Field(min_length=1, max_length=16_384)
    key: Key | None = None


class AnswerTaken(Answer):
    question_id: str
    option_id: str | None
    outcome: str


class Decision(Answer):
    """What was asked, and how it was decided."""

    id: str
    chat: str
    chat_title: str
    turn: str | None
    agent: str | None
    type: str
    purpose: str
    """`agent` if an agent asked; otherwise why VoxPilot asked."""
    title: str
    detail: dict[str, Any]
    options: list[dict[str, Any]]
    asked_at: float
    at: float
    outcome: str
    option_id: str | None
    by: Literal["person", "rule", "auto", "cancelled", "expired"]
    where: str | None
    reason: str | None
    policy: str | None
    """For permissions: the policy in force when it was asked."""
    cut: bool = False
    """The detail is a preview; decisions/{id} has all of it."""


class Decisions(Answer):
    decisions: list[Decision]


class OptionChosen(Body):
    """A mode, model or other option of the agent, by its id."""

    id: str = Field(max_length=1000)
    value: str | bool
    session_name: str = Field("main", max_length=200)
    key: Key | None = None


class OptionTaken(Answer):
    id: str
    value: str | bool


class Blocks(Answer):
    blocks: list[dict[str, Any]]


class ListedAgent(Answer):
    """An agent as listed in the setting `acpAgents`."""

    id: str
    displayName: str
    command: str
    args: list[str]
    env: dict[str, str]


class AssistantValues(Answer):
    provider: str
    model: str
    base_url: str
    api_key: str | None
    """Asterisks if a key is set: the key itself is never returned."""
    context_tokens: int
    max_output_tokens: int


class SettingsValues(Answer):
    """The settings in force."""

    acpAgents: list[ListedAgent]
    acpDefaultAgentId: str
    acpAutoAllowPermissions: bool
    acpSkillsFolderPath: str
    acp_diagnostics: bool
    acp_diagnostics_texts: bool
    interactionModeDefault: Literal["llm", "agent"]
    instructions: str
    prepend_instructions: bool
    project_instructions: bool
    embed_limit_bytes: int
    assistant: AssistantValues
    max_agent_iterations: int
    strict: bool
    auto_writes_per_turn: int
    question_timeout: float
    confirm_timeout: float
    trusted_folders: list[str]
    host: str
    port: int
    data_dir: str
    work_dir: str
    allowed_hosts: list[str]
    expose: bool
    log_level: str
    mcp_servers: list[str]
    """Only their names, because the rest may contain secrets."""
    copilot_cli_path: str
    copilot_connection_ttl: float
    busy_limit: float
    concurrent_starts: int
    start_notice: float
    start_timeout: float
    restore_timeout: float
    sign_in_timeout: float
    cancel_timeout: float
    quiet_time: float
    crash_limit: int


class PendingChange(Answer):
    name: str
    before: str
    after: str


class PendingChanges(Answer):
    """Changes made to the settings file outside the page that nobody has accepted yet."""

    fingerprint: str
    changes: list[PendingChange]


class PendingDecision(Body):
    fingerprint: str = Field(max_length=200)
    """The fingerprint of the changes that were shown."""
    accept: bool


class SettingsInfo(Answer):
    values: SettingsValues
    path: str
    """The settings file."""
    problem: str | None
    """Why the file cannot be used; the last good settings stay in force."""
    decided_elsewhere: list[str]
    """Settings set by the environment or the command line."""
    only_in_file: list[str]
    """Settings that can be changed only in the file."""
    waiting: list[str]
    """Settings that were changed in the file and take effect after a restart."""
    pending: PendingChanges | None
    """Changes that wait to be accepted; the previous values stay in force."""


class ErrorBody(Answer):
    code: str
    message: str
    hint: str


class ErrorAnswer(Answer):
    error: ErrorBody
