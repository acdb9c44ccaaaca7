"""Plain HTTP: a request byte for byte, and the reply.

Lives here: requests and replies that no client library would send or show.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import anyio

Header = tuple[str, str | bytes]


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply, byte for byte."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def all(self, name: str) -> list[str]:
        return [value for given, value in self.headers if given == name.lower()]

    def one(self, name: str) -> str:
        values = self.all(name)
        assert len(values) == 1, f"{name}: {values}"
        return values[0]

    def json(self) -> Any:
        return json.loads(self.body)


async def exchange(
    port: int,
    method: str,
    target: str,
    headers: Sequence[Header],
    body: bytes = b"",
    address: str = "127.0.0.1",
) -> Reply:
    """One request, unchanged, and its reply; for an endless stream only the head."""
    lines = [f"{method} {target} HTTP/1.1".encode()]
    for name, value in headers:
        lines.append(name.encode() + b": " + (value if isinstance(value, bytes) else value.encode()))
    return await exchange_bytes(port, b"\r\n".join(lines) + b"\r\n\r\n" + body, address)


async def exchange_bytes(port: int, request: bytes, address: str = "127.0.0.1") -> Reply:
    """The same for bytes that need not be HTTP, sent from that address of this machine."""
    with anyio.fail_after(20):
        async with await anyio.connect_tcp("127.0.0.1", port, local_host=address) as stream:
            async with anyio.create_task_group() as tasks:
                # Sent while reading: a server may reply, and stop reading, before everything is sent.
                tasks.start_soon(_send, stream, request)
                reply = await _read_reply(stream, is_head=request.startswith(b"HEAD "))
                tasks.cancel_scope.cancel()
    return reply


async def _send(stream: anyio.abc.ByteSendStream, data: bytes) -> None:
    with suppress(anyio.BrokenResourceError, OSError):
        await stream.send(data)


async def _read_reply(stream: anyio.abc.ByteReceiveStream, is_head: bool) -> Reply:
    data = b""
    while b"\r\n\r\n" not in data:
        data += await stream.receive()
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = tuple((name.lower(), value) for name, _, value in (line.partition(": ") for line in lines))
    reply = Reply(int(first.split(" ")[1]), headers, body)
    length = (
        0 if is_head or reply.all("transfer-encoding") else int((reply.all("content-length") or ["0"])[0])
    )
    while len(body) < length:
        body += await stream.receive()
    return Reply(reply.status, headers, body)


def is_error(reply: Reply, *statuses: int) -> bool:
    """Whether it is one of these errors, in the usual format."""
    if reply.status not in statuses or reply.all("content-type") != ["application/json"]:
        return False
    error = reply.json()
    inner = error.get("error", {})
    return list(error) == ["error"] and {"code", "message", "hint"} == set(inner) and bool(inner["message"])
