"""What a tool gives back.

Lives here: its shape, how much of it is kept, and the path a model means.
Lives elsewhere: the tools (beside this), what they are called (toolbox.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from voxpilot.errors import VoxPilotError

MOST_FOR_THE_MODEL = 30_000
MOST_SHOWN = 200_000
"""Characters."""


class ToolFailed(VoxPilotError):
    """A tool could not do what was asked. The model is told, and goes on."""

    code = "tool-failed"


class Arguments(BaseModel):
    """What a model may give to a tool; each tool has its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class ToolResult:
    content: str
    """For the model."""
    display: str
    """For the person, at more length."""
    is_error: bool = False


def result(text: str, more: str = "") -> ToolResult:
    """A text for both; `more` says how to get at what is cut."""
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
    """The path from the workspace, if it lies there."""
    base = roots[0].rstrip("/")
    return path[len(base) + 1 :] if path.startswith(f"{base}/") else path


def size_of(count: int) -> str:
    if count < 1_000:
        return f"{count} bytes"
    return f"{count / 1_000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
