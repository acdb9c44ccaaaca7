"""Another one answers in an open chat, agent or assistant, each with its own controls and at both sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.conftest import StartServer
from tests.fakes.script import say, script, wait_file
from tests.kit.clients.assistant import assistant
from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess

SIZES = [{"width": 1280, "height": 800}, {"width": 390, "height": 844}]
OTHER = "scripted-no-close"


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    return await start_server(settings=assistant(llm))


@pytest.mark.parametrize("size", SIZES, ids=["laptop", "phone"])
async def test_a_chat_goes_from_agent_to_agent_to_the_assistant_and_back(
    meet: Meet,
    api: Api,
    chat: str,
    workspace: Path,
    agent_log: AgentLog,
    llm: ScriptedLlm,
    size: dict[str, int],
) -> None:
    """R131, R169, R170, R193, R195: with what each one is told, and only its own controls."""
    tab = await (await meet(viewport=size)).open_chat(chat)
    go = workspace / "go"
    await tab.send(script(say("First."), wait_file(go)))
    await tab.says("First.")
    card, who = tab.find("handover"), tab.find("mode")
    await expect(card).to_have_count(0)
    await who.select_option(OTHER)
    await expect(card).to_contain_text("goes with your next message")
    await expect(card).to_contain_text("updated when the running turn ends")
    await expect(tab.find("agent-status")).to_have_text("Working")
    go.touch()
    await tab.turns_end()
    await card.get_by_role("button", name="Read and edit").click()
    await card.get_by_role("textbox").fill("Told by me.")
    await card.get_by_role("button", name="Done").click()
    await expect(card.get_by_role("textbox")).to_have_count(0)
    await tab.send(script(say("Second.")))
    await tab.turns_end(2)
    await expect(card).to_have_count(0)
    await expect(tab.page.get_by_text("answers from here on.")).to_be_visible()
    went = tab.find("message-handover")
    await went.get_by_text("A summary of the chat went along").click()
    await expect(went).to_contain_text("Told by me.")
    assert "Told by me." in agent_log.received("session/prompt")[-1]["params"]["prompt"][0]["text"]
    await who.select_option(label="Assistant")
    await card.get_by_role("button", name="Leave out").click()
    await expect(card).to_contain_text("No summary is sent.")
    await tab.page.locator(".model-chip").click()
    options = tab.find("assistant-options")
    await options.get_by_test_id("chat-model").wait_for()
    await options.get_by_label("read_file", exact=False).first.uncheck()
    await tab.page.get_by_role("button", name="Close").click()
    await tab.send("say Third.")
    await tab.turns_end(3)
    body = llm.asked()[-1]["body"]
    assert "read_file" not in [tool["function"]["name"] for tool in body["tools"]]
    assert "Second." not in str(body["messages"])
    await who.select_option("scripted")
    await expect(tab.page.locator(".model-chip")).to_have_count(0)
    await expect(card).to_contain_text("goes with your next message")
    assert len(agent_log.received("session/new")) == 2
