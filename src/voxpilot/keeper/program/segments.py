"""Writing the journal.

Lives here: records in segment files, rotation, deletion, waiting for disk space.
Lives elsewhere: reading it (../journal.py).

A segment is a file `journal.<offset, 20 digits>` of MAGIC and then whole records: HEADER and payload. The
offset counts the bytes of all records before it, MAGIC not included. Types of records:
    <  one or more whole lines that the agent printed
    >  a line sent to it: its number, a space, the line
    !  JSON {"skipped": bytes, "ends": [first, last]}: it printed a line too long to keep
    e  JSON {"stderr": text}: what it wrote to stderr before it answered a prompt
    t  JSON {"terminal", "bytes", "exit_code", "signal"}: a command of the agent ended, after printing this
    many bytes x  JSON: how it ended; always the last
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress

from .clock import offset_now, since_boot

MAGIC = b"VOXJRN1\n"
HEADER = struct.Struct(">cId")
"""Type, length of the payload, the time by the server's clock."""


class Journal:
    """Records, appended whole and in order. If the disk is full they wait; nothing is dropped."""

    def __init__(self, segment_bytes: int, keep_bytes: int, clock: float | None = None) -> None:
        self.end = 0
        """The offset after the last record that is completely on the disk."""
        self.read = 0
        """How much of it a server has processed."""
        self._total = 0  # the same, including waiting records
        self._waiting = b""
        self._segment_bytes, self._keep_bytes = max(1, segment_bytes), keep_bytes
        self._clock = offset_now() if clock is None else clock  # the server's clock when the machine started
        self._bases: list[int] = []
        self._file = -1
        self._open_segment()

    @property
    def full(self) -> bool:
        """Whether records are waiting for disk space."""
        return bool(self._waiting)

    def append(self, kind: bytes, payload: bytes | bytearray | memoryview) -> None:
        header = HEADER.pack(kind, len(payload), since_boot() + self._clock)
        self._total += len(header) + len(payload)
        written = 0 if self._waiting else self._write(header, payload)
        if written < len(header) + len(payload):
            self._waiting += b"".join((header, payload))[written:]
        else:
            self.end = self._total

    def flush(self) -> None:
        """Write waiting records, as far as there is disk space."""
        while self._waiting and (written := self._write(self._waiting)):
            self._waiting = self._waiting[written:]
        if not self._waiting:
            self.end = self._total

    def acknowledge(self, offset: int) -> None:
        """Delete whole segments below `offset`, as long as more than `keep_bytes` below it remain."""
        offset = min(offset, self.end)
        self.read = max(self.read, offset)
        while self._bases[1:] and self._bases[1] <= offset and offset - self._bases[0] > self._keep_bytes:
            try:
                os.unlink(segment_name(self._bases[0]))
            except FileNotFoundError:
                pass
            except OSError:
                return  # tried again at the next acknowledgement
            del self._bases[0]

    def _write(self, *parts: bytes | bytearray | memoryview) -> int:
        """Write as much as there is space for."""
        try:
            # Never in the middle of a record: `end` does not move while part of a record is waiting.
            if self.end - self._bases[-1] >= self._segment_bytes:
                self._open_segment()
            return os.writev(self._file, parts)
        except FileNotFoundError:
            raise  # the directory was deleted, so waiting is pointless
        except OSError:
            return 0

    def _open_segment(self) -> None:
        name = segment_name(self.end)
        # An earlier attempt may have left a file of this name. The directory is ours alone.
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_APPEND, 0o600)
        try:
            if os.write(file, MAGIC) < len(MAGIC):
                raise OSError("no room for a new segment")
        except OSError:
            with suppress(OSError):
                os.close(file)
            with suppress(OSError):
                os.unlink(name)
            raise
        before, self._file = self._file, file
        self._bases.append(self.end)
        if before >= 0:
            with suppress(OSError):
                os.close(before)


def segment_name(base: int) -> str:
    return f"journal.{base:020d}"
