"""Typed text is never lost, and never sent twice (F72, F73; F71, double clicks, is in test_network.py)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Error, Route, expect

from tests.browser.conftest import Meet
from tests.browser.link import Link
from tests.browser.person import Tab
from tests.fakes.script import request, say, script
from tests.kit.clients.client import Api
from tests.kit.clients.sse import connect
from tests.kit.servers.server import ServerProcess


async def test_a_draft_survives_a_reload(meet: Meet, chat: str) -> None:
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    await tab.type("half a thought")
    await tab.page.reload()
    await expect(tab.composer).to_have_value("half a thought")


async def test_a_message_sent_offline_goes_out_once_when_the_link_is_back(
    meet: Meet, link: Link, server: ServerProcess, chat: str
) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab, other = await person.open_chat(chat), await person.open_chat(chat)
    link.cut()
    await expect(tab.connection).not_to_have_attribute("data-state", "live")
    await tab.send(script(say("it arrived")))
    await expect(tab.composer).to_have_value("")
    link.repair()
    for each in (tab, other):
        await each.says("it arrived")
        await each.turns_end()
    assert await _messages(server, chat) == [script(say("it arrived"))]


async def test_a_message_sent_offline_outlives_its_tab(
    meet: Meet, link: Link, server: ServerProcess, chat: str
) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    link.cut()
    await expect(tab.connection).not_to_have_attribute("data-state", "live")
    await tab.send(script(say("it arrived")))
    await expect(tab.composer).to_have_value("")
    await tab.page.close()
    link.repair()
    tabs = [await person.open_chat(chat) for _ in range(2)]
    for each in tabs:
        await each.says("it arrived")
    assert await _messages(server, chat) == [script(say("it arrived"))]


async def test_what_was_sent_and_typed_offline_outlives_a_reload(
    meet: Meet, server: ServerProcess, chat: str
) -> None:
    """F73: the browser itself is offline, and the page is reloaded before it is online again."""
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    await person.context.set_offline(True)
    await tab.send(script(say("it arrived")))
    await expect(tab.composer).to_have_value("")
    await tab.type("half a thought")
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        await tab.page.reload()
    await person.context.set_offline(False)
    await tab.page.goto(f"{person.url}/chat/{chat}")
    await tab.says("it arrived")
    await tab.turns_end()
    await expect(tab.composer).to_have_value("half a thought")
    await tab.page.reload()
    await tab.says("it arrived")
    assert await _messages(server, chat) == [script(say("it arrived"))]


async def test_a_message_whose_reply_was_lost_is_not_sent_twice(
    meet: Meet, link: Link, server: ServerProcess, api: Api, chat: str
) -> None:
    """F72."""
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    link.lose_next_reply(b"POST /api/chats/")
    await tab.send(script(say("once")))
    await link.reply_lost()
    await tab.says("once")
    await tab.send(script(say("twice")))
    await tab.says("oncetwice")
    assert await _messages(server, chat) == [script(say("once")), script(say("twice"))]


async def test_a_first_message_stays_until_its_chat_has_begun_and_begins_one(
    meet: Meet, server: ServerProcess, api: Api, chat: str, workspace: Path
) -> None:
    """The server creates the chat, its reply is late and then lost; Enter is pressed repeatedly."""
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open("/new")
    folder = tab.page.get_by_label("Folder", exact=True)
    await expect(folder).to_have_value(str(workspace))
    await expect(tab.find("who").locator("option:checked")).to_have_attribute("value", "scripted")
    asked: list[str] = []
    lost = asyncio.Event()

    async def lose(route: Route) -> None:
        asked.append(str(route.request.post_data))
        await route.fetch()
        await lost.wait()
        await route.abort()

    await tab.page.route("**/api/chats", lose)
    text = script(say("begun"))
    await tab.type(text)
    await tab.composer.press("Enter")
    await expect(tab.find("composer-send").locator(".spinner")).to_be_visible()
    await expect(tab.find("composer-send")).to_be_disabled()
    await expect(tab.composer).to_have_value(text)
    await tab.composer.press("Enter")
    lost.set()
    await expect(tab.page.get_by_text("The server is not responding.")).to_be_visible()
    assert len(asked) == 1
    await tab.page.unroute("**/api/chats")
    await tab.page.reload()
    await expect(tab.composer).to_have_value(text)
    await expect(folder).to_have_value(str(workspace))
    await expect(tab.find("who").locator("option:checked")).to_have_attribute("value", "scripted")
    await tab.composer.press("Enter")
    await tab.says("begun")
    [made] = [one["id"] for one in (await api.chats())["chats"] if one["id"] != chat]
    assert await _messages(server, made) == [text]
    await tab.page.goto(f"{person.url}/new")
    await expect(tab.composer).to_have_value("")


@pytest.mark.parametrize("is_reloaded", [False, True])
@pytest.mark.parametrize("is_early", [False, True])
async def test_a_chat_tried_again_is_one_whatever_is_known_of_chats_and_agents_by_then(
    meet: Meet, api: Api, chat: str, is_early: bool, is_reloaded: bool
) -> None:
    """Both arrive late: at the first attempt, or at the one after a reload."""
    person = await meet("laptop")
    person.expect_trouble()
    await person.context.add_init_script("delete window.SharedWorker")
    late = asyncio.Event()

    async def hold(route: Route) -> None:
        await late.wait()
        await route.continue_()

    async def lose(route: Route) -> None:
        await route.fetch()
        await route.abort()

    async def hold_all(tab: Tab) -> None:
        for path in ("**/api/stream?*", "**/api/agents*"):
            await tab.page.route(path, hold)

    tab = await person.open("/")
    if is_early:
        await hold_all(tab)
    await tab.page.goto(f"{person.url}/new")
    who = tab.find("who").locator("option")
    if not is_early:
        await expect(tab.page.get_by_label("Folder", exact=True)).not_to_have_value("")
        await expect(who.nth(1)).to_be_attached()
    await tab.page.route("**/api/chats", lose)
    text = script(say("begun"))
    await tab.type(text)
    await tab.composer.press("Enter")
    await expect(tab.page.get_by_text("The server is not responding.")).to_be_visible()
    await tab.page.unroute("**/api/chats")
    if not is_early:
        await hold_all(tab)
    if is_reloaded:
        await tab.page.reload()
        await expect(tab.composer).to_have_value(text)
    if is_early:
        late.set()
        await expect(who.nth(1)).to_be_attached()
        await tab.is_live()
    await tab.composer.press("Enter")
    late.set()
    await tab.page.wait_for_url("**/chat/*")
    made = [one["id"] for one in (await api.chats())["chats"] if one["id"] != chat]
    assert len(made) == 1


@pytest.mark.parametrize("is_lost", [False, True])
async def test_what_is_typed_while_a_chat_begins_stays(meet: Meet, chat: str, is_lost: bool) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open("/new")
    await tab.is_live()
    typed = asyncio.Event()

    async def later(route: Route) -> None:
        await typed.wait()
        await (route.abort() if is_lost else route.continue_())

    await tab.page.route("**/api/chats", later)
    await tab.type(script(say("begun")))
    await tab.composer.press("Enter")
    await tab.type("another thought")
    typed.set()
    if is_lost:
        await expect(tab.page.get_by_text("The server is not responding.")).to_be_visible()
    else:
        await tab.says("begun")
        await tab.page.get_by_role("link", name="New chat", exact=True).click()
    await expect(tab.composer).to_have_value("another thought")


async def test_a_form_half_filled_in_is_so_after_a_look_at_another_chat(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    fields = {"name": {"type": "string", "title": "Name"}}
    schema = {"type": "object", "properties": fields, "required": ["name"]}
    form = {"mode": "form", "message": "Which name?", "requestedSchema": schema}
    other = (await api.create_chat(workspace))["id"]
    await api.prompt(chat, script(request("elicitation/create", form)))
    tab = await (await meet("laptop")).open_chat(chat)
    name = tab.page.get_by_role("textbox", name="Name", exact=True)
    await name.fill("half a na")
    await tab.page.locator(f"nav a[href='/chat/{other}']").click()
    await expect(name).to_have_count(0)
    await tab.page.locator(f"nav a[href='/chat/{chat}']").click()
    await expect(name).to_have_value("half a na")
    await name.fill("a name")
    await tab.answer("Send answer")
    await tab.turns_end()


async def _messages(server: ServerProcess, chat: str) -> list[str]:
    """People's messages in a chat according to its log: each appears once, when it is queued."""
    async with connect(server.url, f"/api/chats/{chat}/stream", server.token) as stream:
        events = await stream.read_until("ready")
    return [event.data["text"] for event in events if event.kind == "message"]
