"""Reading a command's output: the same code while it runs and afterwards.

Lives here: reading from an offset, and reading the end up to a limit, both at whole characters. Lives
elsewhere: writing it (program/commands/terminals.py), what is shown of it (runtime/callbacks/terminals.py).
"""

from __future__ import annotations

import codecs
import os
from pathlib import Path

from voxpilot.values import dataclass

KEPT_BYTES = 4 << 20
"""At least this much of the end can be read."""
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Printed:
    """A piece of output: it begins at `start`, which is later than requested if the earlier part was
    deleted."""

    start: int
    data: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.data)


def read_output(directory: Path, name: str, offset: int, limit: int) -> Printed:
    """Up to `limit` bytes from an offset; empty if there are no more yet. Never blocks."""
    for _ in range(_TRIES):
        try:
            return _read(directory, name, offset, limit)
        except FileNotFoundError:
            pass  # deleted between looking and opening: look again
    return Printed(offset, b"")


def read_end(directory: Path, name: str, limit: int) -> Printed:
    """The last `limit` bytes, or slightly fewer if more was printed meanwhile."""
    bases = _pieces(directory, name)
    if not bases:
        return Printed(0, b"")
    size = bases[-1] + (directory / _name(name, bases[-1])).stat().st_size
    found = read_output(directory, name, max(0, size - limit), KEPT_BYTES * 2)
    surplus = max(0, len(found.data) - limit)
    return Printed(found.start + surplus, found.data[surplus:])


def text_at_start(data: bytes, is_last: bool) -> tuple[str, int]:
    """The text of all complete characters, and their number of bytes; invalid bytes become a replacement
    character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(data, is_last)
    return text, len(data) - len(decoder.getstate()[0])


def text_at_end(data: bytes, limit: int, is_cut: bool, is_last: bool) -> tuple[str, bool]:
    """At most `limit` bytes of text from the end, cut between characters; and whether any is missing."""
    if len(data) > limit:
        data, is_cut = data[len(data) - limit :], True
    text, _ = text_at_start(from_character(data) if is_cut else data, is_last)
    encoded = text.encode()
    if len(encoded) <= limit:
        return text, is_cut
    return from_character(encoded[len(encoded) - limit :]).decode(), True


def from_character(data: bytes) -> bytes:
    """Without the remainder of a character that was cut in two."""
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]


def _read(directory: Path, name: str, offset: int, limit: int) -> Printed:
    bases = _pieces(directory, name)
    base = max((base for base in bases if base <= offset), default=min(bases, default=None))
    if base is None:
        return Printed(offset, b"")
    start = place = max(offset, base)
    data = bytearray()
    for base in [one for one in bases if one >= base]:
        with (directory / _name(name, base)).open("rb", buffering=0) as file:
            data += os.pread(file.fileno(), limit - len(data), place - base)
        place = start + len(data)
        if len(data) >= limit:
            break
    return Printed(start, bytes(data))


def _pieces(directory: Path, name: str) -> list[int]:
    prefix = f"terminal.{name}."
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return []
    numbers = [one.removeprefix(prefix) for one in names if one.startswith(prefix)]
    return sorted(int(number) for number in numbers if number.isdigit())


def _name(name: str, base: int) -> str:
    return f"terminal.{name}.{base:020d}"
