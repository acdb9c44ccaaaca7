"""Reading rows from single pages of a database, in SQLite's format.

Lives here: the cells of a page, and the record in a cell including its overflow pages. Invalid cells are
skipped one by one. Lives elsewhere: which page belongs to which table (salvage.py).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from voxpilot.storage.directory.rescue.image import Image
from voxpilot.values import dataclass

TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER = 0x0D, 0x05, 0x0A, 0x02
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_LARGEST = 1 << 30
Record = tuple[Any, ...]


class Unreadable(Exception):
    """SQLite does not write data like this."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a tree; `pointers` say where its cells begin."""

    data: bytes
    kind: int
    pointers: tuple[int, ...]
    right: int | None

    @property
    def is_inner(self) -> bool:
        return self.kind in (TABLE_INNER, INDEX_INNER)


def parse_page(number: int, data: bytes) -> Page | None:
    """None if it is not a valid page of a tree."""
    start = 100 if number == 1 else 0
    kind = data[start]
    if kind not in (TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER):
        return None
    inner = kind in (TABLE_INNER, INDEX_INNER)
    count = struct.unpack_from(">H", data, start + 3)[0]
    begin = start + (12 if inner else 8)
    if begin + 2 * count > len(data):
        return None
    pointers = struct.unpack_from(f">{count}H", data, begin)
    right = struct.unpack_from(">I", data, start + 8)[0] if inner else None
    return Page(data, kind, pointers, right)


def children(page: Page) -> list[int]:
    found = [
        struct.unpack_from(">I", page.data, pointer)[0]
        for pointer in page.pointers
        if pointer + 4 <= len(page.data)
    ]
    return [*found, page.right] if page.right is not None else found


def records(image: Image, page: Page) -> Iterator[Record | None]:
    """The record of each cell; None for one that cannot be read."""
    if page.kind == TABLE_INNER:
        return
    for pointer in page.pointers:
        try:
            yield _record(_payload(image, page, pointer))
        except (Unreadable, IndexError, struct.error, UnicodeDecodeError, OverflowError):
            yield None


def _payload(image: Image, page: Page, place: int) -> bytes:
    if place < 8 or place >= len(page.data):
        raise Unreadable
    if page.kind == INDEX_INNER:
        place += 4
    size, place = _varint(page.data, place)
    if page.kind == TABLE_LEAF:
        _, place = _varint(page.data, place)  # the rowid, which nothing refers to
    if not 0 < size < _LARGEST:
        raise Unreadable
    usable = len(page.data)
    most = usable - 35 if page.kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
    if size <= most:
        return _slice(page.data, place, size)
    least = (usable - 12) * 32 // 255 - 23
    local = least + (size - least) % (usable - 4)
    local = local if local <= most else least
    found = _slice(page.data, place, local)
    following = struct.unpack_from(">I", page.data, place + local)[0]
    return found + _overflow(image, following, size - local)


def _overflow(image: Image, number: int, left: int) -> bytes:
    parts, seen = [], set[int]()
    while left:
        data = image.page(number)
        if data is None or number in seen or number < 1:
            raise Unreadable
        seen.add(number)
        number = struct.unpack_from(">I", data)[0]
        parts.append(data[4 : 4 + left])
        left -= len(parts[-1])
    return b"".join(parts)


def _record(payload: bytes) -> Record:
    size, place = _varint(payload, 0)
    if size > len(payload):
        raise Unreadable
    kinds = []
    while place < size:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    if place != size:
        raise Unreadable
    values = []
    for kind in kinds:
        value, place = _value(payload, place, kind)
        values.append(value)
    if place != len(payload):
        raise Unreadable
    return tuple(values)


def _value(payload: bytes, place: int, kind: int) -> tuple[Any, int]:
    if kind == 0:
        return None, place
    if kind in _INTEGERS:
        width = _INTEGERS[kind]
        return int.from_bytes(_slice(payload, place, width), "big", signed=True), place + width
    if kind == 7:
        return struct.unpack(">d", _slice(payload, place, 8))[0], place + 8
    if kind in (8, 9):
        return kind - 8, place
    if kind < 12:
        raise Unreadable
    width = (kind - 12) // 2
    data = _slice(payload, place, width)
    return (data.decode() if kind % 2 else data), place + width


def _slice(data: bytes, place: int, size: int) -> bytes:
    found = data[place : place + size]
    if len(found) < size:
        raise Unreadable
    return found


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for index in range(8):
        byte = data[place + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + index + 1
    return value << 8 | data[place + 8], place + 9
