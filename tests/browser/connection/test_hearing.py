"""What a person with a screen reader hears."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.fakes.script import ask, say, script
from tests.kit.clients.client import Api

_LISTEN = """() => {
  globalThis.heard = [];
  const told = document.querySelector(".chat > [role=status]");
  const hear = () => told.textContent && globalThis.heard.push(told.textContent);
  new MutationObserver(hear).observe(told, { childList: true, characterData: true, subtree: true });
}"""


async def test_every_question_and_every_end_is_heard(meet: Meet, api: Api, chat: str) -> None:
    tab = await (await meet("laptop")).open_chat(chat)
    await tab.evaluate(_LISTEN)
    await api.prompt(chat, script(ask("a1", "One?"), ask("a2", "Two?"), say("done")))
    for title in ("One?", "Two?"):
        await expect(tab.page.locator(".dock")).to_contain_text(title)
        await tab.answer("Allow")
    await tab.turns_end()
    await tab.send(script(say("again")))
    await tab.turns_end(2)
    await tab.page.wait_for_function("() => globalThis.heard.length >= 4")
    first, second, *ends = await tab.evaluate("globalThis.heard")
    assert first == second
    assert "needs your answer" in first
    assert len(ends) == 2
    assert ends[0] == ends[1]
