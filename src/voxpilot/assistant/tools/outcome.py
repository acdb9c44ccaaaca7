"""The result of a tool.

Lives here: its form, how much of it is kept, and resolving the path a model gives. Lives elsewhere: the tools
(next to this module), their names (toolbox.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from voxpilot.errors import VoxPilotError
from voxpilot.values import dataclass

MOST_FOR_THE_MODEL = 30_000
MOST_SHOWN = 200_000
"""Characters."""


class ToolFailed(VoxPilotError):
    """A tool could not do what was requested. The model is told and continues."""

    code = "tool-failed"


class Arguments(BaseModel):
    """The arguments of a tool; each tool has its own class."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class ToolResult:
    content: str
    """For the model."""
    display: str
    """For the person, with more detail."""
    is_error: bool = False


def result(text: str, more: str = "") -> ToolResult:
    """One text for both; `more` says how to get the rest if it is cut."""
    return ToolResult(cut(text, MOST_FOR_THE_MODEL, more), cut(text, MOST_SHOWN, more))


def failed(error: VoxPilotError) -> ToolResult:
    text = f"{error.message} {error.hint}".strip()
    return ToolResult(text, text, is_error=True)


def cut(text: str, most: int, more: str = "") -> str:
    if len(text) <= most:
        return text
    kept = text[:most].rsplit("\n", 1)[0] or text[:most]
    return (
        f"{kept}\n[Cut: {len(text) - len(kept):,} of {len(text):,} characters are not shown. {more}".rstrip()
        + "]"
    )


def full_path(roots: Sequence[str], path: str) -> str:
    """The path that a model means: from the workspace if it is not absolute."""
    if path.startswith("/"):
        return path
    return f"{roots[0].rstrip('/')}/{path}".rstrip("/") or "/"


def short_path(roots: Sequence[str], path: str) -> str:
    """The path relative to the workspace, if it is inside."""
    base = roots[0].rstrip("/")
    return path[len(base) + 1 :] if path.startswith(f"{base}/") else path


def size_of(count: int) -> str:
    if count < 1_000:
        return f"{count} bytes"
    return f"{count / 1_000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
