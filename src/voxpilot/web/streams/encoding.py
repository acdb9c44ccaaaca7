"""Server-sent events as bytes.

Lives here: one event in the SSE format, for a connection with one chat or many, and gathering events into
chunks. Lives elsewhere: which events (channel.py).
"""

from __future__ import annotations

import orjson

from voxpilot.chat.events import Json
from voxpilot.values import dataclass

PIECE_BYTES = 64_000
RETRY = b"retry: 500\n\n"
PING = b"event: ping\ndata: {}\n\n"


def unnumbered(kind: str, body: Json) -> bytes:
    """An event that is not in any log."""
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), orjson.dumps(body))


@dataclass(frozen=True, slots=True)
class Encoder:
    """For the events of one chat."""

    chat: bytes = b""
    """Named in each event if a connection carries several chats."""
    places: bytes = b""
    """The reader's position in the others, as `a:12,b:40,`."""

    def encode(self, seq: int, kind: str, body: bytes) -> bytes:
        if not self.chat:
            return b"id: %d\nevent: %b\ndata: %b\n\n" % (seq, kind.encode(), body)
        name = b"chat_id" if kind == "snapshot" else b"chat"
        line = b'id: %b%b:%d\nevent: %b\ndata: {"%b":"%b",%b\n\n'
        return line % (self.places, self.chat, seq, kind.encode(), name, self.chat, body[1:])


class Piece:
    """Bytes gathered to be sent together."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)

    def is_large(self) -> bool:
        return self._size >= PIECE_BYTES

    def take(self) -> bytes:
        taken, self._parts, self._size = b"".join(self._parts), [], 0
        return taken
