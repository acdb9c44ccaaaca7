"""A message's attachments in the form a model accepts.

Lives here: which attachments are accepted, and how they are sent to the model: pictures as pictures, texts
and mentioned files as text, links as their address. Lives elsewhere: reading what is mentioned
(runtime/context/), sending it (llm.py).
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Sequence

from voxpilot.assistant.shapes import Image, Json, PersonSaid
from voxpilot.chat.gathered import Gathered, Piece
from voxpilot.chat.references import is_reference, name_of, quoted
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
            case {"type": "resource_link", "uri": str()} | {"type": "quote"}:
                pass
            case _ if is_reference(attachment):
                pass
            case _:
                raise Invalid(f"The assistant does not accept {_kind(attachment)}.", _HINT)


def said_without(text: str) -> PersonSaid:
    """A message whose attachments are not sent again because there were too many after them."""
    return PersonSaid("\n\n".join(part for part in (text, _LEFT_OUT) if part.strip()), ())


def said(
    text: str, attachments: Sequence[Json], gathered: Gathered | None = None, with_pictures: bool = True
) -> PersonSaid:
    """The message as sent to the model; if pictures are left out, the text says so."""
    found = gathered or Gathered()
    pieces = [found.piece(number) for number in range(len(attachments))]
    pictures = [*_pictures(attachments, pieces)]
    chosen = [f"[Skill “{one['name']}”]\n{one['text']}" for one in found.full if one["why"] == "chosen"]
    parts = [part for part in (text, *_texts(attachments, pieces), *chosen) if part.strip()]
    if pictures and not with_pictures:
        parts.append(f"[Images attached here and not shown again: {len(pictures)}]")
    if not parts and not pictures:  # providers refuse a message that is empty
        parts.append("[Empty text]")
    return PersonSaid("\n\n".join(parts), tuple(pictures) if with_pictures else ())


def sent(attachments: Sequence[Json], gathered: Gathered) -> tuple[list[Json], list[Json]]:
    """What the model gets of each file, and what it does not get."""
    files: list[Json] = []
    left_out: list[Json] = []
    for number, attachment in enumerate(attachments):
        piece = gathered.piece(number)
        if piece["kind"] == "missing":
            left_out.append({"what": name_of(attachment), "why": piece["why"]})
        elif piece["kind"] == "file" and attachment.get("type") in ("file", "folder"):
            how = "image" if _shows_picture(piece) else "text" if "text" in piece else "linked"
            lines = {"lines": piece["lines"]} if "lines" in piece else {}
            files.append({"path": attachment["path"], "how": how, "bytes": piece.get("bytes", 0), **lines})
    return files, left_out


def _texts(attachments: Sequence[Json], pieces: Sequence[Piece]) -> Iterator[str]:
    for attachment, piece in zip(attachments, pieces, strict=True):
        match attachment:
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "quote", "text": str(text)}:
                yield quoted(text, attachment.get("source") or "")
            case {"type": "resource", "resource": {"text": str(text)} as resource}:
                yield f"[Attached: {resource.get('uri') or 'a text'}]\n{text}"
            case {"type": "resource_link", "uri": str(uri)}:
                yield f"[Attached: {uri}]"
            case _ if is_reference(attachment):
                yield _mentioned(attachment, piece)


def _mentioned(attachment: Json, piece: Piece) -> str:
    name = name_of(attachment)
    lines = f", lines {piece['lines'][0]}–{piece['lines'][1]}" if "lines" in piece else ""
    match piece:
        case {"kind": "words", "text": str(text)}:
            return text
        case {"kind": "file", "text": str(text)}:
            return f"[{'Folder' if piece.get('is_folder') else 'File'}: {name}{lines}]\n{text}"
        case {"kind": "file"}:
            about = "an image" if _shows_picture(piece) else f"{piece.get('bytes', 0):,} bytes"
            return f"[File: {name}{lines}, {about}]"
    return f"[{name} could not be read: {piece.get('why') or 'it was not looked at.'}]"


def _pictures(attachments: Sequence[Json], pieces: Sequence[Piece]) -> Iterator[Image]:
    for attachment, piece in zip(attachments, pieces, strict=True):
        if attachment["type"] == "image":
            yield _picture(attachment)
        elif _shows_picture(piece):
            yield Image(piece["mime"], b64decode(piece["data"]))


def _shows_picture(piece: Piece) -> bool:
    return "data" in piece and piece.get("mime") in PICTURES


def _picture(attachment: Json) -> Image:
    try:
        return Image(attachment["mimeType"], b64decode(attachment["data"], validate=True))
    except (binascii.Error, ValueError) as error:
        raise Invalid("The image cannot be read: its data is not base64.", _HINT) from error


def _kind(attachment: Json) -> str:
    kind = attachment.get("type")
    return {"audio": "audio", "resource": "files that are not text"}.get(str(kind), "this attachment")
