"""A reader that requests a stream and then reads nothing."""

from __future__ import annotations

import select
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.kit.clients.bare import Header
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

ENOUGH = 4_000_000
"""The characters a chat needs so that a reader can block the server's connection."""


class StuckReader:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._ports = [f":{name[1]:04X}" for name in (connection.getpeername(), connection.getsockname())]
        self._waiting = [0] * 10

    def is_full(self) -> bool:
        """Whether so much unread data is waiting that the server has stopped sending."""
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, _, queues, *_ = line.split()
            if [local[-5:], remote[-5:]] == self._ports:
                self._waiting = [*self._waiting[1:], int(queues.partition(":")[0], 16)]
        return self._waiting[0] > 0 and len(set(self._waiting)) == 1

    def is_closed(self) -> bool:
        """Whether the server has closed it, without reading the waiting data."""
        watch = select.poll()
        watch.register(self._connection, select.POLLIN)
        return any(happened & (select.POLLHUP | select.POLLERR) for _, happened in watch.poll(0))


@asynccontextmanager
async def stuck_reader(server: ServerProcess, chat: str, *credentials: Header) -> AsyncIterator[StuckReader]:
    """Open a stream of the chat and wait until the server can send no more of it."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.port))
        head = [f"GET /api/chats/{chat}/stream HTTP/1.1", f"Host: 127.0.0.1:{server.port}"]
        head += [f"{name}: {value!s}" for name, value in credentials]
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        assert connection.recv(12) == b"HTTP/1.1 200"
        reader = StuckReader(connection)
        await until(reader.is_full, 10, "the server is not held up by the reader")
        yield reader
