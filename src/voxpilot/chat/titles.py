"""The title of a chat until somebody changes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from voxpilot.chat.events import Json

LENGTH = 50
_KINDS = {"image": "Image", "audio": "Audio", "diff": "Changes"}


def title_for(text: str, attachments: Sequence[Json] = ()) -> str:
    """From the first message: its text, or else the name of its first attachment."""
    return title_of(text) or next((title_of(_name_of(one)) for one in attachments), "") or "New chat"


def title_of(text: str) -> str:
    """The beginning of its first message, cut between two words if possible."""
    words = " ".join(text.split())
    if len(words) <= LENGTH:
        return words
    cut = words[: LENGTH - 1]
    whole, space, _ = cut.rpartition(" ")
    return f"{whole if space and len(whole) > LENGTH // 2 else cut}…"


def _name_of(attachment: Json) -> str:
    match attachment:
        case {"name": str(name)} | {"type": "chat", "title": str(name)} if name:
            return name
        case {"type": "file" | "folder", "path": str(path)}:
            return path.rstrip("/").rpartition("/")[2]
        case {"uri": str(uri)} | {"resource": {"uri": str(uri)}} if uri:
            return unquote(uri.rstrip("/").rpartition("/")[2])
        case {"type": "text" | "quote", "text": str(text)}:
            return text
    kind: Any = attachment.get("type")
    return _KINDS.get(kind, "") if isinstance(kind, str) else ""
