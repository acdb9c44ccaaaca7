"""The server's output, written by threads so that nobody has to wait for it.

Lives here: standard output and standard error that accept every line immediately. A suspended terminal, a
full pipe or a log on a dead mount blocks only the writing thread. Lines that do not fit are dropped and
counted, and the count is written when there is space again. Lives elsewhere: what is printed (logging, cli/).
"""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

ROOM_BYTES = 1_000_000
LAST_WORDS_SECONDS = 1.0
"""How long the program waits at exit for output that is not written yet."""


class PatientStream(io.TextIOBase):
    """A text stream over a file descriptor; writing to it never blocks."""

    encoding = "utf-8"

    def __init__(self, descriptor: int, room_bytes: int = ROOM_BYTES) -> None:
        self._descriptor = descriptor
        self._room = room_bytes
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._dropped = 0
        self._news = threading.Condition()
        self._is_writing = False
        threading.Thread(target=self._write_forever, name=f"output-{descriptor}", daemon=True).start()

    def write(self, text: str) -> int:
        data = text.encode("utf-8", "backslashreplace")
        with self._news:
            if self._bytes + len(data) > self._room:
                self._dropped += text.count("\n")
            else:
                self._waiting.append(data)
                self._bytes += len(data)
            self._news.notify_all()
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def flush(self) -> None:
        """Does nothing: the thread is already writing."""

    def drain(self, seconds: float) -> bool:
        """Wait until everything is written, but no longer than this."""
        ends = time.monotonic() + seconds
        with self._news:
            return self._news.wait_for(self._is_drained, max(0.0, ends - time.monotonic()))

    def _is_drained(self) -> bool:
        return not self._waiting and not self._is_writing

    def _write_forever(self) -> None:
        while True:
            with self._news:
                self._is_writing = False
                self._news.notify_all()
                self._news.wait_for(lambda: self._waiting or self._dropped)
                data, self._waiting, self._bytes = b"".join(self._waiting), [], 0
                if self._dropped:
                    data += b"[%d lines were not written: there was no room for them]\n" % self._dropped
                    self._dropped = 0
                self._is_writing = True
            with suppress(OSError):  # the terminal or the reader is gone, and so is the line
                view = memoryview(data)
                while view:
                    view = view[os.write(self._descriptor, view) :]


@contextmanager
def patient() -> Iterator[None]:
    """Within the block, printing and logging never block."""
    before = sys.stdout, sys.stderr
    streams = PatientStream(1), PatientStream(2)
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        drain()
        if all(stream.drain(0) for stream in streams):  # otherwise the ordinary streams would block forever
            sys.stdout, sys.stderr = before


def drain(seconds: float = LAST_WORDS_SECONDS) -> None:
    """Before the exit: give printed output a moment to be written."""
    ends = time.monotonic() + seconds
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, PatientStream):
            stream.drain(max(0.0, ends - time.monotonic()))
