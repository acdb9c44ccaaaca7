"""Files attached to a message: picked, pasted or dropped."""

from __future__ import annotations

import asyncio
import random
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.async_api import FilePayload, Route, expect

from tests.browser.conftest import Meet
from tests.browser.link import Link
from tests.browser.person import SECONDS, Tab
from tests.fakes.script import say, script, wait_file
from tests.kit.clients.client import Api
from tests.kit.clients.pictures import png
from tests.kit.peers.agent_log import AgentLog
from tests.kit.waiting import until

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def picture(name: str, data: bytes = PNG) -> dict[str, Any]:
    shown = {"type": "image", "mimeType": "image/png", "data": b64encode(data).decode()}
    return {**shown, "uri": f"file:///{name}"}


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


def sent(frame: dict[str, Any], after: int = 1) -> list[dict[str, Any]]:
    """The attachments after the text of a prompt. Each names the stored file; here only its name is left."""
    found = []
    for block in frame["params"]["prompt"][after:]:
        inner = block.get("resource", block)
        path = stored(inner["uri"])
        given = inner["text"].encode() if "text" in inner else b64decode(inner["data"])
        assert path.read_bytes() == given
        inner = {**inner, "uri": f"file:///{path.name}"}
        found.append({**block, "resource": inner} if "resource" in block else inner)
    return found


def linked(frame: dict[str, Any]) -> list[bytes]:
    """What the files contain to which a prompt links."""
    blocks = frame["params"]["prompt"][1:]
    assert {block["type"] for block in blocks} == {"resource_link"}
    return [stored(block["uri"]).read_bytes() for block in blocks]


def stored(uri: str) -> Path:
    return Path(unquote(uri.removeprefix("file://")))


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
    await tab.composer.evaluate(GIVE, ["paste", "image.png", "image/png", b64encode(PNG).decode()])
    await tab.composer.evaluate(GIVE, ["drop", "b.csv", "text/csv", b64encode(b"1,2").decode()])
    await expect(attached.get_by_role("listitem")).to_have_text(["notes.md", "image.png", "b.csv"])
    await tab.send(script(say("seen")))
    await tab.says("seen")
    (frame,) = agent_log.received("session/prompt")
    assert sent(frame) == [
        text("notes.md", "text/markdown", "Buy milk."),
        picture("image.png"),
        text("b.csv", "text/csv", "1,2"),
    ]
    await expect(attached).to_have_count(1)
    await expect(attached.get_by_role("listitem")).to_have_text(["notes.md", "", "b.csv"])
    await expect(tab.page.get_by_role("button", name="Open image.png")).to_be_visible()
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
    assert sent(frame) == [picture("photo.png")]
    await tab.page.goto(tab.page.url.rpartition("/chat/")[0] + "/new")
    await expect(tab.page.locator(".attached")).to_have_count(0)


async def test_what_is_too_much_for_one_message_is_said_and_not_taken(meet: Meet, chat: str) -> None:
    tab = await (await meet("laptop")).open_chat(chat)
    await pick(tab, picked("big.bin", "application/octet-stream", bytes(16_000_000)))
    await expect(tab.page.get_by_role("alert")).to_contain_text("up to 50 files, 15 MB")
    await expect(tab.page.locator(".attached")).to_have_count(0)


LARGE = bytes(range(256)) * 16_000
"""Four megabytes: in base64 more than localStorage can hold."""
KEPT = """async () => {
  const base = await new Promise((resolve) => {
    const asked = indexedDB.open("voxpilot");
    asked.onsuccess = () => resolve(asked.result);
  });
  return new Promise((resolve) => {
    if (!base.objectStoreNames.contains("large")) return resolve(0);
    const asked = base.transaction("large").objectStore("large").count();
    asked.onsuccess = () => { base.close(); resolve(asked.result); };
  });
}"""


async def keeps(tab: Tab, count: int) -> None:
    """Wait until the browser has stored this many files."""

    async def does() -> bool:
        return bool(await tab.evaluate(KEPT) == count)

    await until(does, SECONDS)


async def test_what_is_attached_survives_a_reload_and_another_chat(
    meet: Meet, api: Api, workspace: Path, chat: str, agent_log: AgentLog
) -> None:
    """Also in a second tab; removed once it is sent."""
    other = str((await api.create_chat(workspace))["id"])
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    await pick(tab, picked("notes.md", "text/markdown", b"Buy milk."), picked("a.bin", "", LARGE))
    attached = tab.page.locator(".composer .attached").get_by_role("listitem")
    await expect(attached).to_have_text(["notes.md", "a.bin"])
    await tab.page.reload()
    await expect(attached).to_have_text(["notes.md", "a.bin"])
    await tab.page.locator(f"a[href='/chat/{other}']").click()
    await tab.page.wait_for_url(f"**/chat/{other}")
    await expect(attached).to_have_count(0)
    await pick(tab, picked("b.csv", "text/csv", b"1,2"))
    await expect(attached).to_have_text(["b.csv"])
    await tab.page.go_back()
    await expect(attached).to_have_text(["notes.md", "a.bin"])
    second = await person.open_chat(chat)
    await expect(second.page.locator(".composer .attached li")).to_have_text(["notes.md", "a.bin"])
    await second.page.get_by_role("button", name="Remove notes.md").click()
    await expect(attached).to_have_text(["a.bin"])
    await keeps(tab, 2)
    await tab.send(script(say("seen")))
    await tab.says("seen")
    (frame,) = agent_log.received("session/prompt")
    assert linked(frame) == [LARGE]
    await keeps(tab, 1)
    await expect(second.page.locator(".composer .attached")).to_have_count(0)
    await tab.page.reload()
    await tab.says("seen")
    await expect(attached).to_have_count(0)


async def test_what_is_attached_to_a_first_message_survives_a_reload(
    meet: Meet, api: Api, workspace: Path, chat: str, agent_log: AgentLog
) -> None:
    tab = await (await meet("laptop")).open("/new")
    await pick(tab, picked("photo.png", "image/png", PNG))
    await expect(tab.page.locator(".attached-picture")).to_be_visible()
    await tab.page.reload()
    await expect(tab.page.locator(".attached-picture")).to_be_visible()
    await expect(tab.find("who").locator("option:checked")).to_have_attribute("value", "scripted")
    await tab.send(script(say("seen")))
    await tab.says("seen")
    (frame,) = agent_log.received("session/prompt")
    assert sent(frame) == [picture("photo.png")]
    await keeps(tab, 0)


async def test_a_large_file_sent_offline_outlives_its_tab(
    meet: Meet, link: Link, chat: str, agent_log: AgentLog
) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    link.cut()
    await expect(tab.connection).not_to_have_attribute("data-state", "live")
    await pick(tab, picked("a.bin", "", LARGE))
    await expect(tab.page.locator(".composer .attached li")).to_have_text(["a.bin"])
    await tab.send(script(say("it arrived")))
    await expect(tab.composer).to_have_value("")
    await tab.page.close()
    link.repair()
    tab = await person.open_chat(chat)
    await tab.says("it arrived")
    (frame,) = agent_log.received("session/prompt")
    assert linked(frame) == [LARGE]
    await keeps(tab, 0)


async def test_a_browser_that_has_no_room_says_so_and_sends_what_it_was_given(
    meet: Meet, chat: str, agent_log: AgentLog
) -> None:
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    browser = await person.context.new_cdp_session(tab.page)
    await browser.send("Storage.overrideQuotaForOrigin", {"origin": person.url, "quotaSize": 1000})
    await pick(tab, picked("a.bin", "", LARGE))
    await expect(tab.page.get_by_role("alert")).to_contain_text("lost if you reload or close this page")
    await expect(tab.page.locator(".composer .attached li")).to_have_text(["a.bin"])
    await tab.send(script(say("seen")))
    await tab.says("seen")
    (frame,) = agent_log.received("session/prompt")
    assert linked(frame) == [LARGE]
    await expect(tab.page.get_by_role("alert")).to_have_count(0)


async def test_what_was_attached_in_a_chat_that_is_deleted_is_forgotten(
    meet: Meet, api: Api, chat: str
) -> None:
    person = await meet("laptop")
    person.expect_trouble("status of 404")  # the page asks whether it is really gone
    tab = await person.open_chat(chat)
    await tab.type("half a thought")
    await pick(tab, picked("photo.png", "image/png", PNG))
    await keeps(tab, 1)
    await api.call("DELETE", f"/api/chats/{chat}")
    await keeps(tab, 0)
    assert await tab.evaluate("Object.keys(localStorage).filter((name) => /draft|attached/.test(name))") == []


async def test_files_alone_can_be_sent(
    meet: Meet, api: Api, workspace: Path, chat: str, agent_log: AgentLog
) -> None:
    """In a chat, in the queue, and as the first message, which titles the chat after the file."""
    tab = await (await meet("laptop")).open_chat(chat)
    await expect(tab.find("composer-send")).to_be_disabled()
    await tab.send(script(wait_file("go")))
    await expect(tab.find("composer-stop")).to_be_visible()
    await pick(tab, picked("my notes.md", "text/markdown", b"Buy milk."))
    await tab.find("composer-send").click()
    await expect(tab.page.locator(".queued-text")).to_have_text("my notes.md")
    (workspace / "go").touch()
    await tab.turns_end(2)
    asked = agent_log.received("session/prompt")
    assert sent(asked[-1], after=0) == [text("my notes.md", "text/markdown", "Buy milk.")]
    messages = tab.page.locator("article.message")
    await expect(messages).to_have_count(2)
    await expect(messages.last.locator(".message-text")).to_have_count(0)
    await tab.page.goto(tab.page.url.rpartition("/chat/")[0] + "/new")
    await expect(tab.find("who").locator("option:checked")).to_have_attribute("value", "scripted")
    await pick(tab, picked("photo.png", "image/png", PNG))
    await expect(tab.page.locator(".attached-picture")).to_be_visible()
    await tab.composer.press("Enter")
    await tab.page.wait_for_url("**/chat/*")
    await tab.turns_end()
    await expect(tab.page.get_by_role("heading", name="photo.png")).to_be_visible()
    await until(lambda: len(agent_log.received("session/prompt")) == 3, SECONDS)
    assert sent(agent_log.received("session/prompt")[-1], after=0) == [picture("photo.png")]


SIDE = 200
PHOTO = png(SIDE, random.Random(1).randbytes(3 * SIDE * SIDE))
"""Too large to be sent with its event."""
LETTERS = "a word " * 1_000


@pytest.mark.parametrize("data", [PNG, PHOTO])
async def test_a_picture_that_was_sent_is_seen_small_and_opened_large(
    meet: Meet, chat: str, data: bytes
) -> None:
    """P3: from the moment it is sent, and after a reload; it takes the same space before it is loaded."""
    person = await meet("phone", viewport={"width": 390, "height": 844}, has_touch=True)
    tab = await person.open_chat(chat)
    await pick(tab, picked("photo.png", "image/png", data))
    await tab.send(script(say("seen")))
    await tab.turns_end()
    thumb = tab.page.get_by_role("button", name="Open photo.png")
    side = 1 if data is PNG else SIDE
    for _ in range(2):
        await expect(thumb.locator("img")).to_have_js_property("naturalWidth", side)
        await tab.page.reload()
    large = tab.page.locator("dialog img")
    await thumb.click()
    await expect(large).to_have_js_property("naturalWidth", side)
    await expect(large).to_have_attribute("alt", "photo.png")
    await tab.page.keyboard.press("Escape")
    await expect(large).to_have_count(0)
    await expect(thumb).to_be_focused()
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    await tab.page.route("**/events/*", hold)
    await tab.page.reload()
    before = await thumb.bounding_box()
    held.set()
    await expect(thumb.locator("img")).to_have_js_property("naturalWidth", side)
    assert before == await thumb.bounding_box()


async def test_a_picture_that_cannot_be_loaded_says_so_and_can_be_tried_again(meet: Meet, chat: str) -> None:
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    await tab.page.route("**/events/*", lambda route: route.abort())
    await pick(tab, picked("photo.png", "image/png", PHOTO))
    await tab.send(script(say("seen")))
    await tab.turns_end()
    thumb = tab.page.get_by_role("button", name="Open photo.png")
    await expect(thumb).to_have_text("photo.png")
    await thumb.click()
    await expect(tab.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("is not responding")
    await tab.page.keyboard.press("Escape")
    await tab.page.unroute("**/events/*")
    await thumb.click()
    await expect(tab.page.locator("dialog img")).to_have_js_property("naturalWidth", SIDE)


async def test_what_is_no_picture_that_can_be_shown_stays_a_name(meet: Meet, api: Api, chat: str) -> None:
    """S: image types that could contain scripts are never drawn."""
    svg = b64encode(b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>").decode()
    bad = [
        {"type": "image", "mimeType": "image/svg+xml", "data": svg, "uri": "file:///a.svg"},
        {"type": "image", "mimeType": "image/png", "data": "javascript:alert(1)", "uri": "file:///b.png"},
    ]
    false = {"type": "image", "mimeType": "image/png", "data": svg, "uri": "file:///c.png"}
    await api.prompt(chat, script(say("seen")), attachments=[*bad, false])
    tab = await (await meet("laptop")).open_chat(chat)
    await tab.turns_end()
    shown = tab.page.get_by_role("list", name="Attachments")
    await expect(shown.locator(".chip")).to_have_text(["a.svg", "b.png"])
    await expect(shown.get_by_role("button", name="Open c.png")).to_have_text("c.png")
    await expect(shown.locator("img")).to_have_count(0)
    await shown.get_by_role("button", name="Open c.png").click()
    await expect(tab.page.get_by_role("dialog").get_by_role("alert")).to_have_text(
        "This image cannot be shown."
    )


@pytest.mark.parametrize(("words", "along"), [(LETTERS, True), (LETTERS * 12, False)])
async def test_long_words_are_shown_and_edited_whole(
    meet: Meet, api: Api, workspace: Path, chat: str, agent_log: AgentLog, words: str, along: bool
) -> None:
    """Next to a large image, or too many to send at once: an image is never shown in part."""
    words = words.strip()
    tab = await (await meet("laptop")).open_chat(chat)
    await api.prompt(chat, script(wait_file("go")))
    await api.prompt(chat, words, attachments=[picture("photo.png", PHOTO)] if along else [])
    await tab.page.get_by_role("button", name="Edit queued message").click()
    field = tab.page.get_by_label("Queued message", exact=True)
    await expect(field).to_have_value(words)
    await tab.page.get_by_role("button", name="Save").click()
    await expect(field).to_have_count(0)
    (workspace / "go").touch()
    await tab.turns_end(2)
    assert agent_log.received("session/prompt")[-1]["params"]["prompt"][0]["text"] == words
    said = tab.page.locator("article.message").last
    await said.get_by_role("button", name="Show all").click()
    await expect(said.locator(".message-text")).to_have_text(words)


async def test_nothing_that_was_attached_is_left_when_a_person_signs_out(meet: Meet, chat: str) -> None:
    tab = await (await meet("laptop")).open_chat(chat)
    await pick(tab, picked("photo.png", "image/png", PNG))
    await keeps(tab, 1)
    await tab.page.keyboard.press("Control+k")
    await tab.page.get_by_role("dialog").get_by_role("combobox").fill("Sign out")
    await tab.page.keyboard.press("Enter")
    await expect(tab.page.get_by_role("textbox", name="Link or code")).to_be_visible()
    await keeps(tab, 0)
