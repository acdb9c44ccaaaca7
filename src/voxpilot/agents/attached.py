"""What a person attached to a message, as an agent can take it.

Lives here: which kinds an agent takes, by what it says of itself, and texts for one that takes no files.
Lives elsewhere: what the assistant's model takes (assistant/attachments.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from voxpilot.agents.abilities import Abilities
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid

_HINT = "Put it into the chat's folder and name it in the message, or choose another agent."


def as_blocks(attachments: Sequence[Json], able: Abilities) -> list[Json]:
    """The content of a prompt; raises `Invalid` for what this agent cannot be given."""
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
            raise Invalid("This agent takes no pictures.", _HINT)
        case {"type": "audio"} if not able.audio:
            raise Invalid("This agent takes no sound.", _HINT)
        case {"type": "resource"} if not able.embedded:
            raise Invalid("This agent takes no files that are no text.", _HINT)
    raise Invalid("An agent cannot be given this attachment.", "Attach a picture, sound, a file or a link.")
