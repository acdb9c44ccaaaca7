"""The journal as it is written.

Lives here: records in segment files, rotation, deletion, waiting for room on the disk.
Lives elsewhere: reading it (../journal.py).

A segment is a file `journal.<offset, 20 digits>` of MAGIC and then whole records: HEADER and payload. The
offset counts the bytes of all records before it, MAGIC not included. Types of records:
    <  one or more whole lines that the agent printed
    >  a line it was given: its number, a space, the line
    !  JSON {"skipped": bytes, "ends": [first, last]}: it printed a line too long to keep
    e  JSON {"stderr": text}: what it wrote to stderr before it answered a prompt
    t  JSON {"terminal", "bytes", "exit_code", "signal"}: a command of its ended, having printed so much
    x  JSON: how it ended; always the last
"""

from __future__ import annotations

import os
import struct
import time
from contextlib import suppress

MAGIC = b"VOXJRN1\n"
HEADER = struct.Struct(">cId")
"""Type, length of the payload, unix time."""


class Journal:
    """Records appended whole and in order. What the disk has no room for yet waits, nothing is dropped."""

    def __init__(self, segment_bytes: int, keep_bytes: int) -> None:
        self.end = 0
        """The offset after the last record that is wholly on the disk."""
        self._total = 0  # the same, with the records that wait
        self._waiting = b""
        self._segment_bytes, self._keep_bytes = max(1, segment_bytes), keep_bytes
        self._bases: list[int] = []
        self._file = -1
        self._open_segment()

    @property
    def full(self) -> bool:
        """Whether something waits for room."""
        return bool(self._waiting)

    def append(self, kind: bytes, payload: bytes | bytearray | memoryview) -> None:
        header = HEADER.pack(kind, len(payload), time.time())
        self._total += len(header) + len(payload)
        written = 0 if self._waiting else self._write(header, payload)
        if written < len(header) + len(payload):
            self._waiting += b"".join((header, payload))[written:]
        else:
            self.end = self._total

    def flush(self) -> None:
        """Write what waits, as far as there is room."""
        while self._waiting and (written := self._write(self._waiting)):
            self._waiting = self._waiting[written:]
        if not self._waiting:
            self.end = self._total

    def acknowledge(self, offset: int) -> None:
        """Delete whole segments below `offset`, as long as more than `keep_bytes` below it remain."""
        offset = min(offset, self.end)
        while self._bases[1:] and self._bases[1] <= offset and offset - self._bases[0] > self._keep_bytes:
            with suppress(FileNotFoundError):
                os.unlink(segment_name(self._bases.pop(0)))

    def _write(self, *parts: bytes | bytearray | memoryview) -> int:
        """As much as there is room for."""
        try:
            # Never in the middle of a record: `end` stands still while a part of one waits.
            if self.end - self._bases[-1] >= self._segment_bytes:
                self._open_segment()
            return os.writev(self._file, parts)
        except FileNotFoundError:
            raise  # the directory was taken away, so there is nothing to wait for
        except OSError:
            return 0

    def _open_segment(self) -> None:
        name = segment_name(self.end)
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        try:
            if os.write(file, MAGIC) < len(MAGIC):
                raise OSError("no room for a new segment")
        except OSError:
            os.close(file)
            os.unlink(name)
            raise
        if self._file >= 0:
            os.close(self._file)
        self._file = file
        self._bases.append(self.end)


def segment_name(base: int) -> str:
    return f"journal.{base:020d}"
