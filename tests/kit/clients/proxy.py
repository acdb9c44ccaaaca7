"""PX: a bad network between a client and the server.

Lives here: a TCP proxy that can pause, drop, reset, throttle, hold back and lose replies.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

SLICES_PER_SECOND = 20


class Proxy:
    """`async with Proxy(server.port) as proxy:` and use `proxy.url` instead of the server's."""

    def __init__(self, target_port: int) -> None:
        self.target_port = target_port
        self.port = 0
        self.refuses = False
        """Whether new connections are closed at once."""
        self.accepted = 0
        """How many connections arrived, including refused ones."""
        self.bytes_per_second: int | None = None
        """The speed of replies; None means unlimited."""
        self.buffer_bytes = 0
        """Replies are held back until this many bytes are buffered, like a bad reverse proxy does."""
        self.idle_seconds: float | None = None
        """A connection is closed if its client received nothing for this long."""
        self._flows = asyncio.Event()
        self._flows.set()
        self._lose_reply_to: bytes | None = None
        self._lost = asyncio.Event()
        self._connections: set[_Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        self.drop()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def pause(self) -> None:
        """Nothing passes in either direction and nobody is told: a half-open connection."""
        self._flows.clear()

    def resume(self) -> None:
        """Pass on what was held back."""
        self._flows.set()

    def drop(self) -> None:
        """Close every connection, politely."""
        for connection in list(self._connections):
            connection.close()

    def reset(self) -> None:
        """Reset every connection with RST."""
        for connection in list(self._connections):
            connection.reset()

    def throttle(self, bytes_per_second: int | None) -> None:
        self.bytes_per_second = bytes_per_second

    def buffer_until(self, size: int) -> None:
        self.buffer_bytes = size

    def lose_next_reply(self, to: bytes = b"POST ") -> None:
        """Lose the reply to the next request with this prefix, and close the connection."""
        self._lose_reply_to = to
        self._lost.clear()

    async def reply_lost(self) -> None:
        """Wait until `lose_next_reply` has lost one."""
        await self._lost.wait()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.accepted += 1
        try:
            if self.refuses:
                writer.transport.abort()
                return
            await self._flows.wait()
            await self._connect(reader, writer)
        except (OSError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._tasks.discard(task)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self.target_port)
        connection = _Connection(writer, to_writer)
        self._connections.add(connection)
        try:
            async with asyncio.TaskGroup() as pumps:
                pumps.create_task(self._pump_requests(connection, reader, to_writer))
                pumps.create_task(self._pump_replies(connection, to_reader, writer))
        finally:
            self._connections.discard(connection)
            connection.close()

    async def _pump_requests(
        self, connection: _Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with suppress(OSError):
            while data := await self._read(reader):
                if self._lose_reply_to is not None and data.startswith(self._lose_reply_to):
                    self._lose_reply_to = None
                    connection.loses_reply = True
                writer.write(data)
                await writer.drain()
        connection.close()

    async def _pump_replies(
        self, connection: _Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        held = b""
        with suppress(OSError, TimeoutError):
            while data := await asyncio.wait_for(self._read(reader), connection.idle_left(self.idle_seconds)):
                if connection.loses_reply:
                    self._lost.set()
                    held = b""
                    break
                held += data
                if len(held) >= self.buffer_bytes:
                    await self._write(writer, held)
                    connection.passed_at = time.monotonic()
                    held = b""
            await self._write(writer, held)
        connection.close()

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        await self._flows.wait()
        data = await reader.read(65536)
        # Paused while we were reading: keep it, including the end of the stream.
        await self._flows.wait()
        return data

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        while data:
            rate = self.bytes_per_second
            size = len(data) if rate is None else max(1, rate // SLICES_PER_SECOND)
            part, data = data[:size], data[size:]
            writer.write(part)
            await writer.drain()
            if rate is not None:
                await asyncio.sleep(len(part) / rate)
            await self._flows.wait()


class _Connection:
    """Both halves of one proxied connection."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self._halves = (client, server)
        self.loses_reply = False
        self.passed_at = time.monotonic()

    def idle_left(self, most: float | None) -> float | None:
        """Seconds until it has been idle for too long."""
        return None if most is None else max(0.0, self.passed_at + most - time.monotonic())

    def close(self) -> None:
        for half in self._halves:
            half.close()

    def reset(self) -> None:
        for half in self._halves:
            raw: socket.socket | None = half.get_extra_info("socket")
            if raw is not None:
                # A linger time of zero makes the close send RST instead of FIN.
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            half.transport.abort()
