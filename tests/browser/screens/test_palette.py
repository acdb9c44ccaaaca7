"""Ctrl-K: finding everything by part of its name."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.fakes.script import say, script
from tests.kit.clients.client import Api


async def test_a_chat_with_another_agent_begins_from_the_palette(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    """The last agent used would be another one; also where the page for new chats is open already."""
    tab = await (await meet("laptop")).open_chat(chat)
    who = tab.find("who").locator("option:checked")
    folder = tab.page.get_by_label("Folder", exact=True)
    for agent in ("scripted-refuse-options", "scripted-auth-on-new"):
        await tab.page.keyboard.press("Control+k")
        await tab.page.get_by_role("combobox", name="Search chats and commands").fill(f"with {agent}")
        await expect(tab.page.get_by_role("option", name=f"with {agent}")).to_be_visible()
        await tab.page.keyboard.press("Enter")
        await expect(who).to_have_attribute("value", agent)
        await expect(folder).to_have_value(str(workspace))
    await tab.page.goto(tab.page.url.replace("scripted-auth-on-new", "scripted"))
    await expect(who).to_have_attribute("value", "scripted")
    await expect(folder).to_have_value(str(workspace))
    await tab.send(script(say("begun")))
    await tab.says("begun")
    [made] = [one for one in (await api.chats())["chats"] if one["id"] != chat]
    assert made["agent"] == "scripted"
