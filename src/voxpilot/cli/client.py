"""The server's HTTP interface, as the command line uses it.

Lives here: asking with the owner's token, following a chat, and waiting for a
server that is away. Lives elsewhere: finding or starting a server
(server.py), what is done with the answers (run.py, tell.py).
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx2
import orjson

from voxpilot.chat.events import Json
from voxpilot.errors import VoxPilotError

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 2.0
SILENCE_SECONDS = 30.0
"""A stream is pinged every 10 s; one that says nothing for this long is dead."""
Locate = Callable[[], str | None]


class Refused(VoxPilotError):
    """The server's answer was no."""

    def __init__(self, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.status = status
        self.code = code


class ServerAway(VoxPilotError):
    """There is no server to talk to, and waiting did not help."""

    code = "server-away"

    def __init__(self, waited_seconds: float) -> None:
        how_long = f" and did not come back within {waited_seconds:.0f} s" if waited_seconds else ""
        super().__init__(
            f"The server is away{how_long}.",
            "Start it with `voxpilot serve`; agents work on without it, and the chat shows what they did.",
        )


class _Away(Exception):
    """Nobody to talk to just now."""


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
        # No proxy stands between us, and a server here speaks plain HTTP: there are no certificates to load.
        self._http = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {token}"}, trust_env=False, verify=False
        )

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def call(self, method: str, path: str, body: Json | None = None, **query: str) -> Any:
        """The answer's JSON. Asks again while the server is away, so a body that acts must hold a key."""
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
        """Every stored event after a number, once each, however often the server goes and comes back."""
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
    """A key no other request has: asked twice with it, the server acts once."""
    return uuid.uuid4().hex


async def answers(base: str) -> bool:
    """Whether a server is up at this address."""
    async with httpx2.AsyncClient(trust_env=False, verify=False) as http:
        try:
            return (await http.get(f"{base}/api/health", timeout=2)).is_success
        except httpx2.TransportError:
            return False


async def events_in(pieces: AsyncIterator[bytes]) -> AsyncGenerator[ChatEvent, None]:
    """Reads the event-stream format, however its bytes are split. What is cut off at the end is left out."""
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
    """Pauses that grow, and an end to them."""

    def __init__(self, limit_seconds: float) -> None:
        self._limit_seconds = limit_seconds
        self.renew()

    def renew(self) -> None:
        """The server is there: the next pause is a short one again."""
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
        return Refused(status, "refused", f"The server answered with status {status}.", "See its log.")
