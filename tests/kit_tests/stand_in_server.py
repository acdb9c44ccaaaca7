"""A stand-in for `voxpilot serve`: just enough HTTP for the kit to be tested without the product.

Tests copy it into a package called `voxpilot`, which comes first on the path. It serves one chat with twenty
stored events whose text contains multi-byte characters.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

EVENTS = 20


async def serve() -> None:
    data_dir = Path(os.environ["VOXPILOT_DATA_DIR"])
    data_dir.mkdir(parents=True, exist_ok=True)
    (data_dir / "token").write_text("a-token\n")
    if os.environ.get("STAND_IN_CHILD"):
        subprocess.Popen(["sleep", "300"])
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stopped.set)
    server = await asyncio.start_server(answer, "127.0.0.1", int(os.environ["VOXPILOT_PORT"]))
    async with server:
        await stopped.wait()
    os._exit(0)


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    target = head.split(" ")[1]
    if target.partition("?")[0] == "/api/health":
        reply(writer, 200, json.dumps({"status": "ok"}))
    elif "Bearer a-token" not in head:
        error = {"code": "signed-out", "message": "Sign in first.", "hint": "Use the link."}
        reply(writer, 401, json.dumps({"error": error}))
    elif "/stream" in target:
        await stream(writer, int(target.partition("after=")[2] or 0))
    else:
        reply(writer, 200, json.dumps({"target": target}))
    await writer.drain()
    writer.close()


def reply(writer: asyncio.StreamWriter, status: int, body: str) -> None:
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n{body}".encode())


async def stream(writer: asyncio.StreamWriter, after: int) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for seq in range(after + 1, EVENTS + 1):
        body = json.dumps({"seq": seq, "content": f"é{seq}"}, ensure_ascii=False)
        await send(writer, f"id: {seq}\nevent: text-delta\ndata: {body}\n\n")
    await send(writer, 'event: ready\ndata: {"chat":"c"}\n\n')
    for _ in range(100):
        await asyncio.sleep(0.05)
        await send(writer, "event: ping\ndata: {}\n\n")


async def send(writer: asyncio.StreamWriter, text: str) -> None:
    data = text.encode()
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


asyncio.run(serve())
