"""Lines in, lines out, a log of both, and the agent's own process.

Lives here: framing, the frame log that tests count, all that touches the process or its pipes.
Lives elsewhere: what the frames mean (agent.py), an agent without a process (tests/kit/memory/agent.py).
"""

from __future__ import annotations

import json
import os
import select
import time

from .children import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Frame = dict[str, Any]

LOGGED_RAW_BYTES = 20_000
"""Longer raw lines are logged by their length alone."""


def encode(frame: Any) -> bytes:
    """One line, including its newline."""
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Wire:
    """The agent's end of the pipes."""

    def __init__(self, log: str | None, log_out: bool) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._log = os.open(log, flags, 0o600) if log else None
        self.logs_out = log_out and log is not None
        self._unfinished: list[bytes] = []
        self.at_end = False
        """The client has closed our standard input."""
        self.keep_going_unread = False
        """Whether to keep running when nobody reads our output."""

    def read(self, timeout: float | None) -> list[Any]:
        """The frames that have arrived, waiting at most `timeout` seconds for the first."""
        if self.at_end:
            time.sleep(60 if timeout is None else timeout)
            return []
        if not select.select([0], [], [], timeout)[0]:
            return []
        data = os.read(0, 1 << 16)
        if not data:
            self.at_end = True
            return []
        first, *others = data.split(b"\n")
        self._unfinished.append(first)
        lines: list[bytes] = []
        for part in others:
            lines.append(b"".join(self._unfinished))
            self._unfinished = [part]
        return [frame for line in lines if line.strip() for frame in self._decode(line)]

    def _decode(self, line: bytes) -> list[Any]:
        try:
            frame = json.loads(line)
        except ValueError:
            self.note(dir="in", raw=line[:LOGGED_RAW_BYTES].decode("utf-8", "replace"))
            self.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
            return []
        self.note(dir="in", frame=frame)
        return [frame]

    def send(self, frame: Frame) -> None:
        self.send_many([frame])

    def send_many(self, frames: list[Frame]) -> None:
        """Several frames in one write."""
        # Logged first, so that a reader of a frame also finds it in the log.
        if self.logs_out:
            for frame in frames:
                self.note(dir="out", frame=frame)
        self._write(b"".join(map(encode, frames)))

    def send_raw(self, line: bytes) -> None:
        """Bytes that need not be a frame, or even text; a newline is added."""
        if self.logs_out:
            short = len(line) <= LOGGED_RAW_BYTES
            self.note(dir="out", raw=line.decode("utf-8", "replace") if short else len(line))
        self._write(line + b"\n")

    def send_piece(self, data: bytes) -> None:
        """Bytes of lines that the caller has already logged."""
        self._write(data)

    def note(self, **fields: Any) -> None:
        """Append one line to the log with a single write, so that processes may share the file."""
        if self._log is not None:
            os.write(self._log, encode({"at": time.time(), "pid": os.getpid(), **fields}))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(1, view) :]
        except BrokenPipeError:
            if not self.keep_going_unread:
                os._exit(0)

    # The process

    def complain(self, data: bytes) -> None:
        """Write to standard error."""
        view = memoryview(data)
        while view:
            view = view[os.write(2, view) :]

    def close(self, number: int) -> None:
        """Close standard input (0), output (1) or errors (2)."""
        os.close(number)

    def exit(self, code: int) -> None:
        os._exit(code)

    def die(self, number: int) -> None:
        os.kill(os.getpid(), number)

    def spawn(self, way: str) -> int:
        """Start a grandchild; its pid."""
        return spawn(way)

    def environment(self) -> dict[str, str]:
        return dict(os.environ)
