"""A message's attachments in the form a model accepts.

Lives here: which attachments are accepted, and how they are sent to the model: pictures as pictures, texts as
text, links as their address. Lives elsewhere: sending them (llm.py).
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Sequence

from voxpilot.assistant.shapes import Image, Json, PersonSaid
from voxpilot.errors import Invalid

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Formats that the models of all providers accept."""
LARGEST_PICTURE = 5_000_000
"""Bytes; the smallest limit among the providers."""
_LEFT_OUT = "[Files attached here and not shown again]"
_HINT = "The assistant accepts images (PNG, JPEG, GIF, WebP), text files and links. Agents may accept more."


def check(attachments: Sequence[Json]) -> None:
    """Refuse attachments that no model accepts."""
    for attachment in attachments:
        match attachment:
            case {"type": "image", "mimeType": str(kind), "data": str()} if kind in PICTURES:
                if len(_picture(attachment).data) > LARGEST_PICTURE:
                    raise Invalid("The image is larger than 5 MB.", "Make it smaller.")
            case {"type": "image"}:
                raise Invalid("The assistant does not accept this image format.", _HINT)
            case {"type": "text", "text": str()} | {"type": "resource", "resource": {"text": str()}}:
                pass
            case {"type": "resource_link", "uri": str()}:
                pass
            case _:
                raise Invalid(f"The assistant does not accept {_kind(attachment)}.", _HINT)


def said_without(text: str) -> PersonSaid:
    """A message whose attachments are not sent again because there were too many after them."""
    return PersonSaid("\n\n".join(part for part in (text, _LEFT_OUT) if part.strip()), ())


def said(text: str, attachments: Sequence[Json], with_pictures: bool = True) -> PersonSaid:
    """The message as sent to the model; if pictures are left out, the text says so."""
    pictures = [_picture(attachment) for attachment in attachments if attachment["type"] == "image"]
    parts = [part for part in (text, *_texts(attachments)) if part.strip()]
    if pictures and not with_pictures:
        parts.append(f"[Images attached here and not shown again: {len(pictures)}]")
    if not parts and not pictures:  # providers refuse a message that is empty
        parts.append("[Empty text]")
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
        raise Invalid("The image cannot be read: its data is not base64.", _HINT) from error


def _kind(attachment: Json) -> str:
    kind = attachment.get("type")
    return {"audio": "audio", "resource": "files that are not text"}.get(str(kind), "this attachment")
