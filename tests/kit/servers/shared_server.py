"""One server for all tests of a module, and its clients.

Lives here: what tests/web and tests/attacks share. A test that ends or damages the server starts its own.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.kit.clients.bare import Header, Reply, exchange
from tests.kit.clients.client import Api
from tests.kit.clients.sse import Event, Viewer, connect, kinds
from tests.kit.machine.processes import no_processes_left
from tests.kit.servers.config import MARK, scripted_agents, write_config
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.web.app import create_api

KEY = "X-VoxPilot-Key"
ON = "opened"
"""A file that scripted agents may wait for: `wait_file(ON)` continues after `shared_server.go_on(chat)`."""


@dataclass(frozen=True, slots=True)
class SharedServer:
    server: ServerProcess
    api: Api
    folder: Path

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def bearer(self) -> Header:
        return ("Authorization", f"Bearer {self.server.token}")

    async def new_chat(self, **more: Any) -> str:
        workspace = self.folder / f"work-{uuid.uuid4().hex[:8]}"
        workspace.mkdir()
        made = await self.api.create_chat(workspace, **more)
        return str(made["id"])

    async def go_on(self, chat: str) -> None:
        """Let an agent that waits for the file `ON` continue."""
        workspace = (await self.api.chat(chat))["workspace"]
        (Path(workspace) / ON).touch()

    async def sign_in(self, address: str = "127.0.0.1", name: str = "A test") -> Browser:
        """A browser that signed in with a new link, from that address."""
        code = (await self.api.call("POST", "/api/links"))["code"]
        browser = self.browser(address)
        reply = await browser.login(code, name)
        assert reply.status_code == 200, reply.text
        return browser

    def browser(self, address: str = "127.0.0.1") -> Browser:
        # No certificates are needed here, and loading them takes longer than most tests.
        transport = httpx2.AsyncHTTPTransport(local_address=address, verify=False)
        return Browser(httpx2.AsyncClient(base_url=self.server.url, transport=transport), self.origin)

    async def ask(
        self,
        request: str,
        *headers: Header,
        body: bytes = b"",
        host: str | None = None,
        address: str = "127.0.0.1",
    ) -> Reply:
        """`ask("GET /api/me", ("X", "y"))`: a request written by hand, with our Host unless one is given."""
        method, _, target = request.partition(" ")
        given: list[Header] = [("Host", self.host if host is None else host), *headers]
        if body:
            given.append(("Content-Length", str(len(body))))
        return await exchange(self.server.port, method, target, given, body, address)

    def sql(self, statement: str, *values: Any) -> list[Any]:
        """Read the database, or change it without the server."""
        with closing(sqlite3.connect(self.server.database, timeout=10)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    async def seen_all(self, chat: str, *viewers: Viewer, within: float = 30.0) -> None:
        """Wait until the chat is idle and every viewer has the last event of its log."""
        await until(lambda: self._is_at_rest(chat), within, "the chat did not come to rest")
        await until(
            lambda: all(viewer.last_seq == self._last(chat) for viewer in viewers),
            within,
            lambda: (
                f"{[viewer.last_seq for viewer in viewers]} of {self._last(chat)}: "
                f"{[kinds(viewer.events)[-3:] for viewer in viewers]}"
            ),
        )

    async def read_past(self, chat: str, **where: Any) -> list[Event]:
        """The events of a stream up to `ready`; `after`, `tail` or `last_event_id` say where to start."""
        path = f"/api/chats/{chat}/stream"
        async with connect(self.server.url, path, self.server.token, **where) as stream:
            return await stream.read_until("ready", within=30)

    async def talk(self, chat: str, prompt: str) -> None:
        """Send a message and wait for everything it leads to."""
        async with Viewer(self.server.url, self.server.token, chat) as viewer:
            await self.api.prompt(chat, prompt)
            await self.seen_all(chat, viewer)

    async def _is_at_rest(self, chat: str) -> bool:
        status = (await self.api.chat(chat))["status"]
        return status not in ("working", "needs-you")

    def _last(self, chat: str) -> int:
        return int(self.sql("SELECT max(seq) FROM events WHERE chat_id = ?", chat)[0][0])


@dataclass(frozen=True, slots=True)
class Browser:
    """A client with a cookie jar that sends its origin and key, like our page does."""

    http: httpx2.AsyncClient
    origin: str

    @property
    def cookie(self) -> str:
        return str(self.http.cookies["voxpilot"])

    @property
    def secrets(self) -> tuple[Header, Header]:
        """The headers that its page sends."""
        return ("Cookie", f"voxpilot={self.cookie}"), (KEY, self.http.headers[KEY])

    @property
    def headers(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.secrets}

    async def login(self, code: str, name: str = "A test") -> httpx2.Response:
        reply = await self.post("/api/login", {"code": code, "device": name})
        if reply.status_code == 200:
            self.http.headers[KEY] = reply.json()["key"]
        return reply

    async def get(self, path: str) -> httpx2.Response:
        return await self.http.get(path, headers={"Sec-Fetch-Site": "same-origin"})

    async def post(self, path: str, body: Any = None, method: str = "POST") -> httpx2.Response:
        headers = {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        return await self.http.request(method, path, json=body, headers=headers)

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.http.aclose()


@asynccontextmanager
async def open_shared_server(folder: Path) -> AsyncIterator[SharedServer]:
    """A server with the scripted agents; no process of it may be left when the block ends."""
    mark = f"mark-{uuid.uuid4().hex}"
    place = folder / mark
    place.mkdir()
    config = write_config(place / "config.toml", scripted_agents(place))
    async with ServerProcess(place / "data", config, env={MARK: mark}) as server:
        async with Api(server.url, server.token) as api:
            yield SharedServer(server, api, place)
    await no_processes_left(mark)


def routes() -> list[tuple[str, str]]:
    """Every method and path of the application, with parameters as `{name}`."""

    found: list[Any] = create_api().routes
    return sorted({(method, route.path) for route in found for method in route.methods})
