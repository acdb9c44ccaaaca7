"""What waits for approval on the page: a changed settings file, and an unconfirmed browser."""

from __future__ import annotations

import os
import re
from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.kit.clients.client import Api
from tests.kit.servers.server import ServerProcess

PICTURES = os.environ.get("VOXPILOT_SCREENSHOTS")


async def look(tab: Tab, name: str) -> None:
    for width, height in ((1280, 800), (390, 844)):
        await tab.page.set_viewport_size({"width": width, "height": height})
        assert await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if PICTURES:
            await tab.page.screenshot(path=Path(PICTURES) / f"{name}-{width}.png")
    await tab.page.set_viewport_size({"width": 1280, "height": 800})


async def test_a_changed_file_is_shown_and_decided_on_the_page(
    meet: Meet, api: Api, server: ServerProcess
) -> None:
    person = await meet("laptop")
    person.expect_trouble("status of 409")
    head = "acp_auto_allow_permissions = true\nacp_default_agent_id = 'evil'\n"
    server.config.write_text(head + server.config.read_text())
    tab = await person.open("/settings/permissions")
    card = tab.find("pending-changes")
    await expect(card).to_contain_text("The settings file was changed outside VoxPilot")
    await expect(card).to_contain_text("acp_default_agent_id")
    await look(tab, "pending")
    # It changes again while the person looks at it: nothing is accepted that was not shown.
    server.config.write_text("strict = false\nexpose = true\n" + server.config.read_text())
    await card.get_by_role("button", name="Accept changes").click()
    await expect(card).to_contain_text("has changed since it was read")
    await expect(card).to_contain_text("expose")
    await card.get_by_role("button", name="Keep current settings").click()
    await expect(card).to_have_count(0)
    assert "evil" not in server.config.read_text()
    assert (await api.settings())["pending"] is None


async def test_a_browser_that_came_by_a_scripts_link_is_confirmed_on_the_page(
    meet: Meet, server: ServerProcess
) -> None:
    person = await meet("laptop")
    async with Api(server.url, server.token) as token:
        phone = await meet("phone", signed_in=False)
        phone.expect_trouble("status of 403")
        other = await phone.sign_in((await token.call("POST", "/api/links"))["code"])
    await other.page.goto(f"{phone.url}/settings/permissions")
    await other.page.get_by_role("switch", name=re.compile("^Auto-approve")).click()
    await expect(other.page.get_by_role("alert")).to_contain_text("not confirmed yet")
    tab = await person.open("/settings/devices")
    await expect(tab.page.get_by_text("Not confirmed: it can read and send messages")).to_have_count(1)
    await look(tab, "devices")
    await tab.page.get_by_role("button", name="Confirm").click()
    await expect(tab.page.get_by_text("Not confirmed: it can read and send messages")).to_have_count(0)
