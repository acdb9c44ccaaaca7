"""Behaviour that only certain agents have, by name and version.

Lives here: one entry for each quirk, with what it looks like and since when it was seen; an entry is removed
when no version in use has the quirk. Lives elsewhere: everything that applies to all agents
(updates/translate.py, requests/dialogue.py), which never asks who it is talking to.
"""

from __future__ import annotations

from typing import Any, Literal

from voxpilot.agents.installed.versions import is_enough
from voxpilot.chat.events import Json
from voxpilot.values import dataclass

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Remarks:
    """It mixes its own remarks into its model's text: a separate chunk that begins with one of these."""

    agent: str
    """As it calls itself in the handshake."""
    first_version: str
    heads: tuple[tuple[str, Level], ...]


REMARKS = (
    # "Error: 400 …" is the only sign of an error of its provider; the turn then ends as if nothing was wrong.
    # "Info: /path" follows a file it made, "Info: Operation cancelled by user" a refusal, and "Warning: 1
    # tool call(s) had no recorded result …" a session that was cut off.
    Remarks("Copilot", "1.0.0", (("Error: ", "error"), ("Warning: ", "warning"), ("Info: ", "info"))),
)


NO_PROGRAMS = (
    # Every agent should start tool servers that are programs. This one drops them, and only its own log says
    # so ("Rejecting non-http/sse MCP server … from client"); those of its own settings it does start.
    ("Copilot", "1.0.0"),
)


def starts_tool_servers(initialized: Json | None) -> bool:
    """Whether the agent starts the tool servers it gets."""
    return not any(_is_called(initialized, name, version) for name, version in NO_PROGRAMS)


def remark_in(initialized: Json | None, update: Any, is_speaking: bool) -> tuple[Level, str] | None:
    """The agent's own remark in an update. While a message of its model is open, all text belongs to the
    model."""
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
