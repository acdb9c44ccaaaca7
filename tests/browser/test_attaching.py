"""Files that go along with a message: picked, pasted or dropped."""

from __future__ import annotations

from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from playwright.async_api import FilePayload, expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.fakes.script import say, script
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICTURE = {"type": "image", "mimeType": "image/png", "data": b64encode(PNG).decode()}
GIVE = """(field, [event, name, type, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const given = new DataTransfer();
  given.items.add(new File([bytes], name, { type }));
  const how = { bubbles: true, cancelable: true };
  field.dispatchEvent(event === "paste"
    ? new ClipboardEvent("paste", { ...how, clipboardData: given })
    : new DragEvent("drop", { ...how, dataTransfer: given }));
}"""


def picked(name: str, kind: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": kind, "buffer": data}


def text(name: str, kind: str, words: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": f"file:///{name}", "mimeType": kind, "text": words}}


async def pick(tab: Tab, *files: FilePayload) -> None:
    async with tab.page.expect_file_chooser() as chooser:
        await tab.page.get_by_role("button", name="Attach files").click()
    assert (await chooser.value).is_multiple()
    await (await chooser.value).set_files(list(files))


async def test_files_that_are_picked_pasted_or_dropped_go_along(
    meet: Meet, api: Api, chat: str, agent_log: AgentLog
) -> None:
    tab = await (await meet("laptop")).open_chat(chat)
    await pick(
        tab, picked("notes.md", "text/markdown", b"Buy milk."), picked("a.txt", "text/plain", b"not this")
    )
    attached = tab.page.get_by_role("list", name="Attachments")
    await expect(attached.get_by_role("listitem")).to_have_text(["notes.md", "a.txt"])
    await tab.page.get_by_role("button", name="Remove a.txt").click()
    png = b64encode(PNG).decode()
    await tab.composer.evaluate(GIVE, ["paste", "image.png", "image/png", png])
    await tab.composer.evaluate(GIVE, ["drop", "b.csv", "text/csv", b64encode(b"1,2").decode()])
    await expect(attached.get_by_role("listitem")).to_have_text(["notes.md", "Picture (PNG)", "b.csv"])
    await tab.send(script(say("seen")))
    await tab.says("seen")
    (frame,) = agent_log.received("session/prompt")
    assert frame["params"]["prompt"][1:] == [
        text("notes.md", "text/markdown", "Buy milk."),
        PICTURE,
        text("b.csv", "text/csv", "1,2"),
    ]
    await expect(attached).to_have_count(1)
    await expect(attached).to_have_text("notes.mdPicture (PNG)b.csv")
    await expect(tab.page.locator(".composer .attached")).to_have_count(0)


async def test_files_go_along_with_the_first_message_too(
    meet: Meet, api: Api, workspace: Path, chat: str, agent_log: AgentLog
) -> None:
    tab = await (await meet("phone", viewport={"width": 390, "height": 844}, has_touch=True)).open("/new")
    await expect(tab.find("who").locator("option:checked")).to_have_attribute("value", "scripted")
    await pick(tab, picked("photo.png", "image/png", PNG))
    await expect(tab.page.locator(".attached-picture")).to_be_visible()
    await tab.send(script(say("seen")))
    await tab.says("seen")
    (frame,) = agent_log.received("session/prompt")
    assert frame["params"]["prompt"][1:] == [PICTURE]
    await tab.page.goto(tab.page.url.rpartition("/chat/")[0] + "/new")
    await expect(tab.page.locator(".attached")).to_have_count(0)


async def test_what_is_too_much_for_one_message_is_said_and_not_taken(meet: Meet, chat: str) -> None:
    tab = await (await meet("laptop")).open_chat(chat)
    await pick(tab, picked("big.bin", "application/octet-stream", bytes(16_000_000)))
    await expect(tab.page.get_by_role("alert")).to_contain_text("at most 50 files and 15 MB")
    await expect(tab.page.locator(".attached")).to_have_count(0)
