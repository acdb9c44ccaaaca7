"""Reading a keeper's journal: the same code while it writes and long after it died.

Lives here: what a record is, and a reader that goes through the segment files from any offset.
Lives elsewhere: writing records (program/segments.py), noticing that there are more (attach.py), what the
lines mean (agents/wire/frames.py).

An offset counts the bytes of all records since the beginning, so the `end` of one record is the offset of the
next. Segment files are called `journal.<offset of their first record>`.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from types import TracebackType
from typing import Self

from voxpilot.values import dataclass

_MAGIC = b"VOXJRN1\n"
_HEADER = struct.Struct(">cId")
_PREFIX = "journal."

PRINTED = b"<"
"""One or more whole lines the agent printed, each with its newline."""
SENT = b">"
"""A line written to the agent: its number, a space, the line, a newline."""
SKIPPED = b"!"
"""JSON {"skipped": bytes, "ends": [first, last]}: a line too long to keep; older keepers omit `ends`."""
WRITTEN = b"e"
"""JSON {"stderr": text}: what the agent wrote to stderr before it answered a prompt."""
COMMAND_ENDED = b"t"
"""JSON {"terminal", "bytes", "exit_code", "signal"}: a command of the agent ended."""
LEFT_RUNNING = b"l"
"""JSON {"ended": [command], "left": number, "about": any}: commands that a stopped agent left running."""
ENDED = b"x"
"""JSON: how the agent ended. Always the last record."""
_NOTHING = b"\0"
"""Not a record: zeros, which a crash of the machine may leave at the end of a file."""


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of a journal."""

    type: bytes
    """One of the above, or one that only a newer keeper knows."""
    payload: bytes
    at: float
    """When it was written, by the keeper's clock."""
    end: int
    """The offset after it: where to continue reading."""


class JournalReader:
    """Goes through the journal in a directory, from an offset at which a record begins.

    If the segment that held the offset was deleted, reading continues at the oldest record.
    """

    def __init__(self, directory: Path, offset: int = 0) -> None:
        self.offset = offset
        self._directory = directory
        self._file = -1
        self._base = 0

    def read(self, limit_bytes: int = 262144) -> list[Record]:
        """The complete records after the offset, up to about `limit_bytes`; empty if there are none.

        A record longer than the limit is returned alone. Never blocks.
        """
        while True:
            if self._file < 0 and not self._open():
                return []
            records = self._read_segment(limit_bytes)
            if records or not self._at_end_of_segment():
                return records
            self.close()

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read_segment(self, limit_bytes: int) -> list[Record]:
        place = len(_MAGIC) + self.offset - self._base
        data = os.pread(self._file, max(limit_bytes, _HEADER.size), place)
        if len(data) >= _HEADER.size:
            kind, length, _ = _HEADER.unpack_from(data)
            whole = _HEADER.size + length
            if kind != _NOTHING and whole > len(data) and os.fstat(self._file).st_size >= place + whole:
                data = os.pread(self._file, whole, place)
        records = _records(data, self.offset)
        if records:
            self.offset = records[-1].end
        return records

    def _at_end_of_segment(self) -> bool:
        """Whether the next segment begins here: the keeper opens it only when this one is complete."""
        return self.offset > self._base and (self._directory / f"{_PREFIX}{self.offset:020d}").exists()

    def _open(self) -> bool:
        """Open the segment that contains the offset; the oldest one if it was deleted."""
        bases = _segments(self._directory)
        base = max((base for base in bases if base <= self.offset), default=min(bases, default=-1))
        if base < 0 or not self._open_segment(base):
            return False
        self.offset = max(self.offset, self._base)
        return True

    def _open_segment(self, base: int) -> bool:
        try:
            file = os.open(self._directory / f"{_PREFIX}{base:020d}", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        is_ours = False
        try:
            is_ours = os.pread(file, len(_MAGIC), 0) == _MAGIC
        finally:
            if not is_ours:
                os.close(file)
        if is_ours:
            self._file, self._base = file, base
        return is_ours


def tail_offset(directory: Path, most_bytes: int) -> int:
    """Where to begin reading so that about `most_bytes` remain, and at least the newest segment."""
    bases = sorted(_segments(directory))
    start = bases[-1] if bases else 0
    return next((base for base in bases if start - base <= most_bytes), start)


def _segments(directory: Path) -> list[int]:
    try:
        names = os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []
    numbers = [name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)]
    return [int(number) for number in numbers if number.isdigit()]


def _records(data: bytes, offset: int) -> list[Record]:
    """The complete records at the start of `data`, up to an incomplete one or zeros from a crash."""
    records: list[Record] = []
    place = 0
    while place + _HEADER.size <= len(data):
        kind, length, at = _HEADER.unpack_from(data, place)
        end = place + _HEADER.size + length
        if kind == _NOTHING or end > len(data):
            break
        records.append(Record(kind, data[place + _HEADER.size : end], at, offset + end))
        place = end
    return records
