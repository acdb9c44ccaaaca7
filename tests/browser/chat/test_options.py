"""What an agent lets a person choose next to the message field: modes, models, other options."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.fakes.script import die, say, script
from tests.kit.peers.agent_log import AgentLog
from tests.kit.waiting import until


async def test_a_model_is_chosen_where_there_is_a_choice_and_reaches_the_agent(
    meet: Meet, chat: str, agent_log: AgentLog
) -> None:
    """R115, R116, R118, R120: nothing is shown before the agent has reported its options."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    await expect(offered(tab, "Model")).to_have_count(0)
    await tab.send(script(say("hi")))
    await tab.turns_end()
    await expect(offered(tab, "Mode")).to_be_visible()
    model = offered(tab, "Model")
    await model.select_option("scripted-2")
    await until(lambda: chosen(agent_log) == [("model", "scripted-2")], 10)
    await tab.page.reload()
    await expect(model).to_have_value("scripted-2")


async def test_a_choice_that_cannot_be_made_is_taken_back(meet: Meet, chat: str) -> None:
    """R116: with the reason next to it."""
    person = await meet("laptop")
    person.expect_trouble("status of 409")
    tab = await person.open_chat(chat)
    await tab.send(script(say("hi"), die()))
    await tab.turns_end()
    model = offered(tab, "Model")
    before = await model.input_value()
    await model.select_option("scripted-2")
    await expect(tab.page.get_by_role("alert")).to_contain_text("not running")
    await expect(model).to_have_value(before)


async def test_a_choice_by_keyboard_keeps_the_focus(meet: Meet, chat: str, agent_log: AgentLog) -> None:
    """Before the agent got it, and after."""
    tab = await (await meet("laptop")).open_chat(chat)
    await tab.send(script(say("hi")))
    await tab.turns_end()
    model = offered(tab, "Model")
    await model.focus()
    await tab.page.keyboard.press("ArrowDown")
    await expect(model).to_be_focused()
    await until(lambda: chosen(agent_log) == [("model", "scripted-2")], 10)
    await tab.page.keyboard.press("ArrowUp")
    await until(lambda: len(chosen(agent_log)) == 2, 10)
    await expect(model).to_be_focused()


def offered(tab: Tab, name: str) -> Locator:
    return tab.page.locator(".composer").get_by_role("combobox", name=name, exact=True)


def chosen(log: AgentLog) -> list[tuple[str, str]]:
    frames = log.received("session/set_config_option")
    return [(frame["params"]["configId"], frame["params"]["value"]) for frame in frames]
