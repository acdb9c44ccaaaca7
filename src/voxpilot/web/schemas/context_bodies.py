"""Bodies of requests and responses about what goes along with messages.

Lives here: shapes and their limits. Lives elsewhere: all other bodies (bodies.py).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from voxpilot.web.schemas.bodies import Answer, Body

Workspace = Annotated[str, Field(min_length=1, max_length=4096)]
"""The absolute path of a chat's folder, a trusted folder or the default one."""
SkillId = Annotated[str, Field(min_length=1, max_length=4096)]


class LeftOutInfo(Answer):
    what: str
    why: str


class SkillInfo(Answer):
    id: str
    name: str
    description: str
    path: str
    source: Literal["workspace", "personal"]
    always_active: bool
    tags: list[str]
    bytes: int
    problem: str | None
    """Why it cannot be used."""


class Skills(Answer):
    folder: str
    exists: bool
    personal_folder: str
    skills: list[SkillInfo]
    index_bytes: int
    """The size of the list that goes along with every message to an agent."""
    always_bytes: int
    """The size of the skills that are always active."""
    budget_bytes: int
    """The most that both may have together."""
    left_out: list[LeftOutInfo]


class SkillText(Answer):
    text: str
    is_cut: bool


class SkillSwitch(Body):
    workspace: Workspace
    id: SkillId
    on: bool


class SkillsWanted(Body):
    workspace: Workspace
    text: str = Field(max_length=2_000_000)


class SuggestedSkill(Answer):
    id: str
    name: str
    why: list[str]


class SuggestedSkills(Answer):
    skills: list[SuggestedSkill]


class InstructionsInfo(Answer):
    source: str
    path: str | None
    bytes: int
    applies: Literal["assistant", "agent", "both"]


class ContextInfo(Answer):
    """What goes along with the next message."""

    skills_folder: str
    skills: int
    always: list[str]
    instructions: list[InstructionsInfo]
    left_out: list[LeftOutInfo]


class FoundFile(Answer):
    path: str
    """Relative to the folder that is searched."""
    folder: bool
    changed: bool
    """Most likely changed since the last commit."""
    recent: bool
    """Mentioned or changed lately."""


class FoundFiles(Answer):
    files: list[FoundFile]
    total: int
    is_complete: bool
