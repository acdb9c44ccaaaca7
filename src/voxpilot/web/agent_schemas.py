"""Bodies of requests and responses about agents, as they cross the border.

Lives here: agents, trying them, their own sessions. Lives elsewhere: everything
else that crosses it (schemas.py).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from voxpilot.web.schemas import Body

CHECK_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `step` for each thing tried, when it is done; then `done`.",
        "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/CheckEvents"}}},
    }
}


class PastSessionInfo(BaseModel):
    session_id: str
    title: str
    cwd: str
    updated_at: str | None
    chat: str | None
    """The chat that has it, if one does."""


class PastSessions(BaseModel):
    sessions: list[PastSessionInfo]
    next: str | None
    """The cursor of the next page."""


class ForkWish(Body):
    workspace: str = Field(max_length=4096)


class ForkedSession(BaseModel):
    session_id: str


class AgentChange(Body):
    """What a person may change of an agent; what is not given stays as it is."""

    display_name: str | None = None
    command: str | None = None
    args: list[str] | None = None
    env: dict[str, str] | None = None
    pass_env: list[str] | None = None
    tcp: str | int | None = None
    port: int | None = None
    """The same as `tcp` with a port of this machine."""
    allow_remote: bool | None = None
    fs: bool | None = None
    terminal: bool | None = None
    minimum_version: str | None = None
    version_args: list[str] | None = None
    install_hint: str | None = None
    login_hint: str | None = None


class AgentSeen(BaseModel):
    """What an agent said of itself when it was last started."""

    name: str | None
    version: str | None
    can: list[str]
    """In words."""
    capabilities: dict[str, Any]
    at: float


class AgentInfo(BaseModel):
    id: str
    display_name: str
    command: str
    args: list[str]
    env: dict[str, str]
    """Secrets are hidden; a hidden value sent back is left as it is."""
    pass_env: list[str]
    tcp: str
    allow_remote: bool
    fs: bool
    terminal: bool
    found: str | None
    """Where its program is."""
    version: str | None
    """What its program says, once it was asked."""
    minimum_version: str
    version_ok: bool | None
    version_args: list[str]
    install_hint: str
    login_hint: str
    known: bool
    """It is on our own list."""
    changed: bool
    """It is on our list, and the settings say otherwise about it."""
    fixed: list[str]
    """Fields that the environment decides."""
    seen: AgentSeen | None


class AgentList(BaseModel):
    agents: list[AgentInfo]
    default: str
    """The agent of a chat that names none."""
    settings_problem: str | None
    """Why the settings file is not used as it stands."""


class CheckStep(BaseModel):
    """One thing that was tried with an agent."""

    name: str
    outcome: Literal["ok", "warning", "failed"]
    text: str
    hint: str
    detail: str
    """What the agent wrote to its error output, if that may help."""
    seconds: float


class CheckDone(BaseModel):
    ok: bool
    seconds: float


class CheckEvents(BaseModel):
    """Data by the event's name."""

    step: CheckStep
    done: CheckDone


class AssistantWish(Body):
    """A model to be tried before it is chosen."""

    provider: str | None = Field(None, max_length=50)
    model: str | None = Field(None, max_length=200)
    base_url: str | None = Field(None, max_length=2000)
    api_key: str | None = Field(None, max_length=4096)


class ModelChosen(BaseModel):
    provider: str
    model: str


class ModelProblem(BaseModel):
    message: str
    hint: str


class ProviderInfo(BaseModel):
    id: str
    name: str
    needs_key: bool
    model: str
    """What is taken when none is named."""


class AssistantInfo(BaseModel):
    chosen: ModelChosen | None
    problem: ModelProblem | None
    """Why no model can be asked."""
    providers: list[ProviderInfo]


class ModelList(BaseModel):
    models: list[str]


class AssistantTrial(BaseModel):
    ok: bool
    message: str
    hint: str
