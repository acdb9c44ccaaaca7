"""Bodies of requests and responses about agents.

Lives here: agents, checking them, their own sessions. Lives elsewhere: all other bodies (bodies.py).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from voxpilot.web.schemas.bodies import Answer, Body

CHECK_STREAM: dict[str, Any] = {
    "description": "Server-sent events: a `step` after each check, then `done`.",
    "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/CheckEvents"}}},
}


class PastSessionInfo(Answer):
    session_id: str
    title: str
    cwd: str
    updated_at: str | None
    chat: str | None
    """The chat that uses it, if any."""


class PastSessions(Answer):
    sessions: list[PastSessionInfo]
    next: str | None
    """The cursor of the next page."""


class ForkWish(Body):
    workspace: str = Field(max_length=4096)


class ForkedSession(Answer):
    session_id: str


class AgentChange(Body):
    """Changes to an agent; omitted fields stay as they are."""

    display_name: str | None = None
    command: str | None = None
    args: list[str] | None = None
    env: dict[str, str] | None = None
    pass_env: list[str] | None = None
    tcp: str | int | None = None
    port: int | None = None
    """Short for `tcp` with a port of this machine."""
    allow_remote: bool | None = None
    fs: bool | None = None
    terminal: bool | None = None
    minimum_version: str | None = None
    version_args: list[str] | None = None
    install_hint: str | None = None
    login_hint: str | None = None
    sandbox: Literal["off", "standard", "strict"] | None = None
    sandbox_network: bool | None = None
    sandbox_writable: list[str] | None = None
    sandbox_readable: list[str] | None = None


class AgentSeen(Answer):
    """What an agent reported about itself when it was last started."""

    name: str | None
    version: str | None
    can: list[str]
    """Its capabilities in words."""
    capabilities: dict[str, Any]
    at: float


class AgentInfo(Answer):
    id: str
    display_name: str
    command: str
    args: list[str]
    env: dict[str, str]
    """Secrets are masked; sending a masked value back keeps the secret."""
    pass_env: list[str]
    tcp: str
    allow_remote: bool
    fs: bool
    terminal: bool
    found: str | None
    """Where its program is."""
    version: str | None
    """The version its program reported; null until it was asked."""
    minimum_version: str
    version_ok: bool | None
    version_args: list[str]
    install_hint: str
    login_hint: str
    sandbox: Literal["off", "standard", "strict"]
    """How much of this machine it sees."""
    sandbox_network: bool
    sandbox_writable: list[str]
    sandbox_readable: list[str]
    known: bool
    """Whether VoxPilot knows it by name."""
    changed: bool
    """Whether it is a known agent that the settings change."""
    fixed: list[str]
    """Fields set by environment variables."""
    seen: AgentSeen | None


class AgentList(Answer):
    agents: list[AgentInfo]
    default: str
    """The agent of a chat that names none."""
    default_mode: Literal["llm", "agent"]
    """Who answers in a chat that names neither a mode nor an agent: the assistant, or that agent."""
    settings_problem: str | None
    """Why the settings file cannot be used."""
    sandbox_problem: str | None
    """Why no agent can run in a sandbox on this machine."""


class CheckStep(Answer):
    """One check of an agent."""

    name: str
    outcome: Literal["ok", "warning", "failed"]
    text: str
    hint: str
    detail: str
    """The agent's error output, if it may help."""
    seconds: float


class CheckDone(Answer):
    ok: bool
    seconds: float


class CheckEvents(Answer):
    """The data of each event, by event name."""

    step: CheckStep
    done: CheckDone


class AssistantWish(Body):
    """A model to test before it is chosen."""

    provider: str | None = Field(None, max_length=50)
    model: str | None = Field(None, max_length=200)
    base_url: str | None = Field(None, max_length=2000)
    api_key: str | None = Field(None, max_length=4096)


class ModelChosen(Answer):
    provider: str
    model: str


class ModelProblem(Answer):
    message: str
    hint: str


class ProviderInfo(Answer):
    id: str
    name: str
    needs_key: bool
    model: str
    """The default model."""


class ToolInfo(Answer):
    """One of the assistant's tools."""

    name: str
    description: str


class AssistantInfo(Answer):
    chosen: ModelChosen | None
    problem: ModelProblem | None
    """Why no model can be used."""
    providers: list[ProviderInfo]
    tools: list[ToolInfo]


class ModelList(Answer):
    models: list[str]


class AssistantTrial(Answer):
    ok: bool
    message: str
    hint: str
