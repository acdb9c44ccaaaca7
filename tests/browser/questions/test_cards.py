"""A card shows everything that a person would allow, before it can be allowed (A7).

Every card of the corpus (tests/attacks/cards.py) is shown on the page by the real server, on a phone and on a
laptop. A person scrolls it; what matters must have been in view when Allow can be pressed, and not later.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.attacks.cards import Card, beside_a_change, cards, loaded
from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.conftest import NoteFigure
from tests.fakes.script import request, script
from tests.kit.clients.client import Api
from tests.kit.waiting import until

SIZES = {"phone": (390, 844), "laptop": (1280, 800)}
SIDE_BY_SIDE = 2

_LOOK = r"""async ([title, needles]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const until = async (holds) => {
    for (let n = 0; n < 300 && !holds(); n += 1) await frame();
    return holds();
  };
  const find = () => document.querySelector("[data-testid=block-question][data-state=open]");
  if (!(await until(() => find() && find() !== globalThis.lastCard))) return ["no card"];
  const card = (globalThis.lastCard = find());
  const options = () => [...card.querySelectorAll("[data-testid=question-option]")];
  const isNo = (option) => /^(reject_once|reject_always|cancel)$/.test(option.dataset.kind);
  const isOpen = (option) => option.getAttribute("aria-disabled") !== "true";
  if (!(await until(() => card.dataset.armed === "true"))) return ["never armed"];
  const problems = [];
  const inView = (element, rect) => {
    for (let box = element; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowY === "visible" && box !== document.documentElement) continue;
      const edge = box.getBoundingClientRect();
      const bottom = Math.min(edge.bottom, innerHeight), top = Math.max(edge.top, 0);
      if (rect.bottom > bottom + 1 || rect.top < top - 1) return false;
      if (rect.right > edge.right + 1 || rect.left < edge.left - 1) return false;
    }
    return rect.width > 0 && rect.height > 0;
  };
  const no = options().find(isNo);
  const canSayNo = no && isOpen(no) && inView(no, no.getBoundingClientRect());
  if (!canSayNo) problems.push("no way to say no in view");
  const isSeen = (needle) => {
    const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
    const nodes = [];
    let text = "";
    while (walker.nextNode()) {
      nodes.push([text.length, walker.currentNode]);
      text += walker.currentNode.data;
    }
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
      const place = (offset) => nodes.findLast(([start]) => start <= offset);
      const range = document.createRange();
      const [first, last] = [place(at), place(at + needle.length - 1)];
      range.setStart(first[1], at - first[0]);
      range.setEnd(last[1], at + needle.length - last[0]);
      if ([...range.getClientRects()].every((rect) => inView(first[1].parentElement, rect))) return true;
    }
    return false;
  };
  const unseen = new Set(needles);
  const look = () => unseen.forEach((needle) => isSeen(needle) && unseen.delete(needle));
  const yes = () => options().filter((option) => !isNo(option));
  for (let page = 0; page < 100; page += 1) {
    await frame();
    await frame();
    look();
    if (yes().every(isOpen)) break;
    if (yes().some(isOpen)) problems.push("some can be pressed and some not");
    const body = card.querySelector(".question-body");
    const more = [...card.querySelectorAll(".cut-note button")][0];
    const before = body.scrollTop;
    // Page by page; very long content in larger steps, because only its end matters.
    body.scrollTop += Math.max(body.clientHeight * 0.8, body.scrollHeight / 20);
    if (body.scrollTop !== before) continue;
    if (!more) {
      await until(() => yes().every(isOpen));
      look();
      break;
    }
    more.click();
    await until(() => !more.isConnected);
  }
  if (!yes().every(isOpen)) problems.push("cannot be allowed at all");
  return [...problems, ...[...unseen].map((needle) => `not seen: ${needle}`)];
}"""


async def put(api: Api, chat: str, tabs: list[Tab], asked: list[Card]) -> list[str]:
    """Show each card on all these pages, check it, and reject it."""
    failed: list[str] = []
    wishes = [request("session/request_permission", card.params) for card in asked]
    await api.prompt(chat, script(*wishes))
    for card in asked:
        question = await open_question(api, chat)
        found = await asyncio.gather(*(tab.evaluate(_LOOK, [card.name, list(card.needles)]) for tab in tabs))
        names = ("phone", "laptop")
        failed += [
            f"{card.name} ({name}): {', '.join(seen)}"
            for name, seen in zip(names, found, strict=True)
            if seen
        ]
        await say_no(api, chat, question)
    return failed


async def open_question(api: Api, chat: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = []

    async def look() -> bool:
        blocks = (await api.blocks(chat))["blocks"]
        found[:] = [block for block in blocks if block["kind"] == "question" and "answer" not in block]
        return bool(found)

    await until(look, 30)
    return found[0]


async def say_no(api: Api, chat: str, question: dict[str, Any]) -> None:
    noes = [option["id"] for option in question["options"] if option["kind"] == "reject_once"]
    if noes:
        await api.answer(chat, question["id"], noes[0])
    else:
        await api.answer_form(chat, question["id"], "cancel")


@pytest.mark.timeout(1200 if os.environ.get("VOXPILOT_NIGHTLY") else 240)
async def test_nothing_can_be_allowed_before_all_of_it_was_in_view(
    meet: Meet, api: Api, workspace: Path, note_figure: NoteFigure
) -> None:
    everything = cards()
    assert len(everything) >= 80
    assert len({card.name for card in everything}) == len(everything)
    corpus = everything if os.environ.get("VOXPILOT_NIGHTLY") else everything[::8]

    people = [
        await meet(name, viewport={"width": width, "height": height})
        for name, (width, height) in SIZES.items()
    ]
    chats = [str((await api.create_chat(workspace))["id"]) for _ in range(SIDE_BY_SIDE)]
    work = []
    for number, chat in enumerate(chats):
        tabs = [await person.open_chat(chat) for person in people]
        work.append(put(api, chat, tabs, corpus[number::SIDE_BY_SIDE]))
    failed = [line for lines in await asyncio.gather(*work) for line in lines]
    note_figure(f"cards: {len(corpus)} at {len(SIZES)} sizes, {len(failed)} show less than they approve")
    assert not failed, "\n".join(failed)


async def test_what_a_change_hides_or_a_person_loads_is_in_view_first(
    meet: Meet, api: Api, chat: str
) -> None:
    people = [
        await meet(name, viewport={"width": width, "height": height})
        for name, (width, height) in SIZES.items()
    ]
    tabs = [await person.open_chat(chat) for person in people]
    assert await put(api, chat, tabs, [*beside_a_change(), *loaded()]) == []


async def test_a_card_without_a_way_to_say_no_gets_one(meet: Meet, api: Api, chat: str) -> None:
    tab = await (await meet()).open_chat(chat)
    only = [{"optionId": "y", "name": "Reject", "kind": "allow_always"}]
    wish = request("session/request_permission", {"toolCall": {"toolCallId": "x"}, "options": only})
    await api.prompt(chat, script(wish))
    await tab.page.locator("[data-testid=block-question][data-armed=true]").wait_for()
    await expect(tab.find("question-option").first).to_contain_text("Always allow “Reject”")
    await tab.answer("Reject")
    await tab.turns_end()
    await expect(tab.page.get_by_text("Rejected by you")).to_be_visible()
