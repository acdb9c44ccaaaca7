"""Pages of other servers, and pages made of what agents sent (A34, A39, A65)."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from playwright.async_api import Frame, expect

from tests.browser.conftest import Meet
from tests.browser.link import Link
from tests.browser.person import Person
from tests.fakes.script import script, update
from tests.kit.client import Api
from tests.kit.waiting import until

SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>"


class OtherServer:
    """Somebody else's server on this machine: gives out one page, and remembers what it was asked."""

    def __init__(self) -> None:
        self.page = "<!doctype html><link rel=icon href='data:,'><title>Other</title>"
        self.asked: list[str] = []
        """The head of each request."""
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        body = self.page.encode()
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close"
        )
        writer.write(head.encode() + b"\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    @property
    def cookies(self) -> list[str]:
        lines = [line for head in self.asked for line in head.split("\r\n")]
        return [line for line in lines if line.lower().startswith("cookie:")]


@asynccontextmanager
async def other_server() -> AsyncIterator[OtherServer]:
    other = OtherServer()
    async with await asyncio.start_server(other.answer, "127.0.0.1", 0) as listening:
        other.port = listening.sockets[0].getsockname()[1]
        yield other


async def signed_in_at(meet: Meet, api: Api, link: Link, name: str) -> Person:
    person = await meet("laptop", signed_in=False)
    person.url = f"http://{name}:{link.port}"
    await person.sign_in((await api.call("POST", "/api/links"))["code"])
    return person


async def test_no_page_can_put_ours_into_a_frame(meet: Meet, chat: str, link: Link) -> None:
    """A39: neither another site's, nor a local server's under our own name."""
    person = await meet("laptop")
    person.expect_trouble("frame-ancestors", "ERR_BLOCKED_BY_RESPONSE")
    async with other_server() as other:
        other.page += f"<iframe src='{link.url}/chat/{chat}' width=800 height=600></iframe>"
        for name in ("127.0.0.1", "evil.localhost"):
            page = await person.context.new_page()
            await page.goto(f"http://{name}:{other.port}/")
            [frame] = page.frames[1:]
            await until(partial(_is_refused, frame))
            assert await frame.locator("[data-testid=composer-input]").count() == 0
            await page.close()
    assert any("frame-ancestors" in complaint for complaint in person.complaints)


def _is_refused(frame: Frame) -> bool:
    return frame.url.startswith("chrome-error:")


async def test_no_other_server_is_sent_the_cookie_of_our_own_name(meet: Meet, api: Api, link: Link) -> None:
    """A65: the link that is printed signs in at voxpilot.localhost."""
    person = await signed_in_at(meet, api, link, "voxpilot.localhost")
    tab = await person.open("/")
    await tab.is_live()
    await expect(tab.find("shared-name")).to_have_count(0)
    async with other_server() as other:
        for name in ("localhost", "127.0.0.1", "other.localhost", "x.voxpilot.localhost"):
            page = await person.context.new_page()
            await page.goto(f"http://{name}:{other.port}/")
            await page.close()
        assert len(other.asked) >= 4
        assert other.cookies == []


async def test_where_others_are_sent_it_the_page_warns_and_it_does_not_last(
    meet: Meet, api: Api, link: Link
) -> None:
    """A65: cookies know no ports, so at 127.0.0.1 and localhost they go to every server there."""
    for name in ("127.0.0.1", "localhost"):
        person = await signed_in_at(meet, api, link, name)
        tab = await person.open("/")
        warning = tab.find("shared-name")
        await expect(warning).to_contain_text(f"Other servers on {name} are sent this sign-in too")
        await expect(warning).to_contain_text("within 12 hours")
        href = await warning.get_by_role("link").get_attribute("href")
        assert href == f"http://voxpilot.localhost:{link.port}/"
        [cookie] = [one for one in await person.context.cookies() if one.get("name") == "voxpilot"]
        assert 11 < (cookie["expires"] - time.time()) / 3600 <= 12.1
        async with other_server() as other:
            page = await person.context.new_page()
            await page.goto(f"http://{name}:{other.port}/")
            assert any("voxpilot=" in line for line in other.cookies)
            await page.close()


async def test_what_an_agent_sent_is_never_a_page(meet: Meet, api: Api, chat: str) -> None:
    """A34: there is no preview of files; all that gives out what agents sent gives out JSON, and says so."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    dialogs: list[str] = []
    tab.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    data = base64.b64encode(SVG.encode()).decode()
    kinds = ("image/svg+xml", "text/html", "application/pdf", "image/png,<script>")
    pictures = [{"type": "image", "mimeType": kind, "data": data} for kind in kinds]
    resource = {
        "type": "resource",
        "resource": {"uri": "file:///x.html", "mimeType": "text/html", "text": SVG},
    }
    content = [{"type": "content", "content": part} for part in [*pictures, resource]]
    call = {
        "sessionUpdate": "tool_call",
        "toolCallId": "c",
        "title": "x",
        "kind": "read",
        "status": "completed",
    }
    await api.prompt(chat, script(update({**call, "content": content})))
    await tab.turns_end()
    await tab.find("block-tool").locator("summary").first.click()
    await expect(tab.find("block-tool")).to_contain_text("image (image/svg+xml), not shown")
    await expect(tab.find("block-tool")).to_contain_text(SVG)
    assert (
        await tab.page.locator(".tool-detail :is(img, svg, iframe, embed, object) >> visible=true").count()
        == 0
    )

    events = (await api.call("GET", f"/api/chats/{chat}/blocks"))["blocks"]
    seq = next(block["pos"] for block in events if block["kind"] == "tool")
    raw = await person.context.new_page()
    raw.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for path in (f"/api/chats/{chat}/events/{seq}", f"/api/chats/{chat}/blocks", "/api/chats"):
        reply = await raw.goto(person.url + path)
        assert reply is not None
        assert reply.status == 200
        headers = reply.headers
        assert headers["content-type"] == "application/json"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert await raw.evaluate("document.contentType") == "application/json"
    assert dialogs == []
