"""Sessions on the page: an agent that crashed, was restarted, or requires a sign-in."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.conftest import StartServer
from tests.fakes.script import die, say, script
from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess

PHONE = {"width": 390, "height": 844}


@pytest.fixture
async def server(start_server: StartServer, agent_log: AgentLog, place: Path) -> ServerProcess:
    fails = scripted("auth-on-new", "auth-fail", log=agent_log.path)
    forks = scripted(log=agent_log.path, options=["--store", str(place / "forks"), "--forks"])
    return await start_server(
        agents={"fails": {**fails, "login_hint": "Run `fails login` in a terminal."}, "forks": forks}
    )


async def test_a_crash_offers_to_restart_with_the_session_and_to_go_on(
    meet: Meet, api: Api, chat: str, agent_log: AgentLog
) -> None:
    """R76, R78: the card says what happened; the session is restored, and the next message reaches it."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    await tab.send(script(say("one"), die()))
    await tab.turns_end()
    card = tab.page.get_by_role("group", name="Error")
    await expect(card).to_contain_text("crashed (signal 9, SIGKILL)")
    await card.get_by_role("button", name="Restart and restore session").click()
    await expect(notice(tab, "restarted")).to_contain_text("restarted with its session")
    await expect(notice(tab, "restored")).to_be_visible()
    await expect(tab.find("agent-status")).to_have_text("Connected")
    await expect(card.get_by_role("button", name="Restart")).to_have_count(0)
    await card.get_by_role("button", name="Continue").click()
    await tab.turns_end(2)
    assert agent_log.prompts()[-1] == "Continue."
    sessions = {frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")}
    assert len(sessions) == 1


async def test_the_status_tells_of_the_agent_and_restarts_it_anew(
    meet: Meet, api: Api, chat: str, agent_log: AgentLog
) -> None:
    """R77, R171: on a phone too; a new session starts."""
    person = await meet("phone", viewport=PHONE)
    tab = await person.open_chat(chat)
    await tab.send(script(say("one")))
    await tab.turns_end()
    await tab.find("agent-status").click()
    details = tab.find("agent-details")
    await expect(details).to_contain_text("Connected")
    await expect(details).to_contain_text("lists sessions")
    await details.get_by_role("button", name="Restart with new session").click()
    await expect(notice(tab, "restarted")).to_contain_text("with a new session")
    await expect(tab.find("agent-status")).to_have_text("Connected")
    await expect(details).to_have_count(0)
    await tab.send(script(say("two")))
    await tab.turns_end(2)
    sessions = {frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")}
    assert len(sessions) == 2


async def test_a_sign_in_shows_its_ways_the_command_and_why_it_failed(
    meet: Meet, api: Api, workspace: Path
) -> None:
    """F8, F9, R70: if it is postponed, the turn ends with a hint."""
    made = await api.create_chat(workspace, "fails")
    person = await meet("laptop")
    tab = await person.open_chat(made["id"])
    await tab.send(script(say("one")))
    card = tab.page.locator("[data-testid=block-question][data-armed=true]")
    await expect(card).to_contain_text("needs you to sign in")
    await expect(card).to_contain_text("fails login")
    await tab.read_question()
    await card.get_by_role("button", name="Sign in:").first.click()
    await expect(card.get_by_role("alert")).to_contain_text("the code has expired")
    await tab.answer("Not now")
    await tab.turns_end()
    await expect(tab.page.get_by_role("group", name="Error")).to_contain_text("sign in")


async def test_a_session_of_the_agents_own_is_opened_and_gone_on_with(
    meet: Meet, api: Api, workspace: Path, agent_log: AgentLog
) -> None:
    """R154, R159: from the list to the history, and continue; the list then links to the chat."""
    first = await api.create_chat(workspace, "scripted")
    person = await meet("phone", viewport=PHONE)
    tab = await person.open_chat(first["id"])
    await tab.send(script(say("long ago")))
    await tab.turns_end()
    await api.delete_chat(first["id"])

    tab = await person.open("/history/scripted")
    past = tab.find("past-session")
    await expect(past).to_have_count(1, timeout=30_000)
    await expect(past).to_contain_text(str(workspace))
    await past.locator(".session").click()
    await tab.page.wait_for_url("**/chat/*")
    await tab.says("long ago")
    await tab.send(script(say(" and now")))
    await tab.turns_end(2)
    await tab.says("long ago and now")
    sessions = {frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")}
    assert len(sessions) == 1
    chat = tab.page.url.rpartition("/")[2]
    tab = await person.open("/history/scripted")
    await past_link(tab).wait_for()
    await expect(past_link(tab)).to_have_attribute("href", f"/chat/{chat}")


async def test_a_session_is_gone_on_with_in_a_copy_and_the_first_is_forgotten(
    meet: Meet, api: Api, workspace: Path, agent_log: AgentLog
) -> None:
    """R157, R158: on a phone; a session in use cannot be deleted, and deleting needs a confirmation."""
    first = await api.create_chat(workspace, "forks")
    person = await meet("phone", viewport=PHONE)
    tab = await person.open_chat(first["id"])
    await tab.send(script(say("long ago")))
    await tab.turns_end()
    history = await person.open("/history/forks")
    past = history.find("past-session")
    await expect(past).to_have_count(1, timeout=30_000)
    await past.get_by_role("button", name="More actions for").click()
    await expect(past.get_by_role("menuitem")).to_have_text(["Fork"])
    await past.get_by_role("menuitem", name="Fork").click()
    await history.page.wait_for_url("**/chat/*")
    assert not history.page.url.endswith(first["id"])
    await history.says("long ago")
    await history.send(script(say(" and elsewhere")))
    await history.turns_end(2)
    old, new = [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]
    assert old != new

    await api.delete_chat(first["id"])
    history = await person.open("/history/forks")
    past = history.find("past-session")
    await expect(past).to_have_count(2, timeout=30_000)
    free = past.filter(has=history.page.locator("button.session"))
    await free.get_by_role("button", name="More actions for").click()
    assert await history.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    await free.get_by_role("menuitem", name="Delete").click()
    dialog = history.page.get_by_role("dialog", name="Delete this session?")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(past).to_have_count(2)
    await free.get_by_role("button", name="More actions for").click()
    await free.get_by_role("menuitem", name="Delete").click()
    await dialog.get_by_role("button", name="Delete").click()
    await expect(past).to_have_count(1, timeout=30_000)
    left = (await api.agent_sessions("forks", str(workspace)))["sessions"]
    assert [session["session_id"] for session in left] == [new]


async def test_what_the_agent_does_not_offer_is_not_on_the_menu(
    meet: Meet, api: Api, workspace: Path
) -> None:
    """R158: this agent deletes sessions, but does not fork them."""
    first = await api.create_chat(workspace, "scripted")
    person = await meet("laptop")
    tab = await person.open_chat(first["id"])
    await tab.send(script(say("hi")))
    await tab.turns_end()
    history = await person.open("/history/scripted")
    past = history.find("past-session")
    await expect(past).to_have_count(1, timeout=30_000)
    await expect(past.get_by_role("button")).to_have_count(0)
    await api.delete_chat(first["id"])
    await history.page.reload()
    await past.get_by_role("button", name="More actions for").click(timeout=30_000)
    await expect(past.get_by_role("menuitem")).to_have_text(["Delete"])


async def test_an_agent_without_a_list_says_so(meet: Meet) -> None:
    """R154: and nothing else breaks."""
    person = await meet("laptop")
    person.expect_trouble("status of 409")
    tab = await person.open("/history/scripted-caps-off")
    await expect(tab.page.get_by_role("group", name="Error")).to_contain_text("list", timeout=30_000)


def past_link(tab: Tab) -> Locator:
    return tab.find("past-session").get_by_role("link")


def notice(tab: Tab, code: str) -> Locator:
    return tab.page.locator(f"[data-testid=notice][data-code={code}]")
