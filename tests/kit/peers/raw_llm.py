"""A model that replies with given bytes, for replies that no correct model sends.

Lives here: serving one reply after another, and OpenAI's streaming format written by hand. Lives elsewhere: a
model that follows the rules (tests/fakes/llm).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

END = "data: [DONE]\n\n"


@dataclass
class RawLlm:
    url: str
    replies: list[bytes] = field(default_factory=list)
    """The next replies; the last one is repeated."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """The bodies of all requests."""
    open: int = 0
    """Connections that the other side still uses."""

    def will(self, *replies: bytes) -> None:
        self.replies = list(replies)

    def settings(self) -> dict[str, Any]:
        table = {"provider": "compatible", "base_url": f"{self.url}/v1", "model": "m", "api_key": "k"}
        return {"assistant": table}


@asynccontextmanager
async def raw_llm() -> AsyncIterator[RawLlm]:
    model = RawLlm("")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next(int(line[15:]) for line in head.splitlines() if line.startswith("content-length:"))
        model.asked.append(json.loads(await reader.readexactly(length)))
        reply = model.replies.pop(0) if len(model.replies) > 1 else model.replies[0]
        writer.write(reply)
        await writer.drain()
        if reply.endswith(HELD):
            model.open += 1
            await reader.read()
            model.open -= 1
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        model.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield model


HELD = b": held\n\n"
"""At its end the connection stays open until the other side closes it."""


def answer(status: str, body: str, *headers: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"content-length: {len(body.encode())}", "connection: close", *headers]
    return ("\r\n".join([*head, "content-type: application/json"]) + f"\r\n\r\n{body}").encode()


def stream(*chunks: Any, end: str = END) -> bytes:
    """A reply made of these chunks; text is inserted unchanged."""
    written = [c if isinstance(c, str) else f"data: {json.dumps(c)}\n\n" for c in chunks]
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    return (head + "".join(written) + end).encode()


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def called(name: str | None, arguments: str | None, id: str | None = "c1", index: int = 0) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return chunk(tool_calls=[{"index": index, "id": id, "type": "function", "function": function}])


def says(text: str) -> bytes:
    return stream(chunk(role="assistant", content=text), chunk("stop"))
