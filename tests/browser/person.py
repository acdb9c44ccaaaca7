"""People who use the page.

Lives here: what a person sees and does, found by data-testid, and errors in the browser's console, which fail
a test. Lives elsewhere: the stories (test_*.py).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import BrowserContext, ConsoleMessage, Locator, Page, expect

from tests.kit.waiting import until

SECONDS = 30.0
"""How long to wait for anything, because machines may be busy."""

_LISTEN = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`POLICY ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
"""


class Person:
    """A browser with its own cookies and storage, and its tabs."""

    def __init__(self, name: str, context: BrowserContext, url: str) -> None:
        self.name = name
        self.context = context
        self.url = url
        self.complaints: list[str] = []
        self.expected: list[str] = []
        """Patterns of expected errors, such as a broken connection."""
        context.set_default_timeout(SECONDS * 1000)
        expect.set_options(timeout=SECONDS * 1000)

    async def begin(self) -> None:
        await self.context.add_init_script(_LISTEN)
        self.context.on("console", self._hear)
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))

    async def sign_in(self, code: str) -> Tab:
        tab = await self.open(f"/#code={code}")
        await until(self._has_cookie, SECONDS)
        await expect(tab.page.get_by_role("textbox", name="Link or code")).to_have_count(0)
        return tab

    async def _has_cookie(self) -> bool:
        return any(cookie.get("name") == "voxpilot" for cookie in await self.context.cookies())

    async def open(self, path: str) -> Tab:
        page = await self.context.new_page()
        await page.goto(self.url + path)
        return Tab(page)

    async def open_chat(self, chat: str) -> Tab:
        tab = await self.open(f"/chat/{chat}")
        await tab.is_live()
        await tab.composer.wait_for()
        return tab

    def expect_trouble(self, *patterns: str) -> None:
        """Expect these errors; without patterns, those of a server that cannot be reached."""
        self.expected += patterns or (r"net::ERR_", r"status of 50\d")

    async def check(self) -> None:
        found = [
            complaint
            for complaint in self.complaints
            if not any(re.search(pattern, complaint) for pattern in self.expected)
        ]
        assert not found, f"the browser of {self.name} complained: {found}"

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")


class Tab:
    """One page, by what a person sees of it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def find(self, testid: str) -> Locator:
        return self.page.get_by_test_id(testid)

    @property
    def connection(self) -> Locator:
        return self.find("connection-state")

    @property
    def texts(self) -> Locator:
        return self.find("block-text")

    @property
    def composer(self) -> Locator:
        return self.find("composer-input")

    async def is_live(self) -> None:
        await expect(self.connection).to_have_attribute("data-state", "live")

    async def said(self) -> str:
        """All text of the agent, normalised by `plain`."""
        return plain("".join(await self.texts.all_text_contents()))

    async def says(self, expected: str, within: float = 30.0) -> None:
        """Wait until the agent has said exactly this."""
        try:
            await self.page.wait_for_function(_SAYS, arg=plain(expected), timeout=within * 1000)
        except Exception:
            assert await self.said() == plain(expected)
            raise

    async def has_begun(self, characters: int = 1) -> None:
        """Wait until the agent has said at least this much."""
        await self.page.wait_for_function(_LENGTH, arg=characters)

    async def turns_end(self, count: int = 1, within: float = 30.0) -> None:
        await expect(self.find("turn-footer")).to_have_count(count, timeout=within * 1000)

    async def type(self, text: str) -> None:
        await self.composer.fill(text)

    async def send(self, text: str) -> None:
        await self.type(text)
        await self.find("composer-send").click()

    async def answer(self, label: str) -> None:
        """Scroll through the question, and press a button once it accepts clicks."""
        await self.read_question()
        await self.find("question-option").filter(has_text=re.compile(f"^{label}")).first.click()

    async def read_question(self) -> None:
        """Scroll through the question: nothing can be allowed before its end was in view."""
        await self.page.locator("[data-testid=block-question][data-armed=true]").first.wait_for()
        for more in (
            await self.page.locator(".question-body").get_by_role("button", name="Show everything").all()
        ):
            await more.click()
        for body in await self.page.locator(".question-body").all():
            await body.evaluate(_READ)

    @asynccontextmanager
    async def asleep(self) -> AsyncIterator[None]:
        """Pause the page's script, as in a frozen tab, and then tell it that it woke up.

        Chromium under automation treats every page as visible and never freezes one, so the debugger pauses
        it.
        """
        debugger = await self.page.context.new_cdp_session(self.page)
        paused = asyncio.Event()
        debugger.on("Debugger.paused", lambda _: paused.set())
        await debugger.send("Debugger.enable")
        await self.evaluate("setTimeout(() => {}, 50)")  # a pause begins with the next script that runs
        await debugger.send("Debugger.pause")
        await asyncio.wait_for(paused.wait(), SECONDS)
        yield
        await debugger.send("Debugger.resume")
        await debugger.send("Debugger.disable")
        await self.evaluate("document.dispatchEvent(new Event('resume'))")

    async def evaluate(self, script: str, argument: Any = None) -> Any:
        return await self.page.evaluate(script, argument)


def plain(text: str) -> str:
    """Text without what markdown changes: white space and angle brackets."""
    return re.sub(r"[\s<>]", "", text)


_JOINED = """[...document.querySelectorAll('[data-testid="block-text"]')]
  .map((block) => block.textContent).join("").replace(/[\\s<>]/g, "")"""
_READ = """(body) => {
  for (const part of [...body.querySelectorAll("*"), body])
    if (part.scrollHeight > part.clientHeight) part.scrollTo(0, part.scrollHeight);
}"""
_SAYS = f"(expected) => {_JOINED} === expected"
_LENGTH = f"(count) => {_JOINED}.length >= count"
