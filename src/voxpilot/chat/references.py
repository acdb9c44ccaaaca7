"""What may be attached to a message.

Lives here: the kinds of attachments and their fields, and which of them only name something, to be read when
the message is sent. Lives elsewhere: reading it (runtime/context/), what an agent gets of it
(agents/requests/assembling.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from voxpilot.chat.events import Json
from voxpilot.errors import Invalid

REFERENCES = ("file", "folder", "diff", "chat", "skill")
"""Kinds that are resolved when the message is sent."""
_LONGEST_PATH = 4096
_LAST_LINE = 10_000_000


def check(attachments: Iterable[Json]) -> None:
    """Refuse attachments that cannot be understood; whether what they name exists is not checked."""
    for attachment in attachments:
        if not _is_known(attachment):
            hint = "Attach an image, audio, a file, a link, or mention something with @."
            raise Invalid("This kind of attachment is not supported.", hint)


def is_reference(attachment: Json) -> bool:
    return attachment.get("type") in REFERENCES


def is_upload(attachment: Json) -> bool:
    """Whether it brings a file along."""
    return attachment.get("type") in ("image", "audio", "resource")


def name_of(attachment: Json) -> str:
    """What a person calls it."""
    match attachment:
        case {"type": "file" | "folder", "path": str(path)}:
            return path
        case {"type": "diff"}:
            return "the uncommitted changes"
        case {"name": str(name)} | {"title": str(name)} | {"id": str(name)} if name:
            return name
    return str(attachment.get("type") or "an attachment")


def quoted(text: str, source: str) -> str:
    """A text that was pasted with its source."""
    lines = "\n".join(f"> {line}" for line in text.splitlines())
    return f"[Quoted from {source}]\n{lines}" if source else f"[Quoted]\n{lines}"


def _is_known(attachment: Json) -> bool:
    match attachment:
        case {"type": "text" | "quote", "text": str()}:
            return isinstance(attachment.get("source", ""), str)
        case {"type": "resource_link", "uri": str(), "name": str()}:
            return True
        case {"type": "image" | "audio", "data": str(), "mimeType": str()}:
            return True
        case {"type": "resource", "resource": {"uri": str()} as inner}:
            return isinstance(inner.get("text", inner.get("blob")), str)
        case {"type": "file", "path": str(path)}:
            return _is_path(path) and _are_lines(attachment.get("lines"))
        case {"type": "folder", "path": str(path)}:
            return _is_path(path)
        case {"type": "diff"}:
            return True
        case {"type": "chat" | "skill", "id": str(id)}:
            return 0 < len(id) <= _LONGEST_PATH
    return False


def _is_path(path: str) -> bool:
    return 0 < len(path) <= _LONGEST_PATH and "\0" not in path


def _are_lines(lines: object) -> bool:
    if lines is None:
        return True
    if not isinstance(lines, Sequence) or isinstance(lines, str) or len(lines) != 2:
        return False
    first, last = lines
    return isinstance(first, int) and isinstance(last, int) and 1 <= first <= last <= _LAST_LINE
