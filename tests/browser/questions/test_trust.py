"""The page asks whether a folder is trusted before anything is started in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    """A server that trusts no folder yet."""
    return await start_server(settings={"trusted_folders": []})


@pytest.mark.parametrize("width", [1280, 390])
async def test_a_folder_is_trusted_on_a_card_of_our_own(
    meet: Meet, chat: str, agent_log: AgentLog, width: int
) -> None:
    """A48: asked by VoxPilot and not by an agent; it survives a reload."""
    tab = await (await meet(viewport={"width": width, "height": 844})).open_chat(chat)
    await tab.send(script(say("hi")))
    card = tab.page.locator(".dock [data-testid=block-question]")
    await expect(card).to_contain_text("VoxPilot has a question")
    await tab.page.reload()
    await expect(card).to_contain_text("Do you trust the files in")
    await expect(card).to_contain_text("can run its code")
    assert agent_log.starts() == []
    await tab.answer("Not now")
    await tab.turns_end()
    await expect(tab.page.get_by_text("The agent was not started")).to_be_visible()
    await tab.send(script(say("hi")))
    await tab.answer("Trust this folder")
    await tab.turns_end(2)
    await tab.says("hi")
    assert len(agent_log.starts()) == 1


async def test_a_changed_command_is_shown_before_it_is_run(
    meet: Meet, server: ServerProcess, api: Api, workspace: Path, agent_log: AgentLog
) -> None:
    """A46: on a phone, with the new and the old command; asked by VoxPilot and not by an agent."""
    await api.call("PUT", "/api/settings", {"trusted_folders": [str(workspace)]})
    made = await api.create_chat(workspace)
    tab = await (await meet("phone", viewport={"width": 390, "height": 844})).open_chat(made["id"])
    await tab.send(script(say("one")))
    await tab.turns_end()
    head, mark, table = server.config.read_text().partition('[agents."scripted"]')
    server.config.write_text(head + mark + table.replace('"--log"', '"--agent-version", "9", "--log"', 1))
    await api.call("GET", "/api/settings")
    await api.restart(made["id"], reload=True)
    card = tab.page.locator(".dock [data-testid=block-question]")
    await expect(card).to_contain_text("VoxPilot has a question")
    await expect(card).to_contain_text("with the changed command")
    now, before = card.locator("blockquote").nth(0), card.locator("blockquote").nth(1)
    await expect(now).to_contain_text("--agent-version 9")
    await expect(before).not_to_contain_text("--agent-version")
    assert await tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert len(agent_log.starts()) == 1
    await tab.answer("Start with this command")
    await tab.send(script(say("two")))
    await tab.turns_end(2)
    assert len(agent_log.starts()) == 2


async def test_trust_is_taken_back_on_a_phone(
    meet: Meet, api: Api, workspace: Path, agent_log: AgentLog
) -> None:
    """A48: the list has the folder that was trusted on a card; once removed, the next start asks again."""
    first = await api.create_chat(workspace)
    person = await meet("phone", viewport={"width": 390, "height": 844})
    tab = await person.open_chat(first["id"])
    await tab.send(script(say("hi")))
    await tab.answer("Trust this folder")
    await tab.turns_end()
    settings = await person.open("/settings/permissions")
    folder = settings.find("trusted-folder")
    await expect(folder).to_have_count(1)
    await expect(folder).to_contain_text(str(workspace))
    await expect(folder).to_contain_text("just now")
    assert await settings.evaluate("document.documentElement.scrollWidth") <= 390
    await folder.get_by_role("button", name=f"Stop trusting {workspace}").click()
    await expect(folder).to_have_count(0)
    await settings.page.reload()
    await expect(settings.page.get_by_role("heading", name="Trusted folders")).to_be_visible()
    await expect(settings.page.get_by_text("Trusted from a chat")).to_have_count(0)
    second = await api.create_chat(workspace)
    tab = await person.open_chat(second["id"])
    await tab.send(script(say("hi")))
    await expect(tab.page.locator(".dock [data-testid=block-question]")).to_contain_text("Do you trust")
    assert len(agent_log.starts()) == 1
