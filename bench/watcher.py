"""Clients in their own process: plain sockets that record data and arrival times for later analysis.

    python -m bench.watcher < job

Reads a job (stage.Job as JSON), opens its streams, prints a line when all have caught up, and when all have
ended prints the results of each. While it waits it only receives, so that it costs little. Lives elsewhere:
analysing the data (views.py), requesting it (stage.py).
"""

from __future__ import annotations

import json
import select
import socket
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bench.views import LOOKS

RECEIVE_BYTES = 64 << 10
READY, ENDED = b"event: ready\n", b"event: turn-ended\n"


@dataclass(slots=True)
class Mark:
    """Counts a word in a stream of bytes, however it is split."""

    word: bytes
    wanted: int
    _edge: bytes = b""

    def met(self, data: bytes) -> bool:
        keep = len(self.word) - 1
        self.wanted -= data.count(self.word) + (self._edge + data[:keep]).count(self.word)
        self._edge = (self._edge + data[-keep:])[-keep:]
        return self.wanted <= 0


@dataclass(slots=True)
class Connection:
    socket: socket.socket
    asked_ns: int
    arrivals: list[tuple[int, bytes]] = field(default_factory=list)

    def receive(self) -> bytes:
        data = self.socket.recv(RECEIVE_BYTES)
        self.arrivals.append((time.monotonic_ns(), data))
        if not data:
            raise ConnectionError("a stream ended before it should")
        return data


def main() -> None:
    job = json.loads(sys.stdin.readline())
    connections = [_open(job["port"], job["token"], path) for path in job["paths"]]
    receive_until(connections, READY, job["readies"])
    print("ready", flush=True)
    if job["ends"]:
        receive_until(connections, ENDED, job["ends"])
    json.dump([_seen(connection, job["look"]) for connection in connections], sys.stdout)


def receive_until(connections: Iterable[Connection], word: bytes, times: int) -> None:
    """Receive on all until each has received the word this many times."""
    waiting = {one.socket.fileno(): (one, Mark(word, times)) for one in connections}
    with select.epoll() as poll:
        for number in waiting:
            poll.register(number, select.EPOLLIN)
        while waiting:
            for number, _ in poll.poll():
                one, mark = waiting[number]
                if mark.met(one.receive()):
                    poll.unregister(number)
                    del waiting[number]


def _open(port: int, token: str, path: str) -> Connection:
    connection = socket.create_connection(("127.0.0.1", port))
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    asked_ns = time.monotonic_ns()
    connection.sendall(head.encode())
    return Connection(connection, asked_ns)


def _seen(connection: Connection, look: str) -> dict[str, Any]:
    first, last = connection.arrivals[0], connection.arrivals[-1]
    assert first[1].startswith(b"HTTP/1.1 200"), first[1][:500]
    return {"asked_ns": connection.asked_ns, "ended_ns": last[0], **LOOKS[look](connection.arrivals)}


if __name__ == "__main__":
    main()
