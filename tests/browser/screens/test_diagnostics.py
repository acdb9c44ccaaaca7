"""Diagnostics on the page: the switches, the protocol log, the processes and the report."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.conftest import StartServer
from tests.fakes.script import say, script, stderr, update
from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess

SECRET = "a-very-private-value"
EVIL = "<img src=x onerror=document.title='pwned'>"
SIZES = {"laptop": {}, "phone": {"viewport": {"width": 390, "height": 844}}}


@pytest.fixture
async def server(start_server: StartServer, agent_log: AgentLog) -> ServerProcess:
    agent = scripted(log=agent_log.path)
    return await start_server(agents={"private": {**agent, "env": {"MY_API_KEY": SECRET}}})


@pytest.mark.parametrize("size", SIZES)
async def test_a_fault_is_looked_into_and_reported(
    meet: Meet, api: Api, workspace: Path, server: ServerProcess, size: str
) -> None:
    """R130: switched on without a restart, filtered and saved; a report is read before anything else."""
    chat = (await api.create_chat(workspace, "private"))["id"]
    person = await meet(size, **SIZES[size])
    tab = await person.open_chat(chat)
    await tab.send(script(say("my diary"), update({"sessionUpdate": EVIL}), stderr(f"key {SECRET} is old")))
    await tab.turns_end()
    tab = await person.open("/settings/diagnostics")
    page = tab.page
    await page.locator(".diagnosed-chats summary").first.click()
    found = tab.find("diagnostics")
    await expect(found).to_contain_text("The protocol log is off", timeout=30_000)
    await expect(found.get_by_test_id("process").first).to_contain_text("background process")
    assert await found.get_by_test_id("process").count() >= 2
    await page.get_by_role("switch", name="Protocol log").first.check()
    await expect(found.get_by_test_id("frame").first).to_be_visible(timeout=30_000)
    before = await found.get_by_test_id("frame").count()
    await found.get_by_label("Filter").fill("session/prompt")
    await expect(found.get_by_test_id("frame")).to_have_count(2)
    assert before > 2
    await found.get_by_test_id("frame").first.locator("summary").click()
    await expect(found.get_by_label("Content")).to_contain_text("characters›")
    await expect(found.get_by_label("Content")).not_to_contain_text("diary")
    async with page.expect_download() as saving:
        await found.get_by_role("button", name="Download").click()
    saved = Path(await (await saving.value).path()).read_text()
    assert saved.count('"method": "session/prompt"') >= 2
    assert "diary" not in saved
    await found.get_by_label("Filter").fill("onerror")
    await expect(found.get_by_test_id("frame")).to_have_count(1)
    await found.get_by_test_id("frame").locator("summary").click()
    await expect(found.get_by_label("Content")).to_contain_text("onerror")
    assert "pwned" not in await page.title()
    await found.get_by_role("button", name="Report a problem").click()
    report = tab.find("report")
    await expect(report).to_contain_text("VoxPilot does not send it")
    await expect(report).to_contain_text("session/prompt", timeout=30_000)
    for private in (SECRET, "diary"):
        await expect(report).not_to_contain_text(private)
    if size == "phone":
        assert await tab.evaluate("document.documentElement.scrollWidth") <= 390


async def test_a_chat_has_its_own_way_to_the_diagnostics(meet: Meet, chat: str) -> None:
    """R130: in its menu and in its panel."""
    tab = await (await meet("laptop")).open_chat(chat)
    await tab.page.get_by_role("button", name="More", exact=True).click()
    await tab.page.get_by_role("menuitem", name="Diagnostics").click()
    dialog = tab.page.get_by_role("dialog", name="Diagnostics")
    await expect(dialog).to_contain_text("No agent has run in this chat yet.", timeout=30_000)
    await dialog.get_by_role("button", name="Close").click()
    await tab.page.locator(".panel-body").get_by_role("button", name="Diagnostics").click()
    await expect(dialog).to_be_visible()
