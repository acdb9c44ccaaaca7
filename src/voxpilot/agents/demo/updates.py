"""The shapes of what an agent tells: every `session/update` of this agent, and what they are made of.

Lives here: the protocol's words for what happens, and nothing else.
Lives elsewhere: when to say them (turn.py), sending them (client.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from voxpilot.agents.demo.peer import Json

Speech = Literal["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"]
ToolKind = Literal["read", "edit", "execute"]
Status = Literal["pending", "in_progress", "completed"]


def chunk(speech: Speech, message_id: str, content: Json) -> Json:
    """A piece of a message. Pieces with the same id are one message."""
    return {"sessionUpdate": speech, "messageId": message_id, "content": content}


def plan(steps: Sequence[tuple[str, Status]]) -> Json:
    """The whole plan; it replaces the one before."""
    entries = [{"content": step, "priority": "medium", "status": status} for step, status in steps]
    return {"sessionUpdate": "plan", "entries": entries}


def tool_call(call: Json) -> Json:
    """A tool call appears."""
    return {"sessionUpdate": "tool_call", **call}


def tool_call_update(call_id: str, **changed: object) -> Json:
    """Some of it has changed. Lists replace what was there."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **changed}


def usage(used: int, size: int) -> Json:
    """How full the agent's context is, in tokens."""
    return {"sessionUpdate": "usage_update", "used": used, "size": size}


def title(text: str) -> Json:
    return {"sessionUpdate": "session_info_update", "title": text}


def text(text: str) -> Json:
    return {"type": "text", "text": text}


def output(text_or_code: str) -> Json:
    """Text as part of what a tool call shows."""
    return {"type": "content", "content": text(text_or_code)}


def diff(path: str, before: str, after: str) -> Json:
    """A change of a file as part of what a tool call shows. Both texts are the whole file."""
    return {"type": "diff", "path": path, "oldText": before, "newText": after}


def code(text: str, language: str = "") -> str:
    """Text that is to be shown letter by letter, as markdown."""
    fence = "```"
    while fence in text:
        fence += "`"
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{end}{fence}"
