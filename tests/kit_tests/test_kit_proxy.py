"""Each way the proxy can break a connection, seen from both ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tests.kit.clients.proxy import Proxy


class Echo:
    """A server that answers every line with the same line."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                self.lines.append(line)
                writer.write(line)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


@pytest.fixture
async def echo() -> AsyncIterator[Echo]:
    echo = Echo()
    server = await asyncio.start_server(echo.answer, "127.0.0.1", 0)
    echo.port = server.sockets[0].getsockname()[1]
    async with server:
        yield echo


@pytest.fixture
async def proxy(echo: Echo) -> AsyncIterator[Proxy]:
    async with Proxy(echo.port) as proxy:
        yield proxy


@pytest.fixture
async def client(proxy: Proxy) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    yield reader, writer
    writer.transport.abort()


Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def say(client: Client, line: bytes) -> bytes:
    client[1].write(line)
    return await asyncio.wait_for(client[0].readline(), 5)


async def test_it_passes_bytes_both_ways(client: Client) -> None:
    assert await say(client, b"hello\n") == b"hello\n"
    assert await say(client, b"x" * 50_000 + b"\n") == b"x" * 50_000 + b"\n"


async def test_paused_nothing_passes_and_nothing_is_lost(client: Client, proxy: Proxy, echo: Echo) -> None:
    assert await say(client, b"one\n") == b"one\n"
    proxy.pause()
    client[1].write(b"two\n")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(client[0].readline(), 0.1)
    assert echo.lines == [b"one\n"]
    proxy.resume()
    assert await asyncio.wait_for(client[0].readline(), 5) == b"two\n"


async def test_dropped_the_client_sees_the_end(client: Client, proxy: Proxy) -> None:
    await say(client, b"one\n")
    proxy.drop()
    assert await asyncio.wait_for(client[0].read(), 5) == b""


async def test_reset_the_client_sees_an_error(client: Client, proxy: Proxy) -> None:
    await say(client, b"one\n")
    proxy.reset()
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(client[0].read(), 5)


async def test_throttled_replies_come_slowly(client: Client, proxy: Proxy) -> None:
    proxy.throttle(10_000)
    started = time.monotonic()
    assert len(await say(client, b"x" * 2999 + b"\n")) == 3000
    assert time.monotonic() - started > 0.2


async def test_replies_are_held_back_until_enough_have_gathered(client: Client, proxy: Proxy) -> None:
    proxy.buffer_until(12)
    client[1].write(b"one..\n")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(client[0].readline(), 0.1)
    assert await say(client, b"two..\n") == b"one..\n"
    assert await asyncio.wait_for(client[0].readline(), 5) == b"two..\n"


async def test_a_reply_is_lost_though_the_request_arrived(client: Client, proxy: Proxy, echo: Echo) -> None:
    proxy.lose_next_reply()
    assert await say(client, b"GET /\n") == b"GET /\n"
    assert await say(client, b"POST /\n") == b""
    await asyncio.wait_for(proxy.reply_lost(), 5)
    assert echo.lines == [b"GET /\n", b"POST /\n"]


async def test_new_connections_can_be_refused(client: Client, proxy: Proxy) -> None:
    proxy.refuses = True
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    assert await asyncio.wait_for(reader.read(), 5) == b""
    writer.close()
    assert await say(client, b"still here\n") == b"still here\n"
