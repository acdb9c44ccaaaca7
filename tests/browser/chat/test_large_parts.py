"""Content that is too large to be sent at once: the important part is shown, and all of it on request."""

from __future__ import annotations

import random
import re
from base64 import b64encode
from pathlib import Path
from typing import Any

from playwright.async_api import Route, expect

from tests.browser.conftest import Meet
from tests.browser.scripts import GO_UP, call, diff
from tests.fakes.script import request, say, script, tool, update, wait_file
from tests.kit.clients.client import Api
from tests.kit.clients.pictures import png

OPTIONS = [{"optionId": "no", "name": "Reject", "kind": "reject_once"}]
OLD = "".join(f"line {number} of the file\n" for number in range(1, 2501))
ONE = OLD.replace("line 1200 of", "line 1200 NOW of")
TWO = ONE.replace("line 2400 of", "line 2400 NOW of")


def words(text: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": text}}


async def test_a_person_who_is_asked_sees_what_a_large_edit_changes(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    """Some agents send the diff first and then only name the call in the question."""
    path = str(workspace / "big.py")

    def asks(id: str) -> str:
        named = {"toolCallId": id, "locations": [{"path": path}]}
        return request("session/request_permission", {"toolCall": named, "options": OPTIONS})

    tab = await (await meet("laptop")).open_chat(chat)
    await api.prompt(
        chat,
        script(
            call("one", diff(path, OLD, ONE)), asks("one"), call("two", diff(path, OLD, TWO)), asks("two")
        ),
    )
    card = tab.page.locator("section.dock")
    await expect(card.locator(".diff-added")).to_contain_text("line 1200 NOW of the file")
    await expect(card.locator(".diff-added .diff-number")).to_have_attribute("data-number", "1200")
    await expect(card.locator(".change-count")).to_have_text("+1−1")
    await expect(card).not_to_contain_text("No changes.")
    await tab.answer("Reject")
    await expect(card).to_contain_text("Only part of this change is shown.")
    await expect(card.locator(".diff-added").first).to_contain_text("line 1200 NOW of the file")
    await expect(card.locator(".change-count")).to_have_count(0)
    await card.get_by_role("button", name="Show everything").click()
    await expect(card).to_contain_text("line 2400 NOW of the file")
    await expect(card.locator(".change-count")).to_have_text("+2−2")
    await expect(card).not_to_contain_text("Only part")
    await tab.answer("Reject")
    await tab.turns_end()


async def test_what_is_loaded_takes_away_nothing_that_stood_beside_it(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    """The text that followed a large diff, and the diff that a large text followed."""
    tab = await (await meet("laptop")).open_chat(chat)
    changed = {"kind": "tool_call_update", "status": "completed"}
    await api.prompt(
        chat,
        script(
            call("one", diff(str(workspace / "a.py"), OLD, TWO)),
            call("one", words("All written."), **changed),
            say("Now the other."),
            call("two", diff(str(workspace / "b.py"), "old", "A SMALL CHANGE")),
            call("two", words("x" * 90_000 + "THE END"), **changed),
        ),
    )
    await tab.turns_end()
    seen = (("All written.", "line 2400 NOW"), ("A SMALL CHANGE", "THE END"))
    for place, (neighbour, loaded) in enumerate(seen):
        block = tab.find("block-tool").nth(place)
        await block.locator("summary").first.click()
        await expect(block).to_contain_text(neighbour)
        await expect(block).not_to_contain_text(loaded)
        await block.get_by_role("button", name="Load all").click()
        await expect(block).to_contain_text(loaded)
        await expect(block).to_contain_text(neighbour)
        await expect(block.locator(".cut-note")).to_have_count(0)


async def test_all_large_diffs_of_one_call_can_be_loaded(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    """Sent one after the other, in the call and in the question about it, and again with later updates."""
    tab = await (await meet("laptop")).open_chat(chat)
    one, two = (diff(str(workspace / name), OLD, TWO) for name in ("a.py", "b.py"))
    asks = request("session/request_permission", {"toolCall": {"toolCallId": "both"}, "options": OPTIONS})
    changed = {"kind": "tool_call_update"}
    await api.prompt(
        chat,
        script(
            call("both", one), call("both", two, **changed), asks, call("both", words("All done."), **changed)
        ),
    )
    last, part = "line 2400 NOW of the file", "Only part of this change is shown."
    for place, saw in ((tab.page.locator("section.dock"), ""), (tab.find("block-tool").first, "All done.")):
        if saw:
            await tab.answer("Reject")
            await tab.turns_end()
            await place.locator("summary").first.click()
        await expect(place.locator(".diff")).to_have_count(2)
        await expect(place.get_by_text(part)).to_have_count(2)
        await place.get_by_role("button", name="Load all" if saw else "Show everything").click()
        for shown in await place.locator(".diff").all():
            await expect(shown).to_contain_text(last)
            await expect(shown.locator(".change-count")).to_have_text("+2−2")
        await expect(place.get_by_text(part)).to_have_count(0)
        await expect(place.locator(".cut-note")).to_have_count(0)
        await expect(place).to_contain_text(saw)


async def test_what_came_while_loading_can_be_loaded_too(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    tab = await (await meet("laptop")).open_chat(chat)

    def printed(mark: str) -> str:
        said = {"sessionUpdate": "tool_call_update", "toolCallId": "long", "status": "in_progress"}
        return update({**said, "rawOutput": {"output": "x" * 90_000 + mark}})

    await api.prompt(
        chat, script(tool("long", "execute", "long"), printed("FIRST"), wait_file("go"), printed("SECOND"))
    )
    block = tab.find("block-tool").first
    await block.locator("summary").first.click()
    await expect(block.get_by_role("button", name="Load all")).to_be_enabled()

    async def slow(route: Route) -> None:
        (workspace / "go").touch()
        await tab.turns_end()
        await route.continue_()

    await tab.page.route("**/events/*", slow, times=1)
    await block.get_by_role("button", name="Load all").click()
    await tab.turns_end()
    await block.get_by_role("button", name="Load all").click()
    await expect(block).to_contain_text("SECOND")


def edits(workspace: Path, count: int, size: int) -> str:
    """A turn that says and changes something again and again."""
    made = [
        (
            say(f"Part {number}."),
            call(
                f"edit-{number}",
                diff(str(workspace / f"{number}.py"), "", f"{number}\n" * size),
                status="completed",
            ),
        )
        for number in range(count)
    ]
    return script(*(step for pair in made for step in pair), say("The end."))


async def test_the_end_of_a_long_turn_tells_of_all_of_it_to_whoever_comes_later(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    await api.prompt(chat, edits(workspace, 60, 1))
    await (await (await meet("laptop")).open_chat(chat)).turns_end()
    late = await (await meet("tablet", permissions=["clipboard-read", "clipboard-write"])).open_chat(chat)
    await expect(late.find("turn-footer")).to_contain_text("60 files changed")
    await expect(late.page.locator(".panel .panel-head", has_text="Changes")).to_have_text("Changes60")
    await late.find("turn-footer").get_by_role("button", name="Copy answer").click()
    copied = await late.evaluate("navigator.clipboard.readText()")
    assert copied == "\n\n".join([*(f"Part {number}." for number in range(60)), "The end."])


async def test_what_is_not_at_hand_of_an_enormous_turn_is_not_passed_over(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    await api.prompt(chat, edits(workspace, 80, 5_000))
    await (await (await meet("laptop")).open_chat(chat)).turns_end()
    late = await (await meet("tablet")).open_chat(chat)
    footer, head = late.find("turn-footer"), late.page.locator(".panel .panel-head", has_text="Changes")
    await expect(footer).to_contain_text(re.compile(r"s[1-7]\d\+ files changed"))
    await expect(head).to_have_text(re.compile(r"^Changes[1-7]\d\+$"))
    await expect(footer.get_by_role("button", name="Copy end of answer")).to_be_visible()
    await late.page.evaluate(GO_UP, "Part 0.")
    await expect(footer).to_contain_text("s80 files changed")
    await expect(footer.get_by_role("button", name="Copy answer")).to_be_visible()
    await expect(head).to_have_text("Changes80")


async def test_a_large_picture_of_an_agent_is_shown_on_request(meet: Meet, api: Api, chat: str) -> None:
    """R108: its data is sent only on request."""
    side = 200
    data = b64encode(png(side, random.Random(1).randbytes(3 * side * side))).decode()
    content = {"type": "image", "mimeType": "image/png", "data": data}
    tab = await (await meet("laptop")).open_chat(chat)
    await api.prompt(chat, script(update({"sessionUpdate": "agent_message_chunk", "content": content})))
    await tab.turns_end()
    picture = tab.page.locator("img.md-image")
    await expect(tab.page.get_by_text("image (image/png), not shown")).to_be_visible()
    await expect(picture).to_have_count(0)
    await tab.page.get_by_role("button", name="Load all").click()
    await expect(picture).to_have_js_property("naturalWidth", side)
    await expect(tab.page.get_by_role("button", name="Load all")).to_have_count(0)
