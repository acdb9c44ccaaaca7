"""Browsers without shared workers: one tab leads, and another takes over when it closes."""

from __future__ import annotations

from tests.browser.conftest import Meet
from tests.browser.link import Link
from tests.fakes.script import chunks, say, script, spoken_by
from tests.kit.clients.client import Api

NO_SHARED_WORKER = "delete globalThis.SharedWorker;"
NO_LOCKS = "Object.defineProperty(navigator, 'locks', { value: undefined });"


async def test_tabs_share_one_stream_and_outlive_the_one_that_leads(
    meet: Meet, api: Api, chat: str, link: Link
) -> None:
    person = await meet("phone", signed_in=False)
    await person.context.add_init_script(NO_SHARED_WORKER)
    first = await person.sign_in((await api.call("POST", "/api/links"))["code"])
    second, third = await person.open_chat(chat), await person.open_chat(chat)
    prompt = script(say("start "), chunks(300, 10))
    await api.prompt(chat, prompt)
    await second.has_begun(300)
    await third.has_begun(300)
    await first.page.close()
    for tab in (second, third):
        await tab.says(spoken_by(prompt))
        await tab.is_live()


async def test_a_tab_that_can_reach_no_other_has_a_stream_of_its_own(meet: Meet, api: Api, chat: str) -> None:
    person = await meet("phone", signed_in=False)
    await person.context.add_init_script(NO_SHARED_WORKER + NO_LOCKS)
    await person.sign_in((await api.call("POST", "/api/links"))["code"])
    tabs = [await person.open_chat(chat) for _ in range(2)]
    prompt = script(chunks(50, 5))
    await api.prompt(chat, prompt)
    for tab in tabs:
        await tab.says(spoken_by(prompt))
