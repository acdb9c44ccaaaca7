"""Addresses of servers that listen on no socket, and how clients reach them.

Lives here: calling an application directly, for one answer (`Transport`) or for a stream (`open_stream`).
Lives elsewhere: the applications (server.py), the clients (tests/kit/clients).
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
from anyio.abc import ByteStream

App = Callable[..., Awaitable[None]]
CLIENT = ("127.0.0.1", 50_000)
_ports = itertools.count(1)
_apps: dict[str, App | None] = {}


def new_address() -> str:
    """The address of a server that is down; servers with sockets never use such a low port."""
    url = f"http://127.0.0.1:{next(_ports) % 1000 + 1}"
    _apps[url] = None
    return url


def is_in_memory(url: str) -> bool:
    return url in _apps


def up(url: str, app: App) -> None:
    """From now on this application answers."""
    _apps[url] = app


def down(url: str) -> None:
    """From now on nobody answers."""
    _apps[url] = None


def forget(url: str) -> None:
    _apps.pop(url, None)


class Transport(httpx2.AsyncBaseTransport):
    """Requests to whatever answers at an address at that moment."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if (app := _apps[self._url]) is None:
            raise httpx2.ConnectError("Nobody answers: the server is down.")
        return await httpx2.ASGITransport(app, client=CLIENT).handle_async_request(request)


@asynccontextmanager
async def open_stream(url: str, target: str, headers: Mapping[str, str]) -> AsyncIterator[Answer]:
    """Ask for something that has no end; leaving the block hangs up."""
    if (app := _apps[url]) is None:
        raise ConnectionRefusedError("Nobody answers: the server is down.")
    answer = Answer()
    task = asyncio.create_task(_answer(app, _scope(url, target, headers), answer))
    try:
        yield answer
    finally:
        await answer.aclose()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Answer(ByteStream):
    """What a server sends, as bytes that arrive: the head, then the body."""

    def __init__(self) -> None:
        self._bytes = b""
        self._news = anyio.Event()
        self._is_over = False
        self.is_closed = anyio.Event()

    async def take(self, message: Mapping[str, Any]) -> None:
        """What the application sends."""
        if message["type"] == "http.response.start":
            lines = [f"{name.decode()}: {value.decode()}" for name, value in message["headers"]]
            self._add("\r\n".join([f"HTTP/1.1 {message['status']} ", *lines, "", ""]).encode())
        else:
            self._add(message.get("body", b""))
            if not message.get("more_body", False):
                self.end()

    def end(self) -> None:
        self._is_over = True
        self._add(b"")

    async def receive(self, max_bytes: int = 65536) -> bytes:
        while not self._bytes:
            if self.is_closed.is_set():
                raise anyio.ClosedResourceError
            if self._is_over:
                raise anyio.EndOfStream
            await self._news.wait()
        data, self._bytes = self._bytes[:max_bytes], self._bytes[max_bytes:]
        return data

    async def send(self, item: bytes) -> None:
        raise NotImplementedError

    async def send_eof(self) -> None:
        raise NotImplementedError

    async def aclose(self) -> None:
        self.is_closed.set()
        self._add(b"")

    def _add(self, data: bytes) -> None:
        self._bytes += data
        self._news.set()
        self._news = anyio.Event()


async def _answer(app: App, scope: dict[str, Any], answer: Answer) -> None:
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await answer.is_closed.wait()
        return {"type": "http.disconnect"}

    await app(scope, receive, answer.take)
    answer.end()


def _scope(url: str, target: str, headers: Mapping[str, str]) -> dict[str, Any]:
    where, asked = urlsplit(url), urlsplit(target)
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "scheme": "http",
        "path": asked.path,
        "raw_path": asked.path.encode(),
        "query_string": asked.query.encode(),
        "server": (where.hostname, where.port),
        "client": CLIENT,
        "root_path": "",
    }
