"""Fixtures of the browser tests: one Chromium for all of them, and people who use it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, async_playwright

from scripts.ensure_browser import find_browser
from tests.browser.link import Link
from tests.browser.person import Person
from tests.kit.client import Api
from tests.kit.server import ServerProcess
from voxpilot.web.pages import STATIC

Meet = Callable[..., Awaitable[Person]]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """One event loop for the whole session, since the browser lives in it."""
    return "asyncio"


@pytest.fixture(scope="session")
async def browser(anyio_backend: str) -> AsyncIterator[Browser]:
    program = find_browser()
    assert program, "there is no Chromium: run scripts/ensure_browser.py"
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
async def link(server: ServerProcess) -> AsyncIterator[Link]:
    """The network between the people and the server."""
    async with Link(server.port) as link:
        yield link


@pytest.fixture
async def meet(browser: Browser, api: Api, link: Link) -> AsyncIterator[Meet]:
    """`await meet("phone")` is somebody with a browser of their own; it must not complain."""
    async with AsyncExitStack() as people:

        async def arrive(name: str = "laptop", signed_in: bool = True, **how: Any) -> Person:
            context = await browser.new_context(**how)
            people.push_async_callback(context.close)
            person = Person(name, context, link.url)
            await person.begin()
            people.push_async_callback(person.check)
            if signed_in:
                code = (await api.call("POST", "/api/links"))["code"]
                await person.sign_in(code)
            return person

        yield arrive


@pytest.fixture
async def chat(api: Api, workspace: Path) -> str:
    """The id of a new chat with the scripted agent."""
    made = await api.create_chat(workspace)
    return str(made["id"])
