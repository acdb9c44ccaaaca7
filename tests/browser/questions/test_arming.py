"""A click that was meant for something else does not answer a question (A39)."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.fakes.script import ALLOW, ask, script, spoken_by
from tests.kit.clients.client import Api

_PRESS_AT_ONCE = """() => {
  // Presses every way there is at the moment the card appears, and keeps the time until it takes answers.
  globalThis.presses = 0;
  const press = (button) => {
    globalThis.presses += 1;
    button.click();
    for (const key of ["y", "Enter"]) {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }
  };
  new MutationObserver(() => {
    const card = document.querySelector("[data-testid=block-question][data-state=open]");
    const button = card?.querySelector("[data-testid=question-option]");
    if (!button) return;
    globalThis.appearedAt ??= performance.now();
    if (card.dataset.armed === "true") globalThis.armedAt ??= performance.now();
    else press(button);
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
_SEEN = """(state) => {
  Object.defineProperty(document, "visibilityState", { get: () => state, configurable: true });
  Object.defineProperty(document, "hidden", { get: () => state === "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  document.querySelector("[data-testid=question-option]").click();
  return document.querySelector("[data-testid=block-question]").dataset.armed;
}"""


async def armed(tab: Tab) -> None:
    await tab.page.locator("[data-testid=block-question][data-armed=true]").wait_for()


async def test_clicks_in_the_first_half_second_decide_nothing(meet: Meet, api: Api, chat: str) -> None:
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    await tab.evaluate(_PRESS_AT_ONCE)
    prompt = script(ask("edit", "May I?"))
    await api.prompt(chat, prompt)
    await armed(tab)
    assert await tab.evaluate("globalThis.presses") > 0
    assert await tab.evaluate("globalThis.armedAt - globalThis.appearedAt") >= 490
    await expect(tab.find("block-question")).to_have_attribute("data-state", "open")
    assert (await api.chat(chat))["needs_you"] == 1
    await tab.answer("Allow")
    await tab.says(spoken_by(prompt, [ALLOW]))


async def test_clicks_on_a_page_that_is_hidden_or_was_just_now_decide_nothing(
    meet: Meet, api: Api, chat: str
) -> None:
    """Chromium under automation never hides a page, so this is simulated."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    prompt = script(ask("edit", "May I?"))
    await api.prompt(chat, prompt)
    await armed(tab)
    assert await tab.evaluate(_SEEN, "hidden") == "false"
    assert await tab.evaluate(_SEEN, "visible") == "false"
    await armed(tab)
    await expect(tab.find("block-question")).to_have_attribute("data-state", "open")
    assert (await api.chat(chat))["needs_you"] == 1
    await tab.answer("Allow")
    await tab.says(spoken_by(prompt, [ALLOW]))
