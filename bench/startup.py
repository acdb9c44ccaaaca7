"""From starting the program to its first answers.

Lives here: starting it several times, with an empty directory and with an existing one, compared with a
server with one route. Lives elsewhere: the server process (tests/kit/servers/server.py), the bare server
(bare_server.py).
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Aim, Figure
from bench.machine import processor_seconds
from bench.stage import ROOT, server_in
from tests.kit.machine.processes import rss_bytes
from tests.kit.servers.server import free_port

LIMIT_SECONDS = 20.0
LOOK_SECONDS = 0.001
SETTLE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds to each response, and what the process had used by then."""

    health: float
    health_processor: float
    chats: float
    chats_processor: float
    megabytes: float
    """A moment later, while idle."""


async def to_first_answers(folder: Path, lines: Path, rounds: int) -> list[Figure]:
    """The first start with an empty directory creates everything, so it has its own row."""
    fresh = [await _start(folder / f"fresh-{number}", lines) for number in range(max(2, rounds // 2))]
    known = [await _start(folder, lines) for _ in range(rounds + 1)][1:]
    bare = [_start_bare() for _ in range(rounds)]
    return [
        _figure(
            "start to first 200 of /api/health",
            [(start.health, start.health_processor) for start in known],
            statistics.median(start.health for start in bare),
            Aim(0.3),
        ),
        _figure(
            "start to first answered GET /api/chats",
            [(start.chats, start.chats_processor) for start in known],
            statistics.median(start.chats for start in bare),
            Aim(0.5),
        ),
        _figure(
            "the same, empty directory",
            [(start.chats, start.chats_processor) for start in fresh],
            statistics.median(start.chats for start in bare),
        ),
        _memory(known, bare),
    ]


def _figure(name: str, taken: list[tuple[float, float]], bare: float, aim: Aim | None = None) -> Figure:
    middle, used = (statistics.median(values) for values in zip(*taken, strict=True))
    return Figure(
        name=name,
        value=middle,
        unit="s",
        measured=f"{middle / bare:.1f} ×, CPU {used:.2f} s",
        baseline=f"one route: {bare:.2f} s",
        aim=aim,
    )


def _memory(known: list[Start], bare: list[Start]) -> Figure:
    ours, least = (statistics.median(start.megabytes for start in starts) for starts in (known, bare))
    return Figure(
        name="idle memory",
        value=ours,
        unit="MB",
        measured=f"{ours / least:.1f} ×",
        baseline=f"one route: {least:.0f} MB",
        aim=Aim(60),
    )


async def _start(folder: Path, lines: Path) -> Start:
    folder.mkdir(exist_ok=True)
    server = server_in(folder, lines)
    began = time.monotonic()
    server.spawn()
    try:
        return _timed(began, server.pid, server.port, lambda: server.token)
    except AssertionError as error:
        raise AssertionError(server.stderr) from error
    finally:
        await server.terminate()


def _start_bare() -> Start:
    port = free_port()
    began = time.monotonic()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    with subprocess.Popen(
        [sys.executable, "-m", "bench.bare_server", str(port)], cwd=ROOT, env=environment
    ) as process:
        try:
            return _timed(began, process.pid, port, lambda: "")
        finally:
            process.kill()


def _timed(began: float, pid: int, port: int, token: Callable[[], str]) -> Start:
    health = _until_answered(began, port, "/api/health")
    health_processor = processor_seconds(pid)
    chats = _until_answered(began, port, "/api/chats", token())
    chats_processor = processor_seconds(pid)
    time.sleep(SETTLE_SECONDS)
    return Start(health, health_processor, chats, chats_processor, rss_bytes(pid) / 1e6)


def _until_answered(began: float, port: int, path: str, token: str = "") -> float:
    while not _answers(port, path, token):
        assert time.monotonic() < began + LIMIT_SECONDS, "the server did not answer"
        time.sleep(LOOK_SECONDS)
    return time.monotonic() - began


def _answers(port: int, path: str, token: str) -> bool:
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
    if not token:
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS) as connection:
            connection.sendall(head.encode())
            return connection.recv(65536).startswith(b"HTTP/1.1 200")
    except ConnectionError:
        return False
