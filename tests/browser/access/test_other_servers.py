"""Pages of other servers, what they receive, and pages built from agents' content (A34, A39, A65)."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from playwright.async_api import Frame, expect

from tests.browser.conftest import Meet
from tests.browser.link import Link
from tests.browser.person import Person
from tests.fakes.script import script, update
from tests.kit.clients.bare import exchange, is_error
from tests.kit.clients.client import Api
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>"


class OtherServer:
    """Somebody else's server on this machine: serves one page, and records the requests."""

    def __init__(self) -> None:
        self.page = "<!doctype html><link rel=icon href='data:,'><title>Other</title>"
        self.asked: list[str] = []
        """The head of each request."""
        self.port = 0
        self.leads_to: str | None = None
        """Where it redirects requests for another host name."""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        body = self.page.encode()
        status = "200 OK"
        if self.leads_to is not None and f"Host: {self.leads_to}" not in self.asked[-1]:
            status = f"302 Found\r\nLocation: http://{self.leads_to}/"
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n"
            "Connection: close"
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
    """A39: neither another site's page, nor one of a local server under our own name."""
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


@pytest.mark.parametrize("name", ["voxpilot.localhost", "localhost", "127.0.0.1"])
async def test_a_cookie_that_another_port_was_sent_opens_nothing(
    meet: Meet, api: Api, link: Link, server: ServerProcess, name: str
) -> None:
    """Cookies ignore ports: a server on another port sends the browser to our name and gets our cookie."""
    person = await signed_in_at(meet, api, link, name)
    tab = await person.open("/")
    await tab.is_live()
    async with other_server() as other:
        other.leads_to = f"{name}:{other.port}"
        # Whatever its page does there, the key stays in the storage of our origin, which includes the port.
        other.page += "<script>document.title = JSON.stringify(localStorage)</script>"
        page = await person.context.new_page()
        await page.goto(f"http://{'localhost' if name == '127.0.0.1' else '127.0.0.1'}:{other.port}/")
        assert await page.title() == "{}"
        [stolen] = {line for line in other.cookies if "voxpilot=" in line}
        assert "key" not in "".join(other.asked).lower()
    host = ("Host", f"{name}:{server.port}")
    cookie = ("Cookie", stolen.partition(":")[2].strip())
    for path in ("/api/me", "/api/chats", "/api/stream", "/api/settings"):
        assert is_error(await exchange(server.port, "GET", path, [host, cookie]), 401), path
    await tab.page.reload()
    await tab.is_live()


async def test_what_an_agent_sent_is_never_a_page(meet: Meet, api: Api, chat: str) -> None:
    """A34: there is no preview of files; every route with agents' content returns JSON, with that type."""
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
    person.expect_trouble("status of 401")
    raw = await person.context.new_page()
    raw.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for path in (f"/api/chats/{chat}/events/{seq}", f"/api/chats/{chat}/blocks", "/api/chats"):
        # A URL alone opens nothing: the page's key is not sent with it.
        reply = await raw.goto(person.url + path)
        assert reply is not None
        assert reply.status == 401
        assert await raw.evaluate("document.contentType") == "application/json"
        told = await api.request("GET", path)
        for headers in (reply.headers, told.headers):
            assert headers["content-type"] == "application/json"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"
    assert dialogs == []
