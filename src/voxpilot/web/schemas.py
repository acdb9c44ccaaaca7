"""Bodies of requests and responses, as they cross the border.

Lives here: shapes and their limits. Lives elsewhere: what is done with them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

EVENT_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; the event's name says which of these shapes its data has.",
        "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/StreamEvents"}}},
    }
}
STORED_EVENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The event, uncut.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/StoredEvent"}}},
    }
}
"""The shapes named here are made from the events themselves (described.py)."""


def _storable(value: dict[str, Any]) -> dict[str, Any]:
    """What has no fixed shape must at least be JSON that can be written down again."""
    try:
        orjson.dumps(value)
    except TypeError as error:
        raise ValueError("it holds text or numbers that cannot be stored") from error
    return value


Key = Annotated[str, Field(min_length=1, max_length=200)]
"""Of the client's making: the same key again gets the same answer, and nothing happens twice."""
Anything = Annotated[dict[str, Any], AfterValidator(_storable)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TrustedFolderInfo(BaseModel):
    path: str
    at: float


class TrustedFolders(BaseModel):
    folders: list[TrustedFolderInfo]


class Health(BaseModel):
    status: Literal["ok"]
    version: str


class SignIn(Body):
    code: str = Field(min_length=1, max_length=200)
    device: str = Field("A browser", min_length=1, max_length=80)


class Me(BaseModel):
    device: str
    device_id: str | None
    expires_at: float | None = None
    """When this device must sign in again; only where its cookie is not ours alone."""
    version: str


class DeviceInfo(BaseModel):
    id: str
    name: str
    created_at: float
    last_used_at: float
    this_one: bool


class NewLink(BaseModel):
    code: str
    url: str
    expires_in: float


class NewChat(Body):
    workspace: str | None = Field(None, max_length=4096)
    mode: Literal["llm", "agent"] = "agent"
    agent: str | None = Field(None, max_length=100)
    permissions: Literal["ask", "auto"] | None = None
    """What an agent may do without a person; the mode decides where nothing is said."""
    name: str | None = Field(None, min_length=1, max_length=200)
    load: str | None = Field(None, min_length=1, max_length=500)
    """A session of the agent's own history, to be shown and gone on with."""
    directories: list[Annotated[str, Field(max_length=4096)]] | None = Field(None, max_length=20)
    """Further folders the agent may touch."""
    key: Key | None = None


class Restart(Body):
    reload: bool = False
    """Bring the session back instead of beginning a new one."""
    key: Key | None = None


class Restarted(BaseModel):
    agent: str


class ChatChange(Body):
    title: str | None = Field(None, min_length=1, max_length=500)
    mode: Literal["llm", "agent"] | None = None
    agent: str | None = Field(None, max_length=100)
    workspace: str | None = Field(None, max_length=4096)
    permissions: Literal["ask", "auto"] | None = None


class ChatInfo(BaseModel):
    """A chat as the list shows it."""

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


class ChatList(BaseModel):
    chats: list[ChatInfo]


class NewMessage(Body):
    text: str = Field(max_length=2_000_000)
    """Empty only where something is attached."""
    attachments: list[Anything] = Field(default=[], max_length=50)
    key: Key


class MessageEdit(Body):
    text: str = Field(max_length=2_000_000)
    key: Key | None = None


class Cancel(Body):
    turn: str | None = Field(None, max_length=100)
    """Stop this turn and no other."""
    key: Key | None = None


class MessageTaken(BaseModel):
    message_id: str
    turn: str


class TurnRef(BaseModel):
    turn: str


class AnswerGiven(Body):
    """`option_id` for a permission; `action`, and `content` with it, for a form or a link."""

    option_id: str | None = Field(None, max_length=1000)
    action: Literal["accept", "decline", "cancel"] | None = None
    content: Anything | None = None
    reason: str | None = Field(None, max_length=10_000)
    key: Key | None = None


class Typed(Body):
    """For a command's terminal, exactly as a keyboard would send it: Enter is `\\r`, Ctrl-C is `\\u0003`."""

    data: str = Field(min_length=1, max_length=16_384)
    key: Key | None = None


class AnswerTaken(BaseModel):
    question_id: str
    option_id: str | None
    outcome: str


class Decision(BaseModel):
    """What was asked, and what became of it."""

    id: str
    chat: str
    chat_title: str
    turn: str | None
    agent: str | None
    type: str
    purpose: str
    """`agent` for what an agent asked; else what we ourselves asked for."""
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
    """The policy under which it was asked, for permissions."""
    cut: bool = False
    """The detail is a preview; the whole is at decisions/{id}."""


class Decisions(BaseModel):
    decisions: list[Decision]


class OptionChosen(Body):
    """A mode, model or other option of the agent's, by the id it is listed under."""

    id: str = Field(max_length=1000)
    value: str | bool
    session_name: str = Field("main", max_length=200)
    key: Key | None = None


class OptionTaken(BaseModel):
    id: str
    value: str | bool


class Blocks(BaseModel):
    blocks: list[dict[str, Any]]


class ListedAgent(BaseModel):
    """An agent as the setting `acpAgents` has it."""

    id: str
    displayName: str
    command: str
    args: list[str]
    env: dict[str, str]


class AssistantValues(BaseModel):
    provider: str
    model: str
    base_url: str
    api_key: str | None
    """Asterisks if there is one: the key itself is never told."""
    context_tokens: int
    max_output_tokens: int


class SettingsValues(BaseModel):
    """What counts now."""

    acpAgents: list[ListedAgent]
    acpDefaultAgentId: str
    acpAutoAllowPermissions: bool
    acpSkillsFolderPath: str
    interactionModeDefault: Literal["llm", "agent"]
    assistant: AssistantValues
    max_agent_iterations: int
    strict: bool
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
    """Their names; what else there is to say of them may hold secrets."""
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


class SettingsInfo(BaseModel):
    values: SettingsValues
    path: str
    """The settings file."""
    problem: str | None
    """Why the file is not used as it stands; the last good settings count."""
    decided_elsewhere: list[str]
    """What the environment or the command line decides."""
    only_in_file: list[str]
    """What can be changed in the file alone."""
    waiting: list[str]
    """What was changed in the file and counts after a restart."""


class ErrorBody(BaseModel):
    code: str
    message: str
    hint: str


class ErrorAnswer(BaseModel):
    error: ErrorBody
