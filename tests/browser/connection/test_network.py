"""Bad networks, many tabs and new versions: the page keeps what it has and loses nothing.

F64 flaps, F65 half-open links, F66 sleep, F69 many tabs, F70 proxies that hold back, F71 double clicks,
F75 another version, F76 a device sent away. F72 and F73 are in test_offline.py.
"""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import AsyncExitStack
from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.link import Link
from tests.browser.person import Tab
from tests.fakes.script import chunks, say, script, spoken_by, wait_file
from tests.kit.clients.client import Api
from tests.kit.clients.sse import Viewer, connect
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot import __version__

NO_LONGER_FRESH_SECONDS = 1.5
"""A connection that delivered something within the last second counts as alive; sleep lasts longer."""

SLACK = 5
"""Time limits are multiplied by this factor."""
_WATCH_ROWS = """() => {
  globalThis.seen = { removed: 0, shrank: 0, states: [] };
  const column = document.querySelector(".column");
  const length = () => column.textContent.length;
  let most = length();
  new MutationObserver((changes) => {
    for (const { removedNodes } of changes) {
      for (const node of removedNodes) if (node.classList?.contains("row")) globalThis.seen.removed += 1;
    }
  }).observe(column, { childList: true });
  const look = () => {
    const texts = [...document.querySelectorAll("[data-testid=block-text]")];
    const now = texts.reduce((sum, text) => sum + text.textContent.length, 0);
    if (now < most) globalThis.seen.shrank += 1;
    most = now;
    globalThis.seen.states.push(document.querySelector("[data-testid=connection-state]").dataset.state);
    requestAnimationFrame(look);
  };
  most = 0;
  look();
}"""


async def test_twenty_cuts_in_a_minute_flicker_nothing(meet: Meet, api: Api, chat: str, link: Link) -> None:
    """F64: no row disappears, no text shrinks, the text is exact; a longer cut shows one small line."""
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    before = script(say("Before. "))
    await api.prompt(chat, before)
    await tab.turns_end()
    await tab.evaluate(_WATCH_ROWS)
    prompt = script(chunks(1200, 15))
    await api.prompt(chat, prompt)
    for _ in range(20):
        link.cut()
        await asyncio.sleep(random.uniform(0.0, 0.4))
        link.repair()
        await asyncio.sleep(random.uniform(0.2, 0.8))
    assert "offline" not in (await tab.evaluate("globalThis.seen"))["states"]
    link.cut()
    await expect(tab.connection).to_contain_text("Reconnecting…")
    banner = await tab.connection.bounding_box()
    assert banner is not None
    assert banner["height"] <= 60
    assert await tab.texts.first.is_visible()
    link.repair()
    await tab.says(spoken_by(before) + spoken_by(prompt), within=60)
    await tab.turns_end(2)
    await tab.is_live()
    seen = await tab.evaluate("globalThis.seen")
    assert (seen["removed"], seen["shrank"]) == (0, 0)
    assert "reconnecting" in seen["states"]


async def test_a_link_that_died_without_a_word_is_noticed(
    meet: Meet, api: Api, chat: str, link: Link, place: Path
) -> None:
    """F65: by the real clock, within 25 s of the last event."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    gate = place / "gate"
    prompt = script(say("before "), wait_file(gate), say("after"))
    await api.prompt(chat, prompt)
    await tab.says("before")
    began = time.monotonic()
    link.strand()
    gate.touch()
    await tab.says(spoken_by(prompt), within=45)
    # Between noticing and being connected again: one pause and one request.
    assert time.monotonic() - began <= 25 + 1 * SLACK
    await tab.turns_end()


async def test_a_frozen_page_with_a_dead_link_asks_once_for_what_it_missed(
    meet: Meet, api: Api, chat: str, link: Link, place: Path
) -> None:
    """F66: up to date within 2 s of waking. Old connections may be dead, so the same request is sent over
    several at once; nothing else is requested, except what goes along with the next message, because a turn
    has ended.
    """
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    gate = place / "gate"
    prompt = script(say("before "), wait_file(gate), chunks(200), say(" after"))
    await api.prompt(chat, prompt)
    await tab.says("before")
    async with tab.asleep():
        link.strand()
        gate.touch()
        await asyncio.sleep(NO_LONGER_FRESH_SECONDS)
        await until(lambda: has_ended(api, chat), 20)
        link.asked.clear()
        woken = time.monotonic()
    await tab.says(spoken_by(prompt), within=2 * SLACK)
    assert time.monotonic() - woken <= 2 * SLACK
    streams = [line for line in link.asked if "/api/stream" in line]
    others = [line for line in link.asked if "/api/" in line and "/api/stream" not in line]
    # All request the same events, from the page's position; the first response is used.
    assert len(set(streams)) == 1, streams
    assert [line for line in others if f"GET /api/chats/{chat}/context" not in line] == []


async def test_twelve_tabs_and_a_hundred_readers_all_see_everything(
    meet: Meet, api: Api, chat: str, server: ServerProcess
) -> None:
    """F69: twelve tabs share one connection, so the server still answers each of them."""
    person = await meet("laptop")
    tabs = await asyncio.gather(*(person.open_chat(chat) for _ in range(12)))
    prompt = script(say("go "), chunks(100, 10))
    async with AsyncExitStack() as stack:
        readers = [
            await stack.enter_async_context(Viewer(server.url, server.token, chat)) for _ in range(100)
        ]
        await api.prompt(chat, prompt)
        for tab in tabs:
            await tab.says(spoken_by(prompt))
        for reader in readers:
            events = await reader.read_turns(1)
            deltas = [event.data["content"] for event in events if event.kind == "text-delta"]
            assert "".join(deltas) == spoken_by(prompt)
        for tab in tabs:
            await tab.is_live()
            assert await _milliseconds_for_a_call(tab) <= 500 * SLACK


async def test_a_proxy_that_holds_streams_back_and_closes_idle_ones_is_got_around(
    meet: Meet, api: Api, chat: str, link: Link
) -> None:
    """F70: the page falls back to polling; nothing is lost or duplicated."""
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    link.buffer_until(4_096)
    link.idle_seconds = 6
    link.reset()
    prompt = script(say("it "), chunks(20, 50), say(" arrives"))
    await api.prompt(chat, prompt)
    await tab.says(spoken_by(prompt), within=60)
    await tab.turns_end(within=30)
    assert any("poll=" in line for line in link.asked)


async def test_pressing_twice_sends_once(meet: Meet, server: ServerProcess, chat: str) -> None:
    """F71: a double click, and both buttons and keys at once."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    await tab.type(script(say("once")))
    await tab.find("composer-send").dblclick()
    await tab.says("once")
    await tab.turns_end()
    await tab.type(script(say(" more")))
    await tab.find("composer-send").evaluate(
        """(button) => {
          const enter = { key: "Enter", bubbles: true, cancelable: true };
          button.click();
          const field = document.querySelector("[data-testid=composer-input]");
          field.dispatchEvent(new KeyboardEvent("keydown", enter));
          button.click();
        }"""
    )
    await tab.says("once more")
    await tab.turns_end(2)
    async with connect(server.url, f"/api/chats/{chat}/stream", server.token) as stream:
        events = await stream.read_until("ready")
    assert [event.data["text"] for event in events if event.kind == "message"] == [
        script(say("once")),
        script(say(" more")),
    ]


async def test_an_old_page_of_a_new_server_still_works_and_offers_to_reload(
    meet: Meet, api: Api, chat: str, link: Link
) -> None:
    """F75: the page's files are gone, but its draft is not."""
    person = await meet("laptop")
    person.expect_trouble()
    await person.open("/")  # starts the shared worker, whose stream would keep the other tab from being idle
    tab = await person.open_chat(chat)
    await expect(tab.connection).not_to_contain_text("Reload")
    # A page loads the rest of its files once it is shown.
    await tab.page.wait_for_load_state("networkidle")
    newer = "9" * len(__version__)
    link.puts = (f'"version":"{__version__}"'.encode(), f'"version":"{newer}"'.encode())
    await person.context.route("**/assets/**", lambda route: route.abort())
    link.reset()
    await expect(tab.connection).to_contain_text(newer)
    await tab.is_live()
    prompt = script(say("still works"))
    await tab.send(prompt)
    await tab.says("still works")
    await tab.page.get_by_role("link", name="New chat").first.click()
    await expect(tab.page).to_have_url(f"{person.url}/new")
    await tab.page.go_back()
    await tab.type("half a thought")
    await person.context.unroute("**/assets/**")
    await tab.connection.get_by_role("button", name="Reload").click()
    await expect(tab.composer).to_have_value("half a thought")
    await tab.says("still works")


async def test_a_device_revoked_in_mid_stream_is_sent_to_sign_in_at_once(
    meet: Meet, api: Api, chat: str
) -> None:
    """F76: and returns to the same chat, with its draft and everything that was said meanwhile."""
    person = await meet("laptop")
    person.expect_trouble("status of 401")
    tab = await person.open_chat(chat)
    await tab.type("half a thought")
    prompt = script(chunks(300, 10))
    await api.prompt(chat, prompt)
    await tab.has_begun(200)
    *_, device = await api.call("GET", "/api/devices")
    began = time.monotonic()
    await api.call("DELETE", f"/api/devices/{device['id']}")
    field = tab.page.get_by_role("textbox", name="Link or code")
    await field.wait_for()
    assert time.monotonic() - began <= 1 * SLACK
    assert not await tab.texts.count()
    await field.fill((await api.call("POST", "/api/links"))["code"])
    await tab.page.keyboard.press("Enter")
    await tab.says(spoken_by(prompt))
    await expect(tab.composer).to_have_value("half a thought")
    assert tab.page.url.endswith(f"/chat/{chat}")


async def _milliseconds_for_a_call(tab: Tab) -> float:
    return float(
        await tab.evaluate(
            "async () => { const start = performance.now(); await (await fetch('/api/health')).json();"
            " return performance.now() - start; }"
        )
    )


async def has_ended(api: Api, chat: str) -> bool:
    return bool((await api.chat(chat))["status"] == "ready")
