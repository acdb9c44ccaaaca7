"""The write-ahead log of a database: pages in frames, each with a checksum that continues the one before it.

Lives here: its format, which of its frames are intact, and whether it holds changes that SQLite would ignore.
Nothing is written. Lives elsewhere: what is done about it (opening.py), reading what is left
(directory/rescue/image.py).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from contextlib import closing
from enum import Enum
from pathlib import Path

from voxpilot.storage.database.sqlite import read_only
from voxpilot.values import dataclass

HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_MAGICS = {0x377F0682: "<", 0x377F0683: ">"}
_NO_SALTS = bytes(8)
_USUAL_PAGE_SIZE = 4096
_INDEX_BYTES = 48
"""The header of the index: https://sqlite.org/walformat.html#the_wal_index_header"""
Sums = tuple[int, ...]
"""The two halves of a checksum."""


class Trust(Enum):
    CONFIRMED = "its checksum is right"
    UNKNOWN = "its checksum continues one that is damaged"
    DAMAGED = "its checksum is wrong"


@dataclass(frozen=True, slots=True)
class Frame:
    """A page in the log."""

    number: int
    size: int
    """How many pages the database has after this transaction; 0 if more frames belong to it."""
    data: bytes
    trust: Trust


class Ignored(Enum):
    """What a log holds after the last transaction that SQLite can read."""

    NOTHING = "nothing, or a transaction that was not finished"
    LAST = "the end of one transaction: either its writing was interrupted or it is damaged"
    SAVED = "a transaction and more: it was saved, because the next one is only written after that"


def log_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def ignored(database: Path) -> Ignored:
    """What SQLite would ignore in the log, and then delete: it stops at the first damaged frame."""
    found = _heads(database)
    if found is None:
        return Ignored.NOTHING
    header, heads = found
    # After the frames: a running server may add some, but those found are in use then.
    used, salts = _in_use(database)
    if salts not in (header[16:24], _NO_SALTS):
        return Ignored.NOTHING  # the server has just begun the log again
    current = _current(header, heads)
    after = current[used:]
    ends = [place for place, head in enumerate(after) if _salts(head) == _salts(current[-1]) and _size(head)]
    if not ends:
        return Ignored.NOTHING
    return Ignored.SAVED if ends[0] < len(after) - 1 else Ignored.LAST


def _heads(database: Path) -> tuple[bytes, list[bytes]] | None:
    """The header of the log and those of its frames; none if there is no log."""
    try:
        file = os.open(log_of(database), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        header = os.pread(file, HEADER_BYTES, 0)
        if len(header) < HEADER_BYTES:
            return None
        places = _places(os.fstat(file).st_size, _page_size(header))
        heads = [os.pread(file, _FRAME_HEADER_BYTES, place) for place in places]
        return header, [head for head in heads if len(head) == _FRAME_HEADER_BYTES]
    finally:
        os.close(file)


def _in_use(database: Path) -> tuple[int, bytes]:
    """How many frames SQLite reads, and their salts: from the index that it makes when it opens a log."""
    file = -1
    try:
        with closing(read_only(database)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            index = database.with_name(f"{database.name}-shm")
            file = os.open(index, os.O_RDONLY | os.O_CLOEXEC)
            head = os.pread(file, _INDEX_BYTES, 0)
    finally:
        if file >= 0:
            os.close(file)  # only now: it releases this process's locks on the index
    return struct.unpack_from("=I", head, 16)[0], head[32:40]


def checked_frames(log: bytes, size: int) -> list[Frame]:
    """The frames that were written since the log was last begun, for pages of this size."""
    places = _places(len(log), size)
    heads = [log[place : place + _FRAME_HEADER_BYTES] for place in places]
    places = places[: len(_current(log[:HEADER_BYTES], heads))]
    return [
        Frame(number=_number(head), size=_size(head), data=_page(log, place, size), trust=trust)
        for head, place, trust in zip(heads, places, _trust(log, places, size), strict=False)
    ]


def _page_size(header: bytes) -> int:
    return int.from_bytes(header[8:12], "big") if _is_whole(header) else _USUAL_PAGE_SIZE


def _places(length: int, size: int) -> range:
    return range(HEADER_BYTES, length - _FRAME_HEADER_BYTES - size + 1, _FRAME_HEADER_BYTES + size)


def _current(header: bytes, heads: list[bytes]) -> list[bytes]:
    """The frames since the log was last begun; older ones may follow them in the file."""
    salts = [_salts(head) for head in heads]
    wanted = header[16:24]
    if wanted not in salts:
        if not salts or _is_whole(header):
            return []
        wanted = salts[0]  # the header is damaged
    # All of them have the same salts, so others among them are damaged.
    return heads[: len(salts) - salts[::-1].index(wanted)]


def _is_whole(header: bytes) -> bool:
    order = _MAGICS.get(_number(header))
    return order is not None and _checksum(order, (0, 0), header[:24]) == struct.unpack_from(
        ">2I", header, 24
    )


def _trust(log: bytes, places: Sequence[int], size: int) -> list[Trust]:
    """What the checksums say of each frame.

    Each continues the one before it. If the stored checksum before it is damaged, the one that its contents
    have may still be right; a frame whose neighbours agree about it is confirmed.
    """
    if not places:
        return []
    magic = _number(log)
    orders = [_MAGICS[magic]] if magic in _MAGICS else ["<", ">"]
    stored = struct.unpack_from(">2I", log, 24)
    computed = {_checksum(order, (0, 0), log[:24]) for order in orders}
    found: list[Trust] = []
    is_known = magic in _MAGICS and stored in computed
    for place in places:
        before, others = stored, computed - {stored}
        stored = struct.unpack_from(">2I", log, place + 16)
        data = log[place : place + 8] + _page(log, place, size)
        computed = {_checksum(order, before, data) for order in orders}
        continued = set[Sums]()
        if stored not in computed:
            continued = {_checksum(order, start, data) for order in orders for start in others}
            computed |= continued
        if stored in continued and found:
            found[-1] = Trust.CONFIRMED  # only its checksum was damaged
        if stored in computed:
            found.append(Trust.CONFIRMED)
        else:
            found.append(Trust.DAMAGED if is_known else Trust.UNKNOWN)
        is_known = found[-1] is Trust.CONFIRMED
    return found


def _page(log: bytes, place: int, size: int) -> bytes:
    return log[place + _FRAME_HEADER_BYTES : place + _FRAME_HEADER_BYTES + size]


def _number(head: bytes) -> int:
    return int.from_bytes(head[:4], "big")


def _size(head: bytes) -> int:
    return int.from_bytes(head[4:8], "big")


def _salts(head: bytes) -> bytes:
    return head[8:16]


def _checksum(order: str, start: Sums, data: bytes) -> Sums:
    one, two = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        one = (one + even + two) & 0xFFFFFFFF
        two = (two + odd + one) & 0xFFFFFFFF
    return one, two
