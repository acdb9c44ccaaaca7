"""What a person attached to a message, as a model can take it.

Lives here: which attachments can be taken at all, and how they are put to the model: pictures as
pictures, texts as text, links as their address. Lives elsewhere: sending them (llm.py).
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Sequence

from voxpilot.assistant.shapes import Image, Json, PersonSaid
from voxpilot.errors import Invalid

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What models look at, whoever offers them."""
LARGEST_PICTURE = 5_000_000
"""Bytes; the smallest limit among the providers."""
_HINT = "The assistant takes pictures (PNG, JPEG, GIF, WebP), texts and links. An agent may take more."


def check(attachments: Sequence[Json]) -> None:
    """Refuse, in words, what no model could be given."""
    for attachment in attachments:
        match attachment:
            case {"type": "image", "mimeType": str(kind), "data": str()} if kind in PICTURES:
                if len(_picture(attachment).data) > LARGEST_PICTURE:
                    raise Invalid("The picture is larger than 5 MB.", "Make it smaller.")
            case {"type": "image"}:
                raise Invalid("The assistant cannot take this kind of picture.", _HINT)
            case {"type": "text", "text": str()} | {"type": "resource", "resource": {"text": str()}}:
                pass
            case {"type": "resource_link", "uri": str()}:
                pass
            case _:
                raise Invalid(f"The assistant cannot take {_kind(attachment)}.", _HINT)


def said(text: str, attachments: Sequence[Json], with_pictures: bool = True) -> PersonSaid:
    """The message as the model gets it; without the pictures, it is told that there were some."""
    pictures = [_picture(attachment) for attachment in attachments if attachment["type"] == "image"]
    parts = [part for part in (text, *_texts(attachments)) if part.strip()]
    if pictures and not with_pictures:
        parts.append(f"[{len(pictures)} attached and not shown again: pictures]")
    if not parts and not pictures:  # providers refuse a message that is empty
        parts.append("[An empty text]")
    return PersonSaid("\n\n".join(parts), tuple(pictures) if with_pictures else ())


def _texts(attachments: Sequence[Json]) -> Iterator[str]:
    for attachment in attachments:
        match attachment:
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "resource", "resource": {"text": str(text)} as resource}:
                yield f"[Attached: {resource.get('uri') or 'a text'}]\n{text}"
            case {"type": "resource_link", "uri": str(uri)}:
                yield f"[Attached: {uri}]"


def _picture(attachment: Json) -> Image:
    try:
        return Image(attachment["mimeType"], b64decode(attachment["data"], validate=True))
    except (binascii.Error, ValueError) as error:
        raise Invalid("The picture cannot be read: its data is not base64.", _HINT) from error


def _kind(attachment: Json) -> str:
    kind = attachment.get("type")
    return {"audio": "audio", "resource": "a file that is no text"}.get(str(kind), "this attachment")
