"""A page that stays open while its server goes back to a backup (B8)."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.servers.command_line import command
from tests.kit.servers.server import ServerProcess


async def test_an_open_page_shows_the_restored_chat_and_goes_on_live(
    meet: Meet, server: ServerProcess, api: Api, chat: str, place: Path
) -> None:
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    person.expect_trouble()
    await api.prompt(chat, script(say("kept")))
    await tab.turns_end(1)
    assert command(server, "backup", str(place / "saved.tar")).returncode == 0
    await api.prompt(chat, script(say("undone")))
    await tab.turns_end(2)
    await server.interrupt()
    await tab.composer.fill(script(say("written while it was away")))
    await tab.composer.press("Enter")
    restored = command(server, "restore", str(place / "saved.tar"))
    assert restored.returncode == 0, restored.stderr
    await server.start()
    await expect(tab.page.get_by_text("undone", exact=True)).to_have_count(0)
    await expect(tab.page.get_by_text("written while it was away", exact=True)).to_have_count(1)
    await tab.turns_end(2)
    await api.prompt(chat, script(say("and on")))
    await expect(tab.page.get_by_text("and on", exact=True)).to_have_count(1)
    await expect(tab.page.get_by_text("kept", exact=True)).to_have_count(1)
