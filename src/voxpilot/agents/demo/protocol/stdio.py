"""Standard input and output, line by line.

Lives here: bytes in and bytes out. Lives elsewhere: what a line means (peer.py).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress


async def lines_in() -> AsyncIterator[bytes]:
    """Each line of standard input, until it ends."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    def hand_over(line: bytes) -> None:
        with suppress(RuntimeError):  # the loop may already be closed
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        try:
            with open(0, "rb", closefd=False) as stdin:
                for line in stdin:
                    hand_over(line)
        finally:
            hand_over(b"")

    # A thread can read from a pipe, a terminal or a file; asyncio's pipes cannot.
    threading.Thread(target=read, daemon=True).start()
    while line := await lines.get():
        yield line


def lines_out() -> Callable[[bytes], None]:
    """A function that writes a line to standard output immediately."""
    stdout = open(1, "wb", closefd=False)  # noqa: SIM115 - it lasts as long as we do

    def write(line: bytes) -> None:
        with suppress(BrokenPipeError):  # nobody is reading any more; our input will end too
            stdout.write(line + b"\n")
            stdout.flush()

    return write
