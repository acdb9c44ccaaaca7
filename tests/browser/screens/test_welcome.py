"""The welcome page: the buttons do not move while agents are being looked up."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Locator, Route, expect

from tests.browser.conftest import Meet

SIZES = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


@pytest.mark.parametrize("size", SIZES)
async def test_nothing_moves_when_the_agents_are_found(meet: Meet, size: str) -> None:
    tab = await (await meet(size, viewport=SIZES[size])).open("/settings/appearance")
    found = asyncio.Event()

    async def late(route: Route) -> None:
        await found.wait()
        await route.continue_()

    await tab.page.route("**/api/agents*", late)
    await tab.page.goto(tab.page.url.replace("/settings/appearance", "/"))
    await expect(tab.page.get_by_label("Loading agents")).to_be_visible()
    actions = tab.page.locator(".welcome-head, .page-actions > *")
    before = await boxes(actions)
    found.set()
    await expect(tab.page.locator(".agent").first).to_be_visible()
    assert await boxes(actions) == before
    assert len(before) == 5, "the heading, three ways to begin, and a remark"


async def boxes(places: Locator) -> list[object]:
    return [await place.bounding_box() for place in await places.all()]
