"""A message's attachments in the form an agent accepts.

Lives here: which kinds an agent accepts, according to its capabilities, and files as text for an agent that
accepts no files. Lives elsewhere: attachments for the assistant's model (assistant/attachments.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from voxpilot.agents.installed.capabilities import Abilities
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid

_HINT = "Put the file into the chat's folder and mention it in the message, or choose another agent."


def as_blocks(attachments: Sequence[Json], able: Abilities) -> list[Json]:
    """The content of a prompt; raises `Invalid` for attachments that this agent does not accept."""
    return [_block(attachment, able) for attachment in attachments]


def _block(attachment: Json, able: Abilities) -> Json:
    match attachment:
        case {"type": "text", "text": str()} | {"type": "resource_link", "uri": str(), "name": str()}:
            return attachment
        case {"type": "image", "data": str(), "mimeType": str()} if able.image:
            return attachment
        case {"type": "audio", "data": str(), "mimeType": str()} if able.audio:
            return attachment
        case {"type": "resource", "resource": {"uri": str(), "text": str()}} if able.embedded:
            return attachment
        case {"type": "resource", "resource": {"uri": str(), "blob": str()}} if able.embedded:
            return attachment
        case {"type": "resource", "resource": {"text": str(text)} as resource}:
            return {"type": "text", "text": f"[Attached: {resource.get('uri') or 'a text'}]\n{text}"}
        case {"type": "image"} if not able.image:
            raise Invalid("This agent does not accept images.", _HINT)
        case {"type": "audio"} if not able.audio:
            raise Invalid("This agent does not accept audio.", _HINT)
        case {"type": "resource"} if not able.embedded:
            raise Invalid("This agent accepts text files only.", _HINT)
    raise Invalid("This kind of attachment is not supported.", "Attach an image, audio, a file or a link.")
