"""Reloading the page repeatedly in the middle of an answer (F63)."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.fakes.script import chunks, say, script, spoken_by, wait_file
from tests.kit.clients.client import Api
from tests.kit.waiting import until

RELOADS = 20


async def test_twenty_reloads_at_any_moment_lose_and_repeat_nothing(
    meet: Meet, api: Api, chat: str, place: Path
) -> None:
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    gate = place / "gate"
    # The agent speaks for as long as the reloads take, and a little longer.
    prompt = script(*[chunks(60, 20) for _ in range(12)], wait_file(gate), chunks(50, 10))
    await api.prompt(chat, prompt)
    for _ in range(RELOADS):
        await tab.has_begun()
        await asyncio.sleep(random.uniform(0, 0.3))
        await expect(tab.find("turn-footer")).to_have_count(0)
        # Also while the previous reload has not finished.
        await tab.page.reload(wait_until=random.choice(["commit", "domcontentloaded", "load"]))
    gate.touch()
    await tab.says(spoken_by(prompt), within=60)
    await tab.turns_end()


async def test_a_reload_in_mid_stream_leaves_the_reader_where_they_were(
    meet: Meet, api: Api, chat: str, place: Path
) -> None:
    person = await meet("laptop")
    for number in range(6):
        await api.prompt(chat, script(*[say(f"Paragraph {number}.{line}.\n\n") for line in range(12)]))
    tab = await person.open_chat(chat)
    await tab.turns_end(6)
    gate = place / "gate"
    await api.prompt(chat, script(*[chunks(40, 20) for _ in range(10)], wait_file(gate)))
    await tab.has_begun()
    await tab.page.locator(".scroller").evaluate("(box) => box.scrollBy(0, -1500)")
    await expect(tab.page.locator(".new-below")).to_be_visible()
    place_before = await _first_line(tab)
    for _ in range(5):
        await asyncio.sleep(random.uniform(0, 0.3))
        await tab.page.reload()
        await tab.is_live()

        async def is_there() -> bool:
            now = await _first_line(tab)
            return now is not None and _is_same(now, place_before)

        await until(is_there, 10, lambda: f"the reader was at {place_before}")
    gate.touch()
    await tab.page.locator(".new-below").wait_for()
    assert _is_same(await _first_line(tab), place_before), "what arrives below moves nothing"


def _is_same(one: Any, other: Any) -> bool:
    return one["text"] == other["text"] and abs(one["top"] - other["top"]) <= 2


async def _first_line(tab: Tab) -> Any:
    """The first paragraph in view, and how far from the top it is."""
    return await tab.evaluate(
        """() => {
          const box = document.querySelector(".scroller");
          if (!box) return null;
          const edge = box.getBoundingClientRect().top;
          for (const line of box.querySelectorAll(".md-block p")) {
            const { top, bottom } = line.getBoundingClientRect();
            if (bottom > edge) return { text: line.textContent, top: top - edge };
          }
          return null;
        }"""
    )
