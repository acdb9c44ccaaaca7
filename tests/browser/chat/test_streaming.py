"""Text arrives completely and once, whatever happens to the page, the connection and the server."""

from __future__ import annotations

import asyncio
import random

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.person import plain
from tests.fakes.script import ALLOW, ask, chunks, say, script, spoken_by
from tests.kit.clients.client import Api
from tests.kit.servers.server import ServerProcess

SLACK = 5
"""Time limits are multiplied by this factor."""


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
