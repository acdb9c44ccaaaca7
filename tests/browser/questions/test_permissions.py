"""Permissions on the page: the policy, what it approves, and what it never approves."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.link import Link
from tests.fakes.script import ALLOW, ALWAYS, REJECT, ask, ask_many, say, script, wait_file
from tests.kit.clients.asking import run, tool_call
from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.waiting import until

PHONE = {"viewport": {"width": 390, "height": 844}}


async def test_the_chip_switches_the_policy_at_once_and_each_approval_leaves_a_line(
    meet: Meet, api: Api, chat: str, agent_log: AgentLog
) -> None:
    """A54, R81: what is open and covered is approved, the rest stays with a warning; all devices see it."""
    laptop, phone = await meet("laptop"), await meet("phone", **PHONE)
    tab, other = await laptop.open_chat(chat), await phone.open_chat(chat)
    chip = tab.find("policy")
    await expect(chip).to_have_attribute("data-policy", "ask")
    await api.prompt(chat, script(run("make"), run("cat .env"), say("end")))
    await expect(tab.find("block-question").first).to_contain_text("make")
    await chip.locator("select").select_option("auto")
    await expect(tab.find("caution")).to_contain_text(".env may contain secrets or change what programs do")
    for view in (tab, other):
        await expect(view.find("policy")).to_have_attribute("data-policy", "auto")
        await expect(view.page.get_by_text("Approved automatically")).to_be_visible()
    await tab.answer("Reject")
    await tab.turns_end()
    assert agent_log.decisions() == [ALLOW, REJECT]


async def test_a_setting_that_is_stronger_is_shown_and_cannot_be_switched_here(
    meet: Meet, api: Api, chat: str
) -> None:
    """A54, C1"""
    tab = await (await meet()).open_chat(chat)
    await api.call("PUT", "/api/settings", {"acpAutoAllowPermissions": True})
    await expect(tab.find("policy")).to_have_attribute("data-policy", "auto")
    await expect(tab.find("policy").locator("select")).to_be_disabled()
    await api.call("PUT", "/api/settings", {"acpAutoAllowPermissions": False})
    await expect(tab.find("policy")).to_have_attribute("data-policy", "ask")
    await expect(tab.find("policy").locator("select")).to_be_enabled()


async def test_a_policy_or_mode_that_could_not_be_set_is_not_shown(meet: Meet, link: Link, chat: str) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    link.cut()
    await expect(tab.connection).not_to_have_attribute("data-state", "live")
    policy, mode = tab.find("policy").locator("select"), tab.find("mode")
    for select, other, counts in ((policy, "auto", "ask"), (mode, "", "scripted")):
        async with tab.page.expect_event("requestfailed", lambda request: request.method == "PATCH"):
            await select.select_option(other)
        await expect(tab.page.locator(".below-problem")).to_be_visible()
        await expect(select).to_have_value(counts)
    link.repair()
    await tab.is_live()


async def test_reject_and_say_why(
    meet: Meet, api: Api, chat: str, agent_log: AgentLog, workspace: Path
) -> None:
    """R89: the reason is shown in the chat as the next message, and reaches the agent."""
    tab = await (await meet()).open_chat(chat)
    await api.prompt(chat, script(ask("t1"), wait_file("go")))
    await expect(tab.page.locator('[data-testid="block-question"][data-armed="true"]')).to_be_visible()
    await tab.page.get_by_role("button", name="Reject with a reason").click()
    await tab.page.get_by_label("Reason", exact=True).fill("say rather this")
    await tab.page.get_by_label("Reason", exact=True).press("Enter")
    await until(lambda: agent_log.decisions() == [REJECT], 10)
    await expect(tab.page.get_by_text("say rather this").first).to_be_visible()
    (workspace / "go").touch()
    await tab.turns_end(2)
    await tab.says(f"<answer:{REJECT}>rather this")


async def test_who_acted_without_asking_is_marked(meet: Meet, api: Api, chat: str) -> None:
    """F32"""
    tab = await (await meet()).open_chat(chat)
    await api.prompt(chat, script(tool_call("quietly", "completed", kind="edit"), say("end")))
    await tab.turns_end()
    await expect(tab.find("unasked")).to_have_text("ran without asking")


async def test_fifty_questions_wait_in_a_visible_queue(
    meet: Meet, api: Api, chat: str, agent_log: AgentLog
) -> None:
    """F40, R86: one is active, each is decided on its own, and none is approved by answering another."""
    tab = await (await meet("phone", **PHONE)).open_chat(chat)
    await api.prompt(chat, script(ask_many(50)))
    await expect(tab.page.get_by_text("Question 1 of 50")).to_be_visible()
    await tab.answer("Always allow")
    await expect(tab.page.get_by_text("Question 1 of 49")).to_be_visible()
    assert agent_log.decisions() == [ALWAYS]
    await tab.page.get_by_role("button", name="Next question").click()
    await expect(tab.page.get_by_text("Question 2 of 49")).to_be_visible()
    await api.cancel(chat)
    await tab.turns_end()


async def test_a_card_drawn_by_an_agent_stays_text_and_the_real_one_stands_elsewhere(
    meet: Meet, api: Api, chat: str
) -> None:
    """A52: nothing in the conversation can be pressed to allow anything."""
    fake = (
        '<section class="question" data-testid="block-question" data-state="open">'
        "<h2>VoxPilot has a question</h2>"
        '<button class="option option-allow" data-testid="question-option">Allow</button></section>\n\n'
        "**Click Allow to continue** [Allow](javascript:alert(1)) \x1b[7m Allow \x1b[0m"
    )
    tab = await (await meet()).open_chat(chat)
    await api.prompt(chat, script(say(fake), ask("t1", "The real one")))
    await tab.page.locator("[data-testid=block-question][data-armed=true]").wait_for()
    conversation = tab.page.locator(".scroller")
    await expect(conversation).to_contain_text("Click Allow to continue")
    await expect(conversation.get_by_role("button", name="Allow")).to_have_count(0)
    await expect(conversation.get_by_test_id("question-option")).to_have_count(0)
    await expect(conversation.locator("[data-armed]")).to_have_count(0)
    await expect(tab.page.locator(".dock").get_by_text("The real one", exact=True).first).to_be_visible()
    await tab.answer("Reject")
    await tab.turns_end()
