"""The lines between the keeper and its agent: stdin, stdout and stderr.

Lives here: the three pipes, the limit on line length, and which prompts are still unanswered.
Lives elsewhere: the agent's process (processes.py), who may send what and when it ends (keeper.py).
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import time
from contextlib import suppress

from .segments import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

READ_BYTES = 256 << 10
END_BYTES = 2000
"""How much is kept of the beginning and the end of a line that is too long."""
TOLD_BYTES = 4096
"""How much of stderr is journaled with the answer to a prompt."""


class Lines:
    """The agent's stdin, stdout and stderr; -1 where one is closed."""

    def __init__(
        self, pipes: tuple[int, int, int], journal: Journal, line_cap: int, stderr_bytes: int
    ) -> None:
        self.stdin, self.stdout, self.stderr = pipes
        self.to_stdin = bytearray()
        self.open_prompts: set[str] = set()
        """Requests without an answer: their ids as canonical JSON, so that 0 and "0" differ."""
        self.heard = self.answered = time.monotonic()
        self._journal, self._line_cap, self._stderr_bytes = journal, line_cap, stderr_bytes
        self._buffer = bytearray(READ_BYTES)
        self._unfinished = bytearray()
        self._dropped = 0  # bytes so far of an unfinished line that is too long
        self._ends = (b"", b"")  # its beginning, and its latest part
        self._last_words = bytearray()
        self._untold = 0  # bytes of stderr since the last answer to a prompt
        self._no_more = False
        self.hung_up = ""
        """Why communication has ended although the agent may be alive: it closed its stdin or stdout."""
        self.hung_up_at = float("inf")
        for pipe in pipes:
            os.set_blocking(pipe, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):  # the number of large pipes per user is limited
                fcntl.fcntl(self.stdout, fcntl.F_SETPIPE_SZ, READ_BYTES)

    @property
    def last_words(self) -> str:
        return self._last_words.decode(errors="replace")

    # -- to the agent

    def give(self, line: bytes) -> None:
        self.to_stdin += line

    def feed(self) -> None:
        """Write as much as its stdin accepts now."""
        try:
            while self.to_stdin:
                del self.to_stdin[: os.write(self.stdin, self.to_stdin)]
        except BlockingIOError:
            return
        except OSError:
            self._hang_up("closed-stdin")
            self.close_stdin()
        if self._no_more:
            self.close_stdin()

    def say_no_more(self) -> None:
        """Close stdin after the waiting data is written."""
        self._no_more = True

    def notice_closed_stdin(self) -> None:
        """Detects that the agent has closed it, without writing to it."""
        if self.stdin >= 0:
            looking = select.poll()
            looking.register(self.stdin, 0)
            if any(seen & select.POLLERR for _, seen in looking.poll(0)):
                self._hang_up("closed-stdin")
                self.close_stdin()

    def _hang_up(self, reason: str) -> None:
        if not self.hung_up:
            self.hung_up, self.hung_up_at = reason, time.monotonic()

    def close_stdin(self) -> None:
        self.to_stdin.clear()
        self.stdin = close(self.stdin)

    # -- from the agent

    def read_stdout(self) -> None:
        try:
            length = os.readv(self.stdout, [self._buffer])
        except OSError:
            return
        self.heard = time.monotonic()
        if not length:
            self.end_line()
            self.stdout = close(self.stdout)
            self._hang_up("closed-stdout")
            return
        cut = self._buffer.rfind(b"\n", 0, length) + 1
        data = memoryview(self._buffer)
        if cut:
            self._finish_lines(data[:cut])
        self._unfinished += data[cut:length]
        if len(self._unfinished) > self._line_cap:
            first = self._ends[0] if self._dropped else bytes(self._unfinished[:END_BYTES])
            self._ends = (first, bytes(self._unfinished[-END_BYTES:]))
            self._dropped += len(self._unfinished)
            self._unfinished = bytearray()

    def end_line(self) -> None:
        """Nothing more will be printed: a newline is added to an incomplete last line."""
        if self._unfinished or self._dropped:
            self._finish_lines(b"\n")

    def _finish_lines(self, data: bytes | memoryview) -> None:
        """Journal whole lines, all at once and without a copy, unless one of them may be too long."""
        block: bytearray | bytes | memoryview = data
        if self._unfinished:
            block = self._unfinished
            block += data
            self._unfinished = bytearray()
        if self._dropped or len(block) > self._line_cap:
            for line in bytes(block[:-1]).split(b"\n"):
                self._record_one(line)
        else:
            self._journal.append(b"<", block)
        if self.open_prompts:
            self._note_answers(bytes(block))

    def _record_one(self, line: bytes) -> None:
        first, last = self._ends if self._dropped else (line[:END_BYTES], b"")
        length, self._dropped = self._dropped + len(line), 0
        if length > self._line_cap:
            ends = [end.decode(errors="replace") for end in (first, (last + line)[-END_BYTES:])]
            self._journal.append(b"!", json.dumps({"skipped": length, "ends": ends}).encode())
        else:
            self._journal.append(b"<", line + b"\n")

    def _note_answers(self, block: bytes) -> None:
        for line in block.split(b"\n") if b'"id"' in block else ():
            self._note_answer(line)

    def _note_answer(self, line: bytes) -> None:
        if b'"id"' not in line or (b'"result"' not in line and b'"error"' not in line):
            return
        message = parse(line)
        name = json.dumps(message.get("id"))
        if (
            name in self.open_prompts
            and "method" not in message
            and ("result" in message or "error" in message)
        ):
            self.open_prompts.remove(name)
            self.answered = time.monotonic()
            self._tell_stderr()

    def _tell_stderr(self) -> None:
        """An answer is journaled with the stderr output before it, which may be the only explanation."""
        self.read_stderr()
        if self._untold:
            words = self._last_words[-min(self._untold, TOLD_BYTES) :].decode(errors="replace")
            self._journal.append(b"e", json.dumps({"stderr": words}).encode())
            self._untold = 0

    def read_stderr(self) -> None:
        data = read_some(self.stderr)
        if data:
            self._last_words += data
            self._untold += len(data)
            del self._last_words[: max(0, len(self._last_words) - self._stderr_bytes)]
        elif data is not None:
            self.stderr = close(self.stderr)


def parse(line: bytes | bytearray) -> dict[str, Any]:
    """The JSON object in a line; an empty one if there is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def read_some(pipe: int) -> bytes | None:
    """The available data; empty at the end, None if the pipe is closed or has no data now."""
    try:
        return os.read(pipe, READ_BYTES)
    except OSError:
        return None


def close(pipe: int) -> int:
    if pipe >= 0:
        with suppress(OSError):  # it is closed in any case
            os.close(pipe)
    return -1
