"""One server for all tests of a module, and those who come to it.

Lives here: what tests/web and tests/attacks share. A test that ends the server, or spoils it, starts its own.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.kit.client import Api
from tests.kit.config import MARK, scripted_agents, write_config
from tests.kit.processes import no_processes_left
from tests.kit.server import ServerProcess
from tests.kit.sse import Event, Viewer, connect, kinds
from tests.kit.waiting import until
from tests.web.bare import Header, Reply, exchange
from voxpilot.web.app import create_api

ON = "opened"
"""A file scripted agents may wait for: `wait_file(ON)` goes on after `house.go_on(chat)`."""


@dataclass(frozen=True, slots=True)
class House:
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
        """Let an agent that waits for the file `ON` go on."""
        workspace = (await self.api.chat(chat))["workspace"]
        (Path(workspace) / ON).touch()

    async def sign_in(self, address: str = "127.0.0.1", name: str = "A test") -> Browser:
        """A browser that has spent a fresh link, coming from that address."""
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
        """`ask("GET /api/me", ("X", "y"))`: a request written by hand; Host is ours unless `host` says."""
        method, _, target = request.partition(" ")
        given: list[Header] = [("Host", self.host if host is None else host), *headers]
        if body:
            given.append(("Content-Length", str(len(body))))
        return await exchange(self.server.port, method, target, given, body, address)

    def sql(self, statement: str, *values: Any) -> list[Any]:
        """Look into the database, or change it behind the server's back."""
        with closing(sqlite3.connect(self.server.database, timeout=10)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    async def seen_all(self, chat: str, *viewers: Viewer, within: float = 30.0) -> None:
        """Wait until the chat is at rest and every viewer has the last event of its log."""
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
        """What a stream carries up to `ready`; `after`, `tail` or `last_event_id` say where to begin."""
        path = f"/api/chats/{chat}/stream"
        async with connect(self.server.url, path, self.server.token, **where) as stream:
            return await stream.read_until("ready", within=30)

    async def talk(self, chat: str, prompt: str) -> None:
        """Send a message and wait for all that comes of it."""
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
    """A client with a cookie jar that says where it comes from, as a page of ours does."""

    http: httpx2.AsyncClient
    origin: str

    @property
    def cookie(self) -> str:
        return str(self.http.cookies["voxpilot"])

    @property
    def cookie_header(self) -> tuple[str, str]:
        return ("Cookie", f"voxpilot={self.cookie}")

    async def login(self, code: str, name: str = "A test") -> httpx2.Response:
        return await self.post("/api/login", {"code": code, "device": name})

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
async def open_house(folder: Path) -> AsyncIterator[House]:
    """A server with the scripted agents; nothing it caused may be left when the block ends."""
    mark = f"mark-{uuid.uuid4().hex}"
    place = folder / mark
    place.mkdir()
    config = write_config(place / "config.toml", scripted_agents(place))
    async with ServerProcess(place / "data", config, env={MARK: mark}) as server:
        async with Api(server.url, server.token) as api:
            yield House(server, api, place)
    await no_processes_left(mark)


def routes() -> list[tuple[str, str]]:
    """Every method and path the application knows, with parameters as `{name}`."""

    def walk(found: Any) -> Iterator[tuple[str, str]]:
        for route in found:
            if (inner := getattr(route, "original_router", None)) is not None:
                yield from walk(inner.routes)
            else:
                yield from ((method, route.path) for method in route.methods)

    return sorted(set(walk(create_api().routes)))
