"""What single agents do otherwise than all others, by name and version.

Lives here: one entry for each such habit, with what it looks like and since
when it was seen; an entry goes when no version in use has the habit. Lives
elsewhere: all that holds for every agent (translate.py, dialogue.py), which
never asks who it is talking to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from voxpilot.agents.versions import is_enough
from voxpilot.chat.events import Json

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Remarks:
    """It mixes remarks of its own into what its model says: a chunk alone, with one of these at its head."""

    agent: str
    """As it calls itself in the handshake."""
    first_version: str
    heads: tuple[tuple[str, Level], ...]


REMARKS = (
    # "Error: 400 …" is all that is heard of an error of its provider; the turn then ends as if all was well.
    # "Info: /path" follows a file it made, "Info: Operation cancelled by user" a refusal, and "Warning: 1
    # tool call(s) had no recorded result …" a session that was cut off.
    Remarks("Copilot", "1.0.0", (("Error: ", "error"), ("Warning: ", "warning"), ("Info: ", "info"))),
)


NO_PROGRAMS = (
    # Every agent is to start tool servers that are programs. This one drops them, and only its own log says
    # so ("Rejecting non-http/sse MCP server … from client"); those of its own settings it does start.
    ("Copilot", "1.0.0"),
)


def starts_tool_servers(initialized: Json | None) -> bool:
    """Whether the agent starts the tool servers it is told of."""
    return not any(_is_called(initialized, name, version) for name, version in NO_PROGRAMS)


def remark_in(initialized: Json | None, update: Any, is_speaking: bool) -> tuple[Level, str] | None:
    """A remark of the agent's own in an update. While its model is speaking, all is the model's."""
    match update:
        case {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": str(text)}}:
            known = _remarks_of(initialized)
            if known is None or is_speaking or "messageId" in update:
                return None
            return next(((level, text) for head, level in known.heads if text.startswith(head)), None)
    return None


def _remarks_of(initialized: Json | None) -> Remarks | None:
    for remarks in REMARKS:
        if _is_called(initialized, remarks.agent, remarks.first_version):
            return remarks
    return None


def _is_called(initialized: Json | None, name: str, first_version: str) -> bool:
    info = (initialized or {}).get("agentInfo")
    if not isinstance(info, dict) or info.get("name") != name:
        return False
    return bool(is_enough(str(info.get("version")), first_version))
