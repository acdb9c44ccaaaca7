"""Requests that arrive while the program is still being imported."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.kit.waiting import until
from voxpilot import __version__
from voxpilot.web.door.early import MOST_WAITING, EarlyDoor

ASKED = b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:8460\r\n\r\n"


@contextmanager
def early_door(folder: Path) -> Iterator[tuple[EarlyDoor, Path]]:
    """Its socket is a file, which it cannot tell from a port."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "door"))
        listening.listen(2 * MOST_WAITING)
        with EarlyDoor(listening, frozenset({"127.0.0.1"})) as door:
            yield door, folder / "door"


def connected(path: Path, sent: bytes = b"") -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    connection.connect(str(path))
    connection.sendall(sent)
    return connection


def everything(connection: socket.socket) -> bytes:
    with connection:
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_health_is_answered_while_nothing_else_is_there(tmp_path: Path) -> None:
    with early_door(tmp_path) as (_, path):
        for _ in range(3):
            head, _, body = everything(connected(path, ASKED)).decode().partition("\r\n\r\n")
            assert head.startswith("HTTP/1.1 200 OK\r\n")
            assert "\r\ncache-control: no-store" in head
            assert body == f'{{"status":"ok","version":"{__version__}"}}'


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        ASKED[:30],
        ASKED + ASKED,
        ASKED.replace(b"/api/health", b"/api/chats"),
        ASKED.replace(b"/api/health", b"/api/health?ready"),
        ASKED.replace(b"GET", b"POST"),
        ASKED.replace(b"127.0.0.1:8460", b"evil.example"),
        ASKED.replace(b"Host", b"Hast"),
        ASKED.replace(b"\r\n\r\n", b"\r\nHost: evil.example\r\n\r\n"),
        ASKED.replace(b"\r\n\r\n", b"\r\nOrigin: http://evil.example\r\n\r\n"),
        ASKED.replace(b"\r\n\r\n", b"\r\nSec-Fetch-Site: cross-site\r\n\r\n"),
        ASKED.replace(b"\r\n\r\n", b"\r\nAuthorization: Bearer x\r\n\r\n"),
        ASKED.replace(b"\r\n\r\n", b"\r\nContent-Length: 5\r\n\r\n"),
        ASKED.replace(b"\r\n\r\n", b"\r\n continued\r\n\r\n"),
        b"\xff\r\n\r\n",
    ],
)
def test_any_other_request_waits_and_is_handed_over_unread(tmp_path: Path, sent: bytes) -> None:
    with early_door(tmp_path) as (door, path), connected(path, sent) as asking:
        everything(connected(path, ASKED))  # connections are accepted in order, so it was seen
        (waiting,) = door.hand_over()
        with waiting:
            waiting.setblocking(True)
            waiting.settimeout(20)
            if sent:
                assert waiting.recv(65536) == sent
            waiting.sendall(b"answer")
            assert asking.recv(65536) == b"answer"


def test_a_crowd_waits_too(tmp_path: Path) -> None:
    """Beyond the most it keeps, connections stay in the system's queue."""
    with early_door(tmp_path) as (door, path):
        crowd = [connected(path, b"GET / HTTP/1.1\r\n\r\n") for _ in range(MOST_WAITING - 1)]
        everything(connected(path, ASKED))
        waiting = door.hand_over()
        assert len(waiting) == MOST_WAITING - 1
        for connection in (*crowd, *waiting):
            connection.close()


def test_what_was_not_handed_over_is_closed(tmp_path: Path) -> None:
    """A start that fails keeps nobody waiting."""
    with early_door(tmp_path) as (_, path):
        asking = connected(path, b"GET / HTTP/1.1\r\n\r\n")
        everything(connected(path, ASKED))
    with suppress(ConnectionResetError):
        assert everything(asking) == b""


def test_threads_take_turns_as_usual_afterwards(tmp_path: Path) -> None:
    usual = sys.getswitchinterval()
    with early_door(tmp_path) as (door, _):
        assert sys.getswitchinterval() < usual
        door.hand_over()
        assert sys.getswitchinterval() == usual


async def test_a_request_during_the_start_is_answered_when_the_server_is_there(
    start_server: StartServer,
) -> None:
    server = await start_server()
    await server.terminate()
    server.fresh = True
    server.spawn()
    answers: list[bytes] = []

    async def health() -> bool:
        try:
            answers.append(asked(server.port, ASKED))
        except ConnectionError:
            return False
        return True

    await until(health, 20, lambda: server.stderr)
    head = f"GET /api/chats HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n"
    early = asked(server.port, f"{head}Connection: close\r\n\r\n".encode())
    assert answers[0].startswith(b"HTTP/1.1 200 OK\r\n")
    assert early.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b'"chats":' in early


def asked(port: int, sent: bytes) -> bytes:
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    connection.sendall(sent)
    return everything(connection)
