"""The messages of this agent: every `session/update`, and the parts they are made of.

Lives here: only the protocol's format. Lives elsewhere: when to send which (../turn.py), sending them
(client.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from voxpilot.agents.demo.protocol.peer import Json

Speech = Literal["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"]
ToolKind = Literal["read", "edit", "execute"]
Status = Literal["pending", "in_progress", "completed"]


def chunk(speech: Speech, message_id: str, content: Json) -> Json:
    """A chunk of a message. Chunks with the same id are one message."""
    return {"sessionUpdate": speech, "messageId": message_id, "content": content}


def plan(steps: Sequence[tuple[str, Status]]) -> Json:
    """The whole plan; it replaces the previous one."""
    entries = [{"content": step, "priority": "medium", "status": status} for step, status in steps]
    return {"sessionUpdate": "plan", "entries": entries}


def tool_call(call: Json) -> Json:
    """A new tool call."""
    return {"sessionUpdate": "tool_call", **call}


def tool_call_update(call_id: str, **changed: object) -> Json:
    """Changed fields of a tool call. Lists replace the earlier ones."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **changed}


def usage(used: int, size: int) -> Json:
    """How full the agent's context is, in tokens."""
    return {"sessionUpdate": "usage_update", "used": used, "size": size}


def title(text: str) -> Json:
    return {"sessionUpdate": "session_info_update", "title": text}


def text(text: str) -> Json:
    return {"type": "text", "text": text}


def output(text_or_code: str) -> Json:
    """Text in the content of a tool call."""
    return {"type": "content", "content": text(text_or_code)}


def diff(path: str, before: str, after: str) -> Json:
    """A change to a file in the content of a tool call. Both texts are the whole file."""
    return {"type": "diff", "path": path, "oldText": before, "newText": after}


def code(text: str, language: str = "") -> str:
    """Text that must be shown exactly as it is, as markdown."""
    fence = "```"
    while fence in text:
        fence += "`"
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{end}{fence}"
