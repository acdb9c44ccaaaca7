"""Signing in to an agent with its own command, in a terminal on the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture
async def server(start_server: StartServer, place: Path, agent_log: AgentLog) -> ServerProcess:
    signed_in = ["--signed-in-file", str(place / "signed-in")]
    return await start_server(
        agents={"signs": scripted("auth-on-new", log=agent_log.path, options=signed_in)}
    )


async def test_a_person_signs_in_by_typing_into_the_terminal(
    meet: Meet, api: Api, workspace: Path, place: Path
) -> None:
    """C3, R70: on a phone; a wrong answer first, then the right one, and the turn continues."""
    chat = (await api.create_chat(workspace, "signs"))["id"]
    tab = await (await meet("phone", **PHONE)).open_chat(chat)
    await tab.send(script(say("Now I can work.")))
    here = tab.page.get_by_role("button", name="Sign in: Sign in here")
    asked = tab.page.locator("[data-testid=block-question][data-state=open]")
    terminal = tab.find("block-terminal").last.get_by_test_id("terminal")
    for number, typed in enumerate(("", "open sesame"), 1):
        await asked.and_(tab.page.locator("[data-armed=true]")).wait_for()
        await tab.read_question()
        await here.click()
        await expect(tab.find("block-terminal")).to_have_count(number)
        await expect(terminal.locator("pre")).to_contain_text("Enter the code:")
        field = terminal.get_by_role("textbox", name="Type into this terminal")
        await terminal.get_by_label("Hide what I type").check()
        await expect(field).to_have_attribute("type", "password")
        await field.fill(typed)
        assert await tab.evaluate("document.documentElement.scrollWidth") <= 390
        await field.press("Enter")
        if not typed:
            await expect(asked).to_contain_text("exit status 1")
    await tab.says("Now I can work.")
    await expect(tab.find("terminal-input")).to_have_count(0)
    await tab.turns_end()
    assert "open sesame" not in await tab.evaluate("document.body.innerText + JSON.stringify(localStorage)")
