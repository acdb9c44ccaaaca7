"""From starting the process to the first 200.

Lives here: starting it several times, on an empty directory and on one that is there. Lives elsewhere: the
server process (tests/kit/server.py).
"""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Aim, Figure
from bench.machine import processor_seconds
from bench.stage import server_in

LIMIT_SECONDS = 20.0
_BARE = "import fastapi, uvicorn, uvloop, httptools, sqlite3"


@dataclass(frozen=True, slots=True)
class Start:
    seconds: float
    processor_seconds: float


async def to_first_answer(folder: Path, lines: Path, rounds: int) -> list[Figure]:
    """The first start of all compiles and creates, so it is told apart."""
    fresh = [await _start(folder / f"fresh-{number}", lines) for number in range(max(2, rounds // 2))]
    known = [await _start(folder, lines) for _ in range(rounds + 1)][1:]
    bare = min(_run_bare() for _ in range(3))
    return [
        _figure("start to first 200", known, f"its libraries alone {bare:.2f} s", Aim(0.6)),
        _figure("the same, empty directory", fresh, "", None),
    ]


def _figure(name: str, starts: list[Start], baseline: str, aim: Aim | None) -> Figure:
    seconds = [start.seconds for start in starts]
    used = min(start.processor_seconds for start in starts)
    return Figure(
        name=name,
        value=min(seconds),
        unit="s",
        measured=f"median {statistics.median(seconds):.2f} s, processor {used:.2f} s",
        baseline=baseline,
        aim=aim,
    )


async def _start(folder: Path, lines: Path) -> Start:
    folder.mkdir(exist_ok=True)
    server = server_in(folder, lines)
    began = time.monotonic()
    server.spawn()
    try:
        while not _answers(server.port):
            assert server.is_running, server.stderr
            assert time.monotonic() < began + LIMIT_SECONDS, server.stderr
            time.sleep(0.001)
        return Start(time.monotonic() - began, processor_seconds(server.pid))
    finally:
        await server.terminate()


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS) as connection:
            connection.sendall(b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return connection.recv(65536).startswith(b"HTTP/1.1 200")
    except ConnectionError:
        return False


def _run_bare() -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", _BARE], check=True)
    return time.monotonic() - began
