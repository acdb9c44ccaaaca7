"""What a person sends along: skills, quotes, and what the page says about it afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.waiting import until

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 1280, "height": 800}}
SKILL = """---
name: deploy
description: How to deploy the shop
tags: [release]
---
# Deploy

<script>document.title = "run"</script> Push the button.
"""
LEAST_TARGET = 44


@pytest.fixture
def shop(workspace: Path) -> Path:
    """A workspace with a skill."""
    (workspace / "copilot-skills").mkdir()
    (workspace / "copilot-skills" / "deploy.md").write_text(SKILL)
    return workspace


async def test_a_skill_is_chosen_by_keyboard_survives_a_reload_and_is_listed_as_sent(
    meet: Meet, api: Api, shop: Path, agent_log: AgentLog
) -> None:
    """R151, R153: the agent gets its text, and the message says so."""
    chat = str((await api.create_chat(shop))["id"])
    tab = await (await meet("laptop", **LAPTOP)).open_chat(chat)
    await tab.composer.press_sequentially("/dep")
    await expect(entries(tab).first).to_contain_text("deploy")
    await expect(tab.composer).to_have_attribute("aria-activedescendant", "mention-list-0")
    await tab.composer.press("Enter")
    await expect(chips(tab)).to_have_text(["Skill: deploy"])
    await expect(tab.composer).to_have_value("")
    await expect(tab.composer).to_be_focused()
    await tab.page.reload()
    await expect(chips(tab)).to_have_text(["Skill: deploy"])
    await tab.send(script(say("seen")))
    await until(lambda: bool(agent_log.received("session/prompt")), 30)
    (frame,) = agent_log.received("session/prompt")
    assert "Push the button." in json.dumps(frame["params"]["prompt"])
    along = tab.find("sent-along")
    await along.get_by_text("Sent with 1 skill").click()
    await expect(along).to_contain_text("added by you")
    await expect(chips(tab)).to_have_count(0)


async def test_lines_of_a_file_are_mentioned_by_keyboard(
    meet: Meet, api: Api, shop: Path, agent_log: AgentLog
) -> None:
    """R136: the agent gets the lines, the draft keeps the name."""
    (shop / "src").mkdir()
    (shop / "src" / "app.py").write_text("".join(f"line_{number} = {number}\n" for number in range(1, 31)))
    chat = str((await api.create_chat(shop))["id"])
    tab = await (await meet("laptop", **LAPTOP)).open_chat(chat)
    await tab.composer.press_sequentially("Look at @app:3-5")
    await expect(entries(tab).first).to_contain_text("app.py:3-5")
    await tab.composer.press("Enter")
    await expect(chips(tab)).to_have_text(["app.py:3-5src"])
    await expect(tab.composer).to_have_value("Look at @src/app.py:3-5 ")
    await tab.send(script(say("seen")))
    await until(lambda: bool(agent_log.received("session/prompt")), 30)
    (frame,) = agent_log.received("session/prompt")
    sent = json.dumps(frame["params"]["prompt"])
    assert "line_3 = 3" in sent
    assert "line_6 = 6" not in sent
    await expect(tab.find("sent-along")).to_contain_text("Sent with 1 file")


async def test_a_phone_adds_skills_and_quotes_from_the_sheet(
    meet: Meet, api: Api, shop: Path, agent_log: AgentLog
) -> None:
    """R138, R150: with targets for a thumb; a chip is removed again."""
    chat = str((await api.create_chat(shop))["id"])
    tab = await (await meet("phone", **PHONE)).open_chat(chat)
    await expect(tab.find("skills-chip")).to_have_text("1 skill")
    await tab.find("composer-add").tap()
    sheet = tab.page.get_by_role("dialog", name="Add to message")
    await sheet.get_by_role("combobox").fill("deploy")
    entry = entries(tab).filter(has_text="How to deploy the shop")
    await entry.wait_for()
    await is_for_a_thumb(entry)
    await entry.tap()
    await expect(sheet).to_have_count(0)
    await tab.find("composer-add").tap()
    await sheet.get_by_role("button", name="Add a quote").tap()
    quote = tab.page.get_by_role("dialog", name="Add a quote")
    await quote.get_by_label("Text").fill("Wise words")
    await quote.get_by_label("Source").fill("https://example.com/a")
    await quote.get_by_role("button", name="Add", exact=True).tap()
    await expect(chips(tab)).to_have_text(["Skill: deploy", "“Wise words”example.com"])
    remove = tab.page.get_by_role("button", name="Remove Skill: deploy")
    await is_for_a_thumb(remove)
    await remove.tap()
    await tab.send(script(say("seen")))
    await until(lambda: bool(agent_log.received("session/prompt")), 30)
    (frame,) = agent_log.received("session/prompt")
    sent = [block.get("text", "") for block in frame["params"]["prompt"]]
    assert any("[Quoted from https://example.com/a]" in text and "> Wise words" in text for text in sent)
    assert not any("Push the button." in text for text in sent)


async def test_skills_and_instructions_are_managed_on_the_page(
    meet: Meet, api: Api, shop: Path, agent_log: AgentLog
) -> None:
    """R148, R190, R192, V34: text of a skill stays text, and what is in effect is shown in the chat."""
    chat = str((await api.create_chat(shop))["id"])
    person = await meet("laptop", **LAPTOP)
    tab = await person.open("/settings/skills")
    skill = tab.find("skill")
    await expect(skill).to_contain_text("How to deploy the shop")
    await skill.get_by_role("button", name="Show deploy").click()
    await expect(tab.find("skill-text")).to_contain_text(
        '<script>document.title = "run"</script> Push the button.'
    )
    await tab.page.keyboard.press("Escape")
    await skill.get_by_role("switch", name="Always send deploy").check()
    await expect(tab.find("skills-budget")).to_contain_text("go along with each message")

    await tab.page.goto(f"{person.url}/settings/instructions")
    form = tab.find("instructions-form")
    await form.get_by_label("Instructions", exact=True).fill("Write short answers.")
    await expect(form).to_contain_text("Not saved yet")
    await form.get_by_role("button", name="Save").click()
    await expect(form).to_contain_text("Saved")
    await tab.page.get_by_role("switch", name="Send them to agents too").check()
    await tab.page.reload()
    await expect(form.get_by_label("Instructions", exact=True)).to_have_value("Write short answers.")

    tab = await person.open_chat(chat)
    await expect(tab.find("skills-chip")).to_have_text("1 skill")
    await tab.find("skills-chip").click()
    in_effect = tab.page.get_by_role("dialog", name="Sent along with the next message")
    await expect(in_effect).to_contain_text("Always sentdeploy")
    await expect(in_effect).to_contain_text("Your own instructions")
    await tab.page.keyboard.press("Escape")
    await tab.send(script(say("seen")))
    await until(lambda: bool(agent_log.received("session/prompt")), 30)
    (frame,) = agent_log.received("session/prompt")
    sent = json.dumps(frame["params"]["prompt"])
    assert "Write short answers." in sent
    assert "Push the button." in sent
    await expect(tab.find("sent-along")).to_contain_text("Sent with 1 skill, instructions")


def entries(tab: Tab) -> Locator:
    return tab.find("picker-entry")


def chips(tab: Tab) -> Locator:
    return tab.page.locator("form").get_by_role("list", name="Attachments").get_by_role("listitem")


async def is_for_a_thumb(target: Locator) -> None:
    box: Any = await target.bounding_box()
    assert min(box["width"], box["height"]) >= LEAST_TARGET
