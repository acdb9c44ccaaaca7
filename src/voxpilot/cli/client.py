"""The server's HTTP interface, as the command line uses it.

Lives here: requests with the owner's token, following a chat, and waiting for a server that is down. Lives
elsewhere: finding or starting a server (server.py), what is done with the answers (run/command.py, tell.py).
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import httpx2
import orjson

from voxpilot.chat.events import Json
from voxpilot.errors import VoxPilotError
from voxpilot.values import dataclass

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 2.0
SILENCE_SECONDS = 30.0
"""A stream is pinged every 10 s; one that is silent for this long is dead."""
Locate = Callable[[], str | None]


class Refused(VoxPilotError):
    """The server refused the request."""

    def __init__(self, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.status = status
        self.code = code


class ServerAway(VoxPilotError):
    """There is no server to connect to, even after waiting."""

    code = "server-away"

    def __init__(self, waited_seconds: float) -> None:
        how_long = f" and did not come back within {waited_seconds:.0f} s" if waited_seconds else ""
        super().__init__(
            f"The server cannot be reached{how_long}.",
            "Start it with `voxpilot serve`. Agents keep working without "
            "it, and the chat will show their work.",
        )


class _Away(Exception):
    """No server responds right now."""


@dataclass(frozen=True, slots=True)
class ChatEvent:
    """One stored event of a chat, as it was streamed."""

    kind: str
    body: Json

    @property
    def turn(self) -> str | None:
        return self.body.get("turn")


class Client:
    """Use as `async with`. The address is looked up each time: a restarted server may have another."""

    def __init__(self, locate: Locate, token: str, patience_seconds: float = 60.0) -> None:
        self._locate = locate
        self._patience_seconds = patience_seconds
        # There is no proxy in between and the server uses plain HTTP, so no certificates have to be loaded.
        self._http = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {token}"}, trust_env=False, verify=False
        )

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def call(self, method: str, path: str, body: Json | None = None, **query: str) -> Any:
        """The JSON of the response. Retries while the server is down, so a body that changes something needs
        a key."""
        patience = _Patience(self._patience_seconds)
        while True:
            try:
                response = await self._http.request(
                    method, self._url(path), json=body, params=query, timeout=30
                )
            except (httpx2.TransportError, _Away):
                await patience.pause()
                continue
            if response.status_code == httpx2.codes.SERVICE_UNAVAILABLE:
                await patience.pause()
            elif response.is_success:
                return orjson.loads(response.content) if response.content else None
            else:
                raise _refused(response.status_code, response.content)

    async def follow(self, chat: str, after: int) -> AsyncGenerator[ChatEvent, None]:
        """Every stored event after a number, exactly once, no matter how often the server restarts."""
        patience = _Patience(self._patience_seconds)
        while True:
            try:
                async with aclosing(self._stream(chat, after)) as events:
                    async for event in events:
                        patience.renew()
                        seq = event.body.get("seq", 0)
                        if seq > after:
                            after = seq
                            yield event
            except (httpx2.TransportError, _Away):
                pass
            await patience.pause()

    async def _stream(self, chat: str, after: int) -> AsyncGenerator[ChatEvent, None]:
        url = self._url(f"/api/chats/{chat}/stream")
        timeout = httpx2.Timeout(5.0, read=SILENCE_SECONDS)
        async with self._http.stream("GET", url, params={"after": after}, timeout=timeout) as response:
            if response.status_code == httpx2.codes.SERVICE_UNAVAILABLE:
                raise _Away
            if not response.is_success:
                raise _refused(response.status_code, await response.aread())
            async with aclosing(events_in(response.aiter_bytes())) as events:
                async for event in events:
                    yield event

    def _url(self, path: str) -> str:
        base = self._locate()
        if base is None:
            raise _Away
        return base + path


def new_key() -> str:
    """A unique key: if a request is sent twice with it, the server acts once."""
    return uuid.uuid4().hex


async def answers(base: str) -> bool:
    """Whether a server is up at this address."""
    async with httpx2.AsyncClient(trust_env=False, verify=False) as http:
        try:
            return (await http.get(f"{base}/api/health", timeout=2)).is_success
        except httpx2.TransportError:
            return False


async def events_in(pieces: AsyncIterator[bytes]) -> AsyncGenerator[ChatEvent, None]:
    """Parses the event-stream format, however its bytes are split. An incomplete event at the end is
    dropped."""
    waiting, kind, data = b"", "message", b""
    async for piece in pieces:
        *lines, waiting = (waiting + piece).split(b"\n")
        for line in lines:
            name, _, value = line.rstrip(b"\r").partition(b":")
            match name:
                case b"event":
                    kind = value.strip().decode()
                case b"data":
                    data += value
                case b"" if not value and data:
                    yield ChatEvent(kind, orjson.loads(data))
                    kind, data = "message", b""


class _Patience:
    """Growing pauses, up to a time limit."""

    def __init__(self, limit_seconds: float) -> None:
        self._limit_seconds = limit_seconds
        self.renew()

    def renew(self) -> None:
        """The server responded: the next pause is short again."""
        self._pause_seconds = FIRST_PAUSE_SECONDS
        self._since: float | None = None

    async def pause(self) -> None:
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if now + self._pause_seconds > self._since + self._limit_seconds:
            raise ServerAway(self._limit_seconds)
        await asyncio.sleep(self._pause_seconds)
        self._pause_seconds = min(2 * self._pause_seconds, LONGEST_PAUSE_SECONDS)


def _refused(status: int, content: bytes) -> Refused:
    try:
        error = orjson.loads(content)["error"]
        return Refused(status, str(error["code"]), str(error["message"]), str(error["hint"]))
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return Refused(status, "refused", f"The server answered with status {status}.", "See the server log.")
