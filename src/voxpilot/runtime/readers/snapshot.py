"""The snapshot of a chat that a new reader gets first.

Lives here: which of its blocks it contains, and whether there are more. Lives elsewhere: the fold
(chat/transcript.py), stored blocks (storage/chats/folds.py), what a reader gets afterwards (live_chat.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from voxpilot.chat.blocks import new_head
from voxpilot.chat.events import Json
from voxpilot.chat.transcript import Transcript
from voxpilot.errors import VoxPilotError
from voxpilot.storage.chats import folds
from voxpilot.storage.database.sqlite import Connection, Database

if TYPE_CHECKING:
    from voxpilot.chat.shapes import Block

OPEN_TURN_BYTES = 4_000_000
"""How much of an open turn is added, at most, beyond the blocks asked for."""
ENDED_TURN_BYTES = 500_000
"""The same for the newest turn when it has ended: nothing changes it any more, but its end summarises all of
it."""


LONG_BYTES = 2_000_000
"""A fold of this size in memory is read by threads for long reads, or others would wait for it."""


async def take(db: Database, chat_id: str, transcript: Transcript, last: int, tail: int) -> tuple[int, bytes]:
    """The fold so far as JSON, with its newest blocks, and the number it goes up to.

    `last` is the number of the newest committed event.
    """
    if transcript.is_whole and transcript.head["seq"] == last:  # else a step is being committed
        taken = Taken(transcript, tail)
        if not taken.lacks:
            return taken.seq, taken.encoded([])
        found = await db.read(lambda db: completed(db, chat_id, taken))
        if found is not None:
            return found
    return await db.read(lambda db: stored(db, chat_id, tail), is_long=transcript.size > LONG_BYTES)


async def older(
    db: Database, chat_id: str, transcript: Transcript, last: int, before: int, limit: int
) -> list[Block]:
    """Blocks before a position, oldest first: what is stored, and what is in memory and may be newer."""
    is_stored = transcript.head["seq"] == last  # else a step is being committed
    here = [block.copy() for block in transcript.here if block["pos"] < before] if is_stored else []

    def read(db: Connection) -> list[Block]:
        newer = here if is_stored else folds.load(db, chat_id).blocks
        found = {block["pos"]: block for block in folds.older_blocks(db, chat_id, before, limit)}
        found |= {block["pos"]: block for block in newer if block["pos"] < before}
        return [found[pos] for pos in sorted(found)][-limit:]

    return await db.read(read, is_long=not is_stored and transcript.size > LONG_BYTES)


class Taken:
    """A fold as JSON with its newest blocks, so that it may change meanwhile."""

    def __init__(self, transcript: Transcript, tail: int) -> None:
        self.seq: int = transcript.head["seq"]
        """The number of its last event."""
        self._chat = orjson.dumps(transcript.head)
        self._shown, self._first = newest(transcript, tail)
        self._has_older = len(self._shown) < len(transcript.blocks)
        self._missing = max(0, tail - len(self._shown))
        self.lacks = bool(self._shown) and not self._has_older
        """Whether blocks before the first of them may belong to it, or exist at all."""

    def older(self, db: Connection, chat_id: str) -> list[Block]:
        """Stored blocks before the first, if possible one more than are missing."""
        return folds.older_blocks(db, chat_id, self._first, self._missing + 1) if self.lacks else []

    def encoded(self, older: list[Block]) -> bytes:
        """The snapshot with these blocks added in front; `has_older` says whether there are even older
        ones."""
        has_older = self._has_older or (self.lacks and len(older) > self._missing)
        before = older[1:] if has_older else older
        blocks = b",".join([*map(orjson.dumps, before), *self._shown])
        words = (self.seq, self._chat, blocks, b"true" if has_older else b"false")
        return b'{"seq":%d,"chat":%b,"blocks":[%b],"has_older":%b}' % words


def completed(db: Connection, chat_id: str, taken: Taken) -> tuple[int, bytes] | None:
    """The snapshot with the stored blocks before it; None if those are newer, because events would show
    twice."""
    if folds.kept_up_to(db, chat_id) > taken.seq:
        return None
    return taken.seq, taken.encoded(taken.older(db, chat_id))


def stored(db: Connection, chat_id: str, tail: int) -> tuple[int, bytes]:
    """Everything from the database, in one consistent read."""
    taken = Taken(folds.load(db, chat_id), tail)
    return taken.seq, taken.encoded(taken.older(db, chat_id))


def unreadable(known: Json, error: VoxPilotError, at: float) -> bytes:
    """Replaces a chat that cannot be read: what the list knows about it, and a notice with the reason."""
    names = ("title", "workspace", "mode", "agent", "policy")
    head = {**new_head(), "last_at": at, **{name: known[name] for name in names if name in known}}
    text = f"This chat cannot be read. {error.message}"
    notice = {"pos": 0, "kind": "notice", "at": at, "level": "error", "code": "chat-unreadable", "text": text}
    if error.hint:
        notice["detail"] = error.hint
    return orjson.dumps({"seq": 0, "chat": head, "blocks": [notice], "has_older": False})


def newest(transcript: Transcript, tail: int) -> tuple[list[bytes], int]:
    """The newest blocks and all others of the running turn, because events may still change them.

    If no turn is running, those of the newest turn, because its end shows how many files it changed.
    Also the position of the first. If the turn is enormous, its oldest blocks are left out and loaded like
    those of earlier turns; a later event about one of them then appears as a separate block until the chat is
    opened again.
    """
    blocks = transcript.blocks if tail else []
    wanted = max(0, len(blocks) - tail)
    first, chosen = len(blocks), list[bytes]()
    beyond, turn_from = 0, min(wanted, _beginning_of_turn(transcript))
    most = ENDED_TURN_BYTES if transcript.head["turn"] is None else OPEN_TURN_BYTES
    while first > turn_from:
        block = orjson.dumps(blocks[first - 1])
        beyond += len(block) if first <= wanted else 0
        if beyond > most:
            break
        chosen.append(block)
        first -= 1
    return chosen[::-1], blocks[first]["pos"] if chosen else 0


def _beginning_of_turn(transcript: Transcript) -> int:
    running = transcript.head["turn"]
    ended = (block["turn"] for block in reversed(transcript.blocks) if block.get("turn"))
    turn = next(ended, None) if running is None else running["id"]
    if turn is None:
        return len(transcript.blocks)
    places = (at for at, block in enumerate(transcript.blocks) if block.get("turn") == turn)
    return next(places, len(transcript.blocks))
