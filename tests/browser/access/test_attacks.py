"""Whatever an agent sends stays text: nothing runs, is fetched or drawn over (A31, A32, A33, A36).

Every text of the corpus (tests/attacks/corpus.json) reaches the page in every way an agent has. The browser
must report no error, no dialog may open, and no request may go anywhere but to our own server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from playwright.async_api import Dialog, Request, expect

from tests.attacks.corpus import ATTACKS, MARKUP, SCHEMES, TERMINAL
from tests.browser.conftest import Meet
from tests.browser.person import Person, Tab
from tests.fakes.script import commands, error, escapes, request, script, stderr, title, tool, update
from tests.kit.clients.client import Api

AT_ONCE = 12
"""The number of texts per block: a chat draws its newest sixty rows."""


class Watch:
    """Everything a page did that it should not have."""

    def __init__(self, person: Person, tab: Tab) -> None:
        self._own = person.url
        self.dialogs: list[str] = []
        self.requests: list[str] = []
        person.context.on("request", self._asked)
        tab.page.on("dialog", self._opened)
        tab.page.on("popup", lambda page: self.dialogs.append(f"a window: {page.url}"))
        tab.page.on("download", lambda download: self.dialogs.append(f"a download: {download.url}"))

    async def _opened(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        await dialog.dismiss()

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self._own}/", "data:image/", "blob:")):
            self.requests.append(request.url)

    async def check(self, tab: Tab) -> None:
        # After two frames and a round trip, anything that the texts started is visible.
        await tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
        assert (self.dialogs, self.requests) == ([], [])
        assert await tab.evaluate(DANGERS) == []
        assert await tab.evaluate("globalThis.name + document.cookie") == ""


DANGERS = r"""() => {
  const found = [];
  const allowed = /^(https?:|mailto:)/;
  const forbidden = new Set(
    ("script iframe object embed applet link meta base style frame template video audio source math " +
     "portal marquee foreignobject animate set use").split(" ")
  );
  const acting = /^(on.*|srcdoc|ping|formaction|style|srcset|background|poster|action)$/;
  for (const element of document.querySelectorAll("*")) {
    const tag = element.tagName.toLowerCase();
    const isOurs = element.closest("head") !== null;
    if (!isOurs && forbidden.has(tag)) found.push(`<${tag}>`);
    for (const { name, value } of element.attributes) {
      if (acting.test(name)) found.push(`${tag} ${name}=${value}`);
    }
    if (tag === "a" && element.hasAttribute("href")) {
      const isPage = element.origin === location.origin && element.getAttribute("href").match(/^[/#]/);
      if (!isPage && !allowed.test(element.href)) found.push(`a ${element.href}`);
      if (!isPage && !/noopener noreferrer/.test(element.rel)) found.push(`rel ${element.href}`);
      if (!isPage && element.target !== "_blank") found.push(`target ${element.href}`);
      const host = element.protocol === "mailto:" ? element.pathname : element.host;
      const card = element.closest("[data-testid=block-question]");
      const said = (card ?? element).textContent + (element.nextElementSibling?.textContent ?? "");
      if (!isPage && !said.includes(host)) found.push(`${element.href} is not told`);
    }
    if (tag === "img" && !/^data:image\/(png|jpeg|gif|webp);base64,/.test(element.getAttribute("src"))) {
      found.push(`img ${element.getAttribute("src")}`);
    }
  }
  return [...new Set(found)].slice(0, 20);
}"""
OPEN_ALL = """() => {
  const closed = [...document.querySelectorAll("details:not([open]) > summary")];
  for (const summary of closed) summary.click();
  return closed.length;
}"""


async def open_all(tab: Tab) -> None:
    """Expand everything that can be expanded, including nested parts."""
    for _ in range(6):
        if await tab.evaluate(OPEN_ALL) == 0:
            return
    raise AssertionError("there is always more to open")


def batched(texts: list[str]) -> Iterator[list[str]]:
    return (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))


def part(text: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": text}}


def said(kind: str, number: int, text: str) -> str:
    content = {"type": "text", "text": text}
    return update({"sessionUpdate": kind, "messageId": f"{kind}-{number}", "content": content})


def called(number: int, kind: str, **fields: Any) -> str:
    call = {"sessionUpdate": "tool_call", "toolCallId": f"call-{number}", "kind": kind, "status": "completed"}
    return update({**call, **fields})


def tools() -> list[str]:
    """Each text as a title, a command, output, prose, a file's name, its contents and raw data.

    Reads and changes are separate, so that each is one row.
    """
    return sorted(_tools(), key=lambda call: '"kind": "edit"' in call)


def _tools() -> Iterator[str]:
    numbers = count()
    for texts in batched(ATTACKS):
        first = texts[0]
        parts = [part(text) for text in texts]
        yield called(next(numbers), "other", title=first, content=parts, rawOutput={first: texts})
        yield called(
            next(numbers), "execute", title=first, content=parts, rawInput={"command": "\n".join(texts)}
        )
        diffs = [{"type": "diff", "path": text, "oldText": "old\n", "newText": text} for text in texts]
        places = [{"path": text, "line": 1} for text in texts]
        yield called(next(numbers), "edit", title=first, content=diffs[:4], locations=places)
        links = [{"type": "resource_link", "uri": text, "name": text} for text in texts]
        content = [{"type": "content", "content": link} for link in links]
        yield called(next(numbers), "read", title=first, content=content)
    yield called(
        next(numbers), "execute", title=ATTACKS[0], status="failed", content=[part("\n".join(ATTACKS))]
    )


async def test_no_text_of_an_agent_does_more_than_be_read(meet: Meet, api: Api, chat: str) -> None:
    """A31, A32, A33: text, thoughts, tool calls, plans, commands, unknown updates, titles."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    watch = Watch(person, tab)
    plan = [{"content": text, "priority": "high", "status": "pending"} for text in ATTACKS]
    offered = [{"name": text, "description": text} for text in ATTACKS[:40]]
    await api.prompt(chat, script(*tools()))
    await tab.turns_end(within=60)
    await open_all(tab)
    await watch.check(tab)
    await expect(tab.find("block-tool")).to_have_count(len(tools()))
    prompt = script(
        update({"sessionUpdate": "plan", "entries": plan}),
        update({"sessionUpdate": "available_commands_update", "availableCommands": offered}),
        update({"sessionUpdate": ATTACKS[0], "more": ATTACKS[:20]}),
        *(said("agent_thought_chunk", n, "\n\n".join(some)) for n, some in enumerate(batched(ATTACKS))),
        commands("fine"),
        stderr("\n".join(MARKUP)),
        *(said("agent_message_chunk", n, "\n\n".join(some)) for n, some in enumerate(batched(MARKUP))),
        title(MARKUP[0]),
    )
    await api.prompt(chat, prompt)
    await tab.turns_end(2, within=60)
    assert await tab.texts.count() > len(MARKUP) // AT_ONCE
    await open_all(tab)
    await watch.check(tab)
    assert await tab.page.get_by_text("Remote image blocked").count() > 0
    for text in [*MARKUP[:5], SCHEMES[0]]:
        await api.call("PATCH", f"/api/chats/{chat}", {"title": text})
        await expect(tab.find("chat-list-item").first).to_contain_text(text.strip())
        await watch.check(tab)
    await tab.page.reload()
    await expect(tab.find("turn-footer").last).to_be_visible()
    await open_all(tab)
    await watch.check(tab)


async def test_no_question_and_no_error_of_an_agent_does_more_than_be_read(
    meet: Meet, api: Api, chat: str
) -> None:
    """A31, A32: permissions, forms, links to open, errors."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    watch = Watch(person, tab)
    everything = "\n".join(ATTACKS)
    asked: dict[str, Any] = {
        "toolCallId": "ask",
        "title": everything,
        "kind": "execute",
        "rawInput": {"command": everything},
    }
    asked["content"] = [part(text) for text in ATTACKS]
    options = [
        {"optionId": f"o{n}", "name": text, "kind": "allow_once"} for n, text in enumerate(MARKUP[:12])
    ]
    await api.prompt(
        chat,
        script(
            request("session/request_permission", {"toolCall": asked, "options": options}),
            request("elicitation/create", {"mode": "form", "message": everything, "requestedSchema": FORM}),
            *(
                request(
                    "elicitation/create",
                    {"mode": "url", "message": "Open", "elicitationId": f"e{n}", "url": target},
                )
                for n, target in enumerate(["https://evil.example/\u202emoc", "javascript:alert(1)"])
            ),
            error(-32603, everything),
        ),
    )
    card = tab.page.locator("[data-testid=block-question][data-state=open]")
    await card.wait_for()
    await open_all(tab)
    await watch.check(tab)
    await _press(tab, "allow_once")
    await expect(tab.page.get_by_label("needle")).to_be_visible()
    await watch.check(tab)
    await _press(tab, "decline")
    link = tab.page.locator("a[data-testid=question-option]")
    await link.wait_for()
    await expect(card).to_contain_text("evil.example")
    await expect(card).to_contain_text("U+202E")
    await watch.check(tab)
    await _press(tab, "decline")
    await tab.turns_end()
    await open_all(tab)
    await watch.check(tab)


FORM = {
    "type": "object",
    "properties": {
        **{text: {"type": "string", "title": text, "description": text} for text in MARKUP[:60]},
        "choice": {"type": "string", "title": "needle", "enum": MARKUP[:60]},
        "named": {"type": "string", "oneOf": [{"const": text, "title": text} for text in ATTACKS[-80:]]},
        "several": {"type": "array", "title": MARKUP[5], "items": {"enum": ATTACKS[-80:]}},
        "__proto__": {"type": "string", "title": "__proto__"},
        "yes": {"type": "boolean", "title": MARKUP[6], "description": MARKUP[7]},
    },
}


async def _press(tab: Tab, kind: str) -> None:
    await tab.page.locator("[data-testid=block-question][data-armed=true]").wait_for()
    await tab.read_question()
    await tab.page.locator(f"[data-testid=question-option][data-kind={kind}]").first.click()


async def test_a_command_to_approve_shows_every_character_of_itself(meet: Meet, api: Api, chat: str) -> None:
    """A36: no escape sequence moves, hides or colours anything that a person is asked to allow."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    watch = Watch(person, tab)
    command = "rm -rf ~ #" + "".join(TERMINAL)
    asked = {"toolCallId": "ask", "title": command, "kind": "execute", "rawInput": {"command": command}}
    options = [{"optionId": "no", "name": "Reject", "kind": "reject_once"}]
    await api.prompt(
        chat, script(request("session/request_permission", {"toolCall": asked, "options": options}))
    )
    shown = tab.find("block-question").get_by_label("Command", exact=True)
    await shown.wait_for()
    text = await shown.text_content() or ""
    for run in re.split("[^ -~]+| {4,}", command):
        assert run.strip() in text
    for character in command:
        assert character in "\t\n" or character.isprintable() or f"U+{ord(character):04X}" in text
    tags = await shown.evaluate("(box) => [...box.querySelectorAll('*')].map((one) => one.tagName)")
    assert set(tags) <= {"DIV", "SPAN"}
    await watch.check(tab)
    await _press(tab, "reject_once")
    await tab.turns_end()


async def test_the_end_of_a_huge_command_cannot_hide(meet: Meet, api: Api, chat: str) -> None:
    """A36: content that is too large to be sent at once is marked as cut, and can be loaded in full first."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    command = "echo " + "a" * 200_000 + "; rm -rf ~"
    asked = {
        "toolCallId": "ask",
        "title": "Say something",
        "kind": "execute",
        "rawInput": {"command": command},
    }
    options = [{"optionId": "no", "name": "Reject", "kind": "reject_once"}]
    await api.prompt(
        chat, script(request("session/request_permission", {"toolCall": asked, "options": options}))
    )
    card = tab.find("block-question")
    await expect(card).to_contain_text("Only part of 201 kB is shown")
    await card.get_by_role("button", name="Show everything").click()
    await expect(card.get_by_label("Command", exact=True)).to_have_text(command)
    await expect(card).not_to_contain_text("Only part")
    await _press(tab, "reject_once")
    await tab.turns_end()


async def test_ten_megabytes_of_escapes_leave_the_page_at_work(meet: Meet, api: Api, chat: str) -> None:
    """A36: as output of a command, and loaded in full by a person."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    watch = Watch(person, tab)
    await api.prompt(chat, script(tool("flood", "execute", "flood"), escapes("flood", 10), "stop end_turn"))
    await tab.turns_end(within=60)
    await open_all(tab)
    await tab.page.get_by_role("button", name="Load all").click()
    await expect(tab.page.locator(".terminal-text").last).to_contain_text("the end", timeout=60_000)
    assert (await tab.page.locator(".terminal-text").last.text_content() or "").strip() == "the end"
    await watch.check(tab)
    await tab.send(json.dumps("still here"))
    await expect(tab.page.get_by_text("still here").first).to_be_visible()
