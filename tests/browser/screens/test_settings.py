"""The settings on the page: agents, permissions, devices."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.fakes.script import agent_command, say, script
from tests.kit.clients.client import Api
from tests.kit.servers.config import MARK

PHONE = {"width": 390, "height": 844}
REPOSITORY = Path(__file__).resolve().parents[3]


async def test_an_agent_is_added_tried_and_used_without_a_restart(
    meet: Meet, api: Api, workspace: Path, place: Path
) -> None:
    """R125, R132: and its secret is never shown again."""
    tab = await settings(meet)
    command, *args = agent_command(options=["--store", str(place / "agent")])
    await tab.page.get_by_role("button", name="Add custom agent").click()
    editor = tab.find("agent-editor")
    await editor.get_by_label("ID", exact=True).fill("mine")
    await editor.get_by_role("button", name="Save").click()
    await expect(editor.get_by_role("alert")).to_contain_text("Enter a command")
    await editor.get_by_label("Name", exact=True).fill("My agent")
    await editor.get_by_label("Command", exact=True).fill(command)
    await editor.get_by_label("Arguments").fill("\n".join(args))
    await editor.get_by_role("button", name="Add variable").click()
    await editor.get_by_label("Name of variable 1").fill("MY_TOKEN")
    await editor.get_by_label("Value of MY_TOKEN").fill("hush")
    await editor.get_by_text("More").click()
    await editor.get_by_label("Variables to pass").fill(MARK)
    await editor.get_by_role("button", name="Save").click()
    await expect(editor).to_have_count(0)

    mine = card(tab, "mine")
    await try_out(mine)
    await expect(mine.get_by_label("Capabilities")).to_contain_text("lists sessions")

    chat = await api.create_chat(workspace, "mine")
    other = await second_tab(tab, f"/chat/{chat['id']}")
    await other.send(script(say("hello")))
    await other.says("hello")
    [listed] = [one for one in (await api.agents())["agents"] if one["id"] == "mine"]
    assert "hush" not in str(listed)


async def test_an_agent_is_duplicated_but_for_its_secrets(
    meet: Meet, api: Api, workspace: Path, place: Path
) -> None:
    """R132: the copy is a custom agent; the original is unchanged."""
    command, *args = agent_command(options=["--store", str(place / "agent")])
    first = {"command": command, "args": args, "env": {"MY_KEY": "a"}, "pass_env": [MARK]}
    await api.call("PUT", "/api/agents/mine", first)
    tab = await settings(meet, viewport=PHONE)
    await card(tab, "mine").get_by_role("button", name="More actions for mine").click()
    await tab.page.get_by_role("menuitem", name="Duplicate").click()
    editor = tab.find("agent-editor")
    await expect(editor.get_by_label("ID", exact=True)).to_have_value("mine-2")
    await editor.get_by_role("button", name="Save").click()
    await expect(editor.get_by_role("alert")).to_contain_text("MY_KEY is hidden and was not copied")
    await editor.get_by_label("Value of MY_KEY").fill("b")
    await editor.get_by_role("button", name="Save").click()
    await expect(editor).to_have_count(0)
    await expect(card(tab, "mine-2")).to_contain_text("custom")
    chat = await api.create_chat(workspace, "mine-2")
    other = await second_tab(tab, f"/chat/{chat['id']}")
    await other.send(script(say("hello")))
    await other.says("hello")
    shown = {one["id"]: one for one in (await api.agents())["agents"]}
    assert shown["mine-2"]["args"] == shown["mine"]["args"]


async def test_an_edited_agent_starts_as_edited_and_can_be_removed(meet: Meet, api: Api, place: Path) -> None:
    """R123, R132: on a phone; unchanged fields stay."""
    command, *args = agent_command(options=["--store", str(place / "agent")])
    await api.call(
        "PUT",
        "/api/agents/mine",
        {"command": command, "args": args, "env": {"MY_KEY": "a"}, "pass_env": [MARK]},
    )
    tab = await settings(meet, viewport=PHONE)
    mine = card(tab, "mine")
    await try_out(mine)
    await expect(mine.get_by_label("Capabilities")).to_contain_text("loads past sessions")
    await mine.get_by_role("button", name="Close").click()
    await mine.get_by_role("button", name="Edit").click()
    editor = tab.find("agent-editor")
    await expect(editor.get_by_label("Value of MY_KEY")).to_have_attribute("type", "password")
    await editor.get_by_label("Arguments").fill("\n".join([*args, "--fault", "no-load"]))
    await editor.get_by_role("button", name="Save").click()
    await expect(editor).to_have_count(0)
    await try_out(mine)
    await expect(mine.get_by_label("Capabilities")).not_to_contain_text("loads past sessions")

    await mine.get_by_role("button", name="More actions for").click()
    await tab.page.get_by_role("menuitem", name="Remove").click()
    await tab.page.get_by_role("button", name="Remove", exact=True).click()
    await expect(mine).to_have_count(0)


async def test_a_strict_house_is_switched_on_and_the_answers_are_listed(
    meet: Meet, api: Api, chat: str
) -> None:
    """Every chat asks from now on; the log shows each decision and who made it."""
    await api.change_chat(chat, permissions="auto")
    tab = await settings(meet, "permissions")
    await tab.page.get_by_role("switch", name=re.compile("Always ask")).click()
    await expect(tab.page.get_by_role("switch", name=re.compile("Always ask"))).to_be_checked()
    await expect(tab.page.get_by_text("No decisions yet.")).to_be_visible()
    other = await second_tab(tab, f"/chat/{chat}")
    await expect(other.find("policy")).to_have_attribute("data-policy", "ask")
    await other.send("ask t1 May I?")
    await other.answer("Allow")
    await other.turns_end()
    await tab.page.reload()
    await expect(tab.find("decision")).to_contain_text("by you on")
    await expect(tab.page.get_by_role("switch", name=re.compile("Always ask"))).to_be_checked()


async def test_a_link_lets_another_device_in_and_it_can_be_sent_away(meet: Meet, api: Api) -> None:
    """A15: the link is shown as a QR code too, and signing a device out ends its stream."""
    tab = await settings(meet, "devices")
    await tab.page.get_by_role("button", name="Create link").click()
    link = tab.find("new-link")
    await expect(link.get_by_role("img", name="QR code")).to_be_visible()
    code = (await link.locator("code").inner_text()).rpartition("code=")[2]
    phone = await meet("phone", signed_in=False, viewport=PHONE)
    phone.expect_trouble("status of 401")
    other = await phone.sign_in(code)
    await other.is_live()
    await tab.page.reload()
    away = tab.find("device").filter(has_not_text="This browser").last
    await away.get_by_role("button").click()
    await expect(other.page.get_by_role("textbox", name="Link or code")).to_be_visible()
    await expect(tab.find("device")).to_have_count(2)  # the test's own, and this browser


async def test_a_link_is_copied_where_the_browser_lends_no_clipboard(meet: Meet) -> None:
    """As over plain HTTP."""
    person = await meet("laptop")
    await person.context.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
    )
    tab = await person.open("/settings/devices")
    await tab.page.get_by_role("button", name="Create link").click()
    url = await tab.find("new-link").locator("code").inner_text()
    copy = tab.page.get_by_role("button", name="Copy link")
    await copy.click()
    await expect(copy).to_contain_text("Copied")
    await tab.page.get_by_role("link", name="Permissions").click()
    folder = tab.page.get_by_label("Folder to trust")
    await folder.focus()
    await tab.page.keyboard.press("Control+v")
    await expect(folder).to_have_value(url)


async def test_settings_are_reached_by_keyboard_and_the_theme_stays(meet: Meet) -> None:
    person = await meet("laptop")
    tab = await person.open("/new")
    await tab.is_live()
    await tab.page.keyboard.press("Control+k")
    await tab.page.get_by_role("combobox", name="Search chats and commands").fill("appearance")
    await tab.page.get_by_role("option", name="Settings: Appearance").click()
    await tab.page.get_by_role("radio", name="Dark", exact=True).check()
    await tab.page.reload()
    await expect(tab.page.get_by_role("radio", name="Dark", exact=True)).to_be_checked()
    assert await tab.evaluate("document.documentElement.dataset.theme") == "dark"
    await tab.page.keyboard.press("Control+k")
    await tab.page.get_by_role("combobox", name="Search chats and commands").fill("assistant")
    await tab.page.get_by_role("option", name="Settings: Assistant").click()
    await tab.page.wait_for_url("**/settings/assistant")


@pytest.mark.parametrize(
    ("section", "asks"), [("Devices", "**/api/devices"), ("Permissions", "**/api/trusted-folders")]
)
async def test_a_section_that_loads_leaves_the_tabs_and_the_focus_alone(
    meet: Meet, section: str, asks: str
) -> None:
    tab = await settings(meet, "appearance")
    asked, answered = asyncio.Event(), asyncio.Event()

    async def later(route: Route) -> None:
        asked.set()
        await answered.wait()
        await route.continue_()

    await tab.page.route(asks, later)
    link = tab.page.get_by_role("navigation", name="Settings").get_by_role("link", name=section)
    await link.focus()
    async with tab.page.expect_response(asks):
        await tab.page.keyboard.press("Enter")
        await asyncio.wait_for(asked.wait(), 10)
        await expect(link).to_be_focused()
        answered.set()
    await expect(link).to_be_focused()
    await expect(link).to_have_attribute("aria-current", "page")


async def test_a_setting_that_could_not_be_changed_is_shown_as_it_is(meet: Meet) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open("/settings/permissions")
    waits = tab.page.get_by_label("Questions expire")
    before = await waits.input_value()
    await tab.page.route("**/api/settings", lambda route: route.abort())
    await waits.select_option("after 5 minutes")
    await expect(tab.page.get_by_role("alert")).to_be_visible()
    await expect(waits).to_have_value(before)


async def settings(meet: Meet, section: str = "agents", **how: Any) -> Tab:
    person = await meet("laptop", **how)
    tab = await person.open(f"/settings/{section}")
    await tab.is_live()
    return tab


async def second_tab(tab: Tab, path: str) -> Tab:
    """Another tab of the same browser."""
    page = await tab.page.context.new_page()
    await page.goto(tab.page.url.partition("/settings")[0] + path)
    other = Tab(page)
    await other.is_live()
    return other


async def try_out(card: Locator) -> None:
    await card.get_by_role("button", name="Test").click()
    await expect(card.get_by_test_id("agent-check")).to_have_attribute("data-ok", "true", timeout=60_000)


def card(tab: Tab, agent: str) -> Locator:
    return tab.page.locator(f"[data-testid=agent-card][data-agent={agent}]")


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["wide", "phone"])
async def test_a_sandbox_is_chosen_and_the_chat_says_that_its_agent_runs_in_one(
    meet: Meet, api: Api, workspace: Path, place: Path, size: dict[str, int]
) -> None:
    """In the card, in the header of the chat and in the details of its agent."""
    command, *args = agent_command(options=["--store", str(place / "agent")])
    opened = {"sandbox_readable": [str(REPOSITORY)], "sandbox_writable": [f"{place}/agent/"]}
    given = {"command": command, "args": args, "pass_env": [MARK], **opened}
    await api.call("PUT", "/api/agents/mine", given)
    tab = await settings(meet, viewport=size)
    mine = card(tab, "mine")
    await mine.get_by_role("button", name="Edit").click()
    editor = tab.find("agent-editor")
    choice = editor.get_by_label("Sandbox")
    await expect(choice).to_have_value("off")
    await expect(editor).to_contain_text("everything you can")
    await choice.select_option("standard")
    await expect(editor).to_contain_text("browser profiles")
    await keep_picture(tab, f"sandbox-editor-{size['width']}")
    await editor.get_by_role("button", name="Save").click()
    await expect(editor).to_have_count(0)
    await expect(mine).to_contain_text("sandbox: standard")
    await keep_picture(tab, f"sandbox-card-{size['width']}")

    chat = await api.create_chat(workspace, "mine")
    other = await second_tab(tab, f"/chat/{chat['id']}")
    await other.send(script(say("hello")))
    await other.says("hello")
    await expect(other.find("sandboxed")).to_have_text("· sandboxed: standard")
    await other.find("agent-status").click()
    await expect(other.find("agent-details")).to_contain_text("Sandbox")
    await expect(other.find("agent-details")).to_contain_text("Standard")
    await keep_picture(other, f"sandbox-chat-{size['width']}")


async def keep_picture(tab: Tab, name: str) -> None:
    """With VOXPILOT_SCREENSHOTS=FOLDER, for review."""
    if folder := os.environ.get("VOXPILOT_SCREENSHOTS"):
        await tab.page.screenshot(path=Path(folder) / f"{name}.png")
