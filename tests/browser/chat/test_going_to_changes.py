"""From the list of changed files to the change itself, wherever in the chat it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.scripts import call, diff
from tests.fakes.script import say, script
from tests.kit.clients.client import Api

SIZES = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


@pytest.mark.parametrize("size", SIZES)
async def test_a_changed_file_leads_to_its_last_change(
    meet: Meet, api: Api, chat: str, workspace: Path, size: str
) -> None:
    """Far up, among other changes; the newer one of two."""
    paths = {name: str(workspace / f"{name}.py") for name in ("one", "two", "three")}

    def edits(id: str, name: str, words: str) -> str:
        return call(id, diff(paths[name], "", words), status="completed")

    early = script(edits("a", "two", "THE FIRST"), say("Now again."), edits("b", "one", "x"))
    late = script(edits("c", "three", "y"), edits("d", "two", "THE SECOND"), say("\n\n".join(["line"] * 200)))
    for prompt in (early, late):
        await api.prompt(chat, prompt)
    person = await meet(size, viewport=SIZES[size], has_touch=size == "phone")
    tab = await person.open_chat(chat)
    await tab.turns_end(2)
    if size == "phone":
        await tab.page.get_by_role("button", name="More", exact=True).click()
        await tab.page.get_by_role("menuitem", name="Plan and changes").click()
    changed = tab.page.get_by_role("button").filter(has_text="two.py")
    await expect(tab.page.locator(".diff")).to_have_count(0)
    await changed.click()
    await expect(tab.page.locator(".diff", has_text="THE SECOND")).to_be_in_viewport()
    await expect(tab.page.locator("dialog[open]")).to_have_count(0)
    await expect(tab.page.locator(".diff")).to_have_count(1)
    await expect(tab.page.locator(":focus")).to_contain_text("two.py")
