"""Text arrives once and whole, whatever happens to the page, the link and the server."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.link import Link
from tests.browser.person import Tab, plain
from tests.fakes.script import ALLOW, ask, chunks, say, script, spoken_by, wait_file
from tests.kit.client import Api
from tests.kit.server import ServerProcess
from voxpilot import __version__

SLACK = 5
"""Bounds of time are asserted with this much to spare."""


async def test_a_message_is_answered_as_one_watches(meet: Meet, chat: str) -> None:
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    prompt = script(say("Hello. "), chunks(50, 5), say(" Done."))
    await tab.send(prompt)
    await tab.has_begun()
    await tab.says(spoken_by(prompt))
    await tab.turns_end()
    await expect(tab.composer).to_have_value("")


async def test_reloading_in_mid_stream_loses_and_repeats_nothing(meet: Meet, api: Api, chat: str) -> None:
    person = await meet("laptop")
    prompt = script(chunks(600, 8))
    tab = await person.open_chat(chat)
    await api.prompt(chat, prompt)
    for reload in range(5):
        await tab.has_begun(200 * (reload + 1))
        await tab.page.reload()
        await asyncio.sleep(random.uniform(0, 0.2))
    await tab.says(spoken_by(prompt))
    await tab.turns_end()


async def test_a_question_is_answered_on_another_page(meet: Meet, api: Api, chat: str) -> None:
    laptop, phone = await meet("laptop"), await meet("phone", viewport={"width": 390, "height": 844})
    here, there = await laptop.open_chat(chat), await phone.open_chat(chat)
    prompt = script(say("First. "), ask("edit", "May I edit a.py?"), say(" Thanks."))
    await api.prompt(chat, prompt)
    await here.page.locator("[data-testid=block-question][data-armed]").first.wait_for()
    await there.answer("Allow")
    for tab in (here, there):
        await tab.says(spoken_by(prompt, [ALLOW]))
        await tab.turns_end()
        await expect(tab.find("question-option")).to_have_count(0)


async def test_a_killed_server_comes_back_and_so_does_the_page(
    meet: Meet, api: Api, server: ServerProcess, chat: str
) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    prompt = script(chunks(400, 10))
    await api.prompt(chat, prompt)
    await tab.has_begun(400)
    await server.kill()
    await expect(tab.connection).not_to_have_attribute("data-state", "live")
    await server.start()
    await tab.is_live()
    await tab.says(spoken_by(prompt))
    await tab.turns_end()


async def test_two_tabs_and_a_phone_show_the_same(meet: Meet, api: Api, chat: str) -> None:
    laptop, phone = await meet("laptop"), await meet("phone", viewport={"width": 390, "height": 844})
    first, small = await laptop.open_chat(chat), await phone.open_chat(chat)
    prompt = script(say("One. "), chunks(150, 10), say(" Two."))
    await api.prompt(chat, prompt)
    await first.has_begun(300)
    second = await laptop.open_chat(chat)
    for tab in (first, second, small):
        await tab.says(spoken_by(prompt))
        await tab.turns_end()
    seen = {await tab.said() for tab in (first, second, small)}
    assert seen == {plain(spoken_by(prompt))}


async def test_a_flapping_link_loses_and_repeats_nothing(meet: Meet, api: Api, chat: str, link: Link) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    prompt = script(chunks(500, 10))
    await api.prompt(chat, prompt)
    for _ in range(8):
        await tab.has_begun(20)
        link.reset()
        await asyncio.sleep(random.uniform(0.1, 0.6))
    await tab.says(spoken_by(prompt))
    await tab.turns_end()


async def test_a_proxy_that_holds_streams_back_is_got_around(
    meet: Meet, api: Api, chat: str, link: Link
) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    link.buffer_until(16_000)
    link.reset()
    prompt = script(say("it "), chunks(20, 50), say(" arrives"))
    await api.prompt(chat, prompt)
    await tab.says(spoken_by(prompt), within=60)
    await tab.turns_end(within=30)


async def test_twelve_tabs_are_live_and_the_server_still_answers(meet: Meet, api: Api, chat: str) -> None:
    person = await meet("laptop")
    tabs = [await person.open_chat(chat) for _ in range(12)]
    prompt = script(chunks(40, 10))
    await api.prompt(chat, prompt)
    for tab in tabs:
        await tab.says(spoken_by(prompt))
    for tab in tabs:
        await tab.is_live()
        assert await _milliseconds_for_a_call(tab) <= 500 * SLACK


async def test_a_frozen_page_with_a_dead_link_is_up_to_date_soon_after_it_wakes(
    meet: Meet, api: Api, chat: str, link: Link, place: Path
) -> None:
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    gate = place / "gate"
    prompt = script(say("before "), wait_file(gate), chunks(200), say(" after"))
    await api.prompt(chat, prompt)
    await tab.says("before")
    async with tab.asleep():
        link.strand()
        gate.touch()
        await asyncio.sleep(2)
    await tab.says(spoken_by(prompt), within=2 * SLACK)


async def test_a_page_notices_that_the_server_is_another_version(meet: Meet, chat: str, link: Link) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    await expect(tab.connection).not_to_contain_text("Reload")
    newer = "9" * len(__version__)
    link.puts = (f'"version":"{__version__}"'.encode(), f'"version":"{newer}"'.encode())
    link.reset()
    await expect(tab.connection).to_contain_text(newer)
    await tab.is_live()


async def _milliseconds_for_a_call(tab: Tab) -> float:
    return float(
        await tab.evaluate(
            "async () => { const start = performance.now(); await (await fetch('/api/me')).json();"
            " return performance.now() - start; }"
        )
    )
