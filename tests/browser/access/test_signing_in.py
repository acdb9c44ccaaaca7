"""Signing in: by link, by typed code, and again after being signed out."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.waiting import until


async def test_a_link_signs_in_once_and_leaves_no_trace_in_the_address(meet: Meet, api: Api) -> None:
    code = (await api.call("POST", "/api/links"))["code"]
    person = await meet("laptop", signed_in=False)
    tab = await person.sign_in(code)
    assert code not in tab.page.url
    await tab.page.reload()
    await tab.is_live()

    late = await meet("stranger", signed_in=False)
    late.expect_trouble("status of 401")
    other = await late.open(f"/#code={code}")
    await expect(other.page.get_by_role("alert")).to_contain_text("already used or has expired")
    assert code not in other.page.url


async def test_a_new_link_opened_where_the_old_one_failed_signs_in(meet: Meet, api: Api) -> None:
    """The tab already shows the page, so only the end of the address changes."""
    person = await meet("laptop", signed_in=False)
    person.expect_trouble("status of 401")
    tab = await person.open("/#code=too-old")
    await expect(tab.page.get_by_role("alert")).to_be_visible()
    code = (await api.call("POST", "/api/links"))["code"]
    await tab.page.goto(f"{person.url}/#code={code}")
    await tab.is_live()
    assert code not in tab.page.url


async def test_a_typed_code_leads_to_the_chat_that_was_asked_for(meet: Meet, api: Api, chat: str) -> None:
    prompt = script(say("hello there"))
    await api.prompt(chat, prompt)
    person = await meet("phone", signed_in=False)
    person.expect_trouble("status of 401")
    tab = await person.open(f"/chat/{chat}")
    code = (await api.call("POST", "/api/links"))["code"]
    await tab.page.get_by_role("textbox").fill(code)
    await tab.page.keyboard.press("Enter")
    await tab.says("hello there")
    assert tab.page.url.endswith(f"/chat/{chat}")


async def test_a_revoked_device_is_sent_to_sign_in_and_comes_back_to_its_chat_and_draft(
    meet: Meet, api: Api, chat: str
) -> None:
    person = await meet("laptop")
    person.expect_trouble("status of 401")
    tab = await person.open_chat(chat)
    await tab.type("half a thought")
    *_, device = await api.call("GET", "/api/devices")
    await api.call("DELETE", f"/api/devices/{device['id']}")
    field = tab.page.get_by_role("textbox", name="Link or code")
    await field.wait_for()
    await field.fill((await api.call("POST", "/api/links"))["code"])
    await tab.page.keyboard.press("Enter")
    await tab.is_live()
    await expect(tab.composer).to_have_value("half a thought")
    assert tab.page.url.endswith(f"/chat/{chat}")


async def test_a_code_pasted_in_one_tab_brings_the_others_back(meet: Meet, api: Api, chat: str) -> None:
    person = await meet("laptop", signed_in=False)
    person.expect_trouble("status of 401")
    one, other = await person.open(f"/chat/{chat}"), await person.open(f"/chat/{chat}")
    for tab in (one, other):
        await tab.page.get_by_role("textbox", name="Link or code").wait_for()
    await person.sign_in((await api.call("POST", "/api/links"))["code"])
    for tab in (one, other):
        await tab.is_live()


async def test_the_list_shows_a_chat_made_elsewhere(meet: Meet, api: Api, chat: str) -> None:
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    before = await tab.find("chat-list-item").count()
    other = await api.create_chat("/tmp")

    async def has_more() -> bool:
        return await tab.find("chat-list-item").count() > before

    await until(has_more, 10)
    await api.delete_chat(other["id"])
    await expect(tab.find("chat-list-item")).to_have_count(before)
