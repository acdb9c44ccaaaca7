"""Fixtures of the browser tests: one Chromium for all of them, and people who use it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Browser, StorageState, async_playwright

from scripts.ensure_programs import find_browser
from tests.browser.link import Link
from tests.browser.person import Person
from tests.kit.clients.client import Api
from tests.kit.servers.server import ServerProcess
from voxpilot.web.routes.pages import STATIC

Meet = Callable[..., Awaitable[Person]]


@pytest.fixture(scope="package")
def anyio_backend() -> str:
    """One event loop for all of them, since the browser lives in it. It ends before other tests begin: they
    may need another kind of loop."""
    return "asyncio"


@pytest.fixture(scope="package")
async def browser(anyio_backend: str) -> AsyncIterator[Browser]:
    program = find_browser()
    assert program, "there is no Chromium: run scripts/ensure_programs.py"
    assert (STATIC / "index.html").is_file(), "the page is not built: run `make install`"
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=program,
            # As root, and in containers with a small /dev/shm.
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        yield chromium
        await chromium.close()


@pytest.fixture
async def api(server: ServerProcess) -> AsyncIterator[Api]:
    """A confirmed device for the test: while people are signed in, the token may not loosen security."""
    async with Api(server.url, server.token) as client:
        await client.sign_in((await client.call("POST", "/api/links"))["code"])
        yield client


@pytest.fixture
async def link(server: ServerProcess) -> AsyncIterator[Link]:
    """The network between the people and the server."""
    async with Link(server.port) as link:
        yield link


@pytest.fixture
def motion() -> str:
    """What the people of a test want to see moving: drawing what moves costs more than what is tested."""
    return "reduce"


@pytest.fixture
async def meet(browser: Browser, api: Api, link: Link, motion: str) -> AsyncIterator[Meet]:
    """`await meet("phone")` is a person with their own browser; its console must stay free of errors."""
    async with AsyncExitStack() as people:

        async def arrive(name: str = "laptop", signed_in: bool = True, **how: Any) -> Person:
            if signed_in:
                code = (await api.call("POST", "/api/links"))["code"]
                how["storage_state"] = await signed_in_state(link.url, code)
            context = await browser.new_context(**{"reduced_motion": motion, **how})
            people.push_async_callback(context.close)
            person = Person(name, context, link.url)
            await person.begin()
            people.push_async_callback(person.check)
            return person

        yield arrive


async def signed_in_state(url: str, code: str) -> StorageState:
    """The cookie and the key of a sign-in, as the page keeps them, without opening a page to get them."""
    async with Api(url, None) as device:
        await device.sign_in(code, "Chrome on Linux")
        cookie = device.http.cookies["voxpilot"]
        key = device.http.headers["X-VoxPilot-Key"]
    kept = {
        "name": "voxpilot", "value": cookie, "domain": "127.0.0.1", "path": "/", "expires": -1,
        "httpOnly": True, "secure": False, "sameSite": "Strict",
    }  # fmt: skip
    origin = {"origin": url, "localStorage": [{"name": "voxpilot.key", "value": key}]}
    return cast(StorageState, {"cookies": [kept], "origins": [origin]})


@pytest.fixture
async def chat(api: Api, workspace: Path) -> str:
    """The id of a new chat with the scripted agent."""
    made = await api.create_chat(workspace)
    return str(made["id"])
