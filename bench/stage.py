"""The real server with the benchmarks' agent, and clients in another process.

Lives here: the block in which both run. Lives elsewhere: the server process itself
(tests/kit/servers/server.py), the clients (watcher.py), the bare relay (relay.py).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from tests.kit.clients.client import Api
from tests.kit.machine.processes import marked
from tests.kit.servers.config import MARK, write_config
from tests.kit.servers.server import ServerProcess

ROOT = Path(__file__).resolve().parents[1]
AGENT = Path(__file__).with_name("agent.py")
PROGRAM = (str(Path(sys.executable).with_name("voxpilot")), "serve")
"""The real program. The fork server of the tests would hide the start-up time and add memory."""
WAIT_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The job of a watcher."""

    port: int
    token: str = ""
    paths: Sequence[str]
    look: str
    readies: int = 1
    """How often each stream reports that it has caught up: once for each chat on it."""
    ends: int = 1
    """How many turns end before the watcher is done; 0: it is done when caught up."""


@dataclass(frozen=True, slots=True)
class Stage:
    server: ServerProcess
    api: Api
    workspace: Path

    def keepers(self) -> list[int]:
        """The processes that keep its agents."""
        kept_in = f"{self.server.data_dir}/keepers/"
        return [found.pid for found in marked(kept_in) if kept_in in found.command]

    async def new_chat(self) -> str:
        return str((await self.api.create_chat(self.workspace, agent="bench"))["id"])

    async def warm_chat(self) -> str:
        """A chat that has had a turn, so that its agent is running."""
        chat = await self.new_chat()
        async with self.watching([stream_of(chat)], look="stamps") as watch:
            await self.api.prompt(chat, "tick warm 20 2")
            await watch.views()
        return chat

    def watching(
        self, paths: Sequence[str], look: str, readies: int = 1, ends: int = 1
    ) -> AbstractAsyncContextManager[Watch]:
        """Clients within the block, where they have caught up."""
        job = Job(
            port=self.server.port,
            token=self.server.token,
            paths=paths,
            look=look,
            readies=readies,
            ends=ends,
        )
        return watching(job)


class Watch:
    def __init__(self, process: Process, said: BufferedByteReceiveStream) -> None:
        self._process = process
        self._said = said

    async def ready(self) -> None:
        with anyio.fail_after(WAIT_SECONDS):
            await self._said.receive_until(b"\n", 100)

    async def views(self) -> list[dict[str, Any]]:
        """The results of each client, once all have reached the end."""
        parts: list[bytes] = []
        with anyio.fail_after(WAIT_SECONDS):
            try:
                while True:
                    parts.append(await self._said.receive(1 << 20))
            except anyio.EndOfStream:
                await self._process.wait()
        views: list[dict[str, Any]] = json.loads(b"".join(parts))
        return views


@asynccontextmanager
async def staged(
    folder: Path, lines: Path, data_dir: Path | None = None, settings: Mapping[str, Any] | None = None
) -> AsyncIterator[Stage]:
    """A server with one agent, `bench`, until the block ends."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    async with server_in(folder, lines, data_dir, settings) as server:
        async with Api(server.url, server.token, timeout=60) as api:
            yield Stage(server, api, workspace)


def server_in(
    folder: Path, lines: Path, data_dir: Path | None = None, settings: Mapping[str, Any] | None = None
) -> ServerProcess:
    """A server that is not started yet."""
    args = ["-I", "-S", str(AGENT), str(lines)]
    agent = {"command": sys.executable, "args": args, "pass_env": [MARK]}
    config = write_config(
        folder / "config.toml", {"bench": agent}, {"log_level": "warning", **(settings or {})}
    )
    # Modules are compiled once, as they are for a person who installs them.
    return ServerProcess(
        data_dir or folder / "data", config, env={"PYTHONDONTWRITEBYTECODE": ""}, command=PROGRAM
    )


def stream_of(chat: str, query: str = "after=0") -> str:
    return f"/api/chats/{chat}/stream?{query}"


@asynccontextmanager
async def watching(job: Job) -> AsyncIterator[Watch]:
    async with _program("bench.watcher") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        await process.stdin.send(json.dumps(asdict(job)).encode() + b"\n")
        watch = Watch(process, BufferedByteReceiveStream(process.stdout))
        await watch.ready()
        yield watch


@asynccontextmanager
async def relaying(lines: Path, clients: int, orders: Sequence[str]) -> AsyncIterator[int]:
    """A bare relay; returns its port."""
    async with _program("bench.relay", str(lines), str(clients), *orders) as process:
        assert process.stdout is not None
        yield int(await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 100))


async def run_program(module: str, *args: str) -> Any:
    """The output of one of our programs, as JSON."""
    async with _program(module, *args) as process:
        assert process.stdout is not None
        return json.loads(b"".join([part async for part in process.stdout]))


@asynccontextmanager
async def _program(module: str, *args: str) -> AsyncIterator[Process]:
    command = [sys.executable, "-m", module, *args]
    async with await anyio.open_process(command, stderr=None, cwd=ROOT, env=dict(os.environ)) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
