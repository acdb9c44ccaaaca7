"""The first visit: the printed link, the demo, and everything that may happen in the middle of it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.person import Person, Tab
from tests.conftest import StartServer
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.agents.demo.store import Store

LAPTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
PAUSES = 3
"""Slows the demo down, so that tests can act in the middle of it even on a busy machine."""


@pytest.fixture
async def server(start_server: StartServer, place: Path) -> ServerProcess:
    return await start_server(
        env={"VOXPILOT_DEMO_SPEED": str(PAUSES), "VOXPILOT_DEMO_HOME": str(place / "demo")}
    )


@pytest.fixture
def motion() -> str:
    """Three tabs would draw it for as long as the demo takes; here it is what they say that counts."""
    return "reduce"


@pytest.mark.parametrize(("size", "other_size"), [(LAPTOP, PHONE), (PHONE, LAPTOP)], ids=["laptop", "phone"])
async def test_the_demo_survives_reloads_a_second_device_and_a_killed_server(
    meet: Meet, server: ServerProcess, place: Path, size: dict[str, int], other_size: dict[str, int]
) -> None:
    owner = await meet("owner", signed_in=False, viewport=size)
    tab = await sign_in_as_printed(owner, server)
    await tab.page.get_by_role("button", name="Try the demo").click()
    await tab.page.wait_for_url("**/chat/*")
    chat = tab.page.url.rpartition("/")[2]

    for spoken in (10, 50, 90, 130, 170):
        await tab.has_begun(spoken)
        await tab.page.reload()
        await expect(tab.find("turn-footer")).to_have_count(0)
    await tab.has_begun(200)

    other = await meet("other", viewport=other_size)
    tabs = [tab, await owner.open_chat(chat), await other.open_chat(chat)]
    second = tabs[-1]
    for _ in ("the edit", "the test run"):
        await are_asked(tabs)
        await are_alike(tabs)
        await second.answer("Allow once")
    await are_asked(tabs)
    await second.page.get_by_label("Headline").fill("Read percent as percent")
    await second.answer("Send answer")

    for person in (owner, other):
        person.expect_trouble()
    before = len(await words(tab))
    await until(lambda: has_more(tab, before + 20), 30)
    await server.kill()
    for each in tabs:
        await expect(each.find("turn-footer")).to_have_count(0)
        await expect(each.connection).not_to_have_attribute("data-state", "live")
    await server.start()
    for each in tabs:
        await each.is_live()
        await each.turns_end(within=60)

    said = told(place / "demo")
    assert "Readpercentaspercent" in said
    for each in tabs:
        assert await words(each) == said
    await are_alike(tabs)
    await tab.page.reload()
    await tab.turns_end()
    await are_alike(tabs)


async def sign_in_as_printed(person: Person, server: ServerProcess) -> Tab:
    """Open the link that the server prints when it starts."""
    printed = re.search(r"Sign in: (http://\S+#code=\S+)", await server.prints("#code="))
    assert printed
    parts = urlsplit(printed[1])
    person.url = f"{parts.scheme}://{parts.netloc}"
    return await person.sign_in(parts.fragment.removeprefix("code="))


async def are_asked(tabs: list[Tab]) -> None:
    for tab in tabs:
        await tab.page.locator("[data-testid=block-question][data-armed]").first.wait_for()


async def are_alike(tabs: list[Tab]) -> None:
    """The conversation is the same everywhere: text, calls and notices."""
    seen: list[str] = []

    async def same() -> bool:
        seen[:] = [await tab.page.locator(".column").inner_text() for tab in tabs]
        return len(set(seen)) == 1 and len(seen[0]) > 100

    await until(same, 10, lambda: "\n=====\n".join(seen))


async def has_more(tab: Tab, than: int) -> bool:
    return len(await words(tab)) > than


async def words(tab: Tab) -> str:
    """The letters of the agent's text as shown on the page, without its buttons."""
    shown = await tab.evaluate(
        """() => [...document.querySelectorAll('[data-testid="block-text"]')].map((block) => {
          const copy = block.cloneNode(true);
          copy.querySelectorAll("button").forEach((button) => button.remove());
          return copy.textContent;
        }).join("")"""
    )
    return letters(str(shown))


def told(home: Path) -> str:
    """The same according to the agent's own log."""
    [session] = Store(home).all()
    spoken = [
        update["content"]["text"]
        for update in session.history
        if update["sessionUpdate"] == "agent_message_chunk"
    ]
    return letters("".join(spoken).replace("https://", ""))


def letters(markdown: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", markdown)
