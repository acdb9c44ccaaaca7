"""What a script with the owner's token may not do once a person has a confirmed browser.

An agent runs as the same user and can read the token. So the token must not loosen security: that needs a
confirmed browser.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import ALLOW, ALWAYS, ask, say, script
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import talking
from tests.kit.servers.server import ServerProcess
from tests.kit.servers.shared_server import routes

LOOSENING = {
    ("PUT", "/api/settings"),
    ("POST", "/api/settings/pending"),
    ("PUT", "/api/agents/{agent_id}"),
    ("DELETE", "/api/agents/{agent_id}"),
    ("POST", "/api/chats"),
    ("PATCH", "/api/chats/{chat_id}"),
    ("POST", "/api/chats/{chat_id}/options"),
    ("POST", "/api/chats/{chat_id}/questions/{question_id}"),
    ("POST", "/api/chats/{chat_id}/terminals/{terminal_id}"),
    ("POST", "/api/assistant/check"),
    ("POST", "/api/assistant/models"),
    ("POST", "/api/links"),
    ("POST", "/api/login"),
    ("POST", "/api/devices/{device_id}/confirm"),
    ("DELETE", "/api/devices/{device_id}"),
}
"""Routes that may loosen security; what each refuses is tested below."""
HARMLESS = {
    ("POST", "/api/skills/suggestions"),
    ("PUT", "/api/skills/always"),  # a skill's own front matter can do the same
    ("PATCH", "/api/chats/{chat_id}/handover"),
    ("POST", "/api/logout"),
    ("POST", "/api/agents/{agent_id}/check"),  # starts it only with the approved command
    ("POST", "/api/agents/{agent_id}/sessions/{session_id:path}/fork"),  # and in a trusted folder
    ("DELETE", "/api/agents/{agent_id}/sessions/{session_id:path}"),
    ("DELETE", "/api/chats/{chat_id}"),
    ("POST", "/api/chats/{chat_id}/messages"),
    ("PATCH", "/api/chats/{chat_id}/queue/{message_id}"),
    ("DELETE", "/api/chats/{chat_id}/queue/{message_id}"),
    ("POST", "/api/chats/{chat_id}/cancel"),
    ("POST", "/api/chats/{chat_id}/restart"),
    ("DELETE", "/api/trusted-folders"),
}
"""Reading, sending messages, stopping and revoking."""


def test_every_route_that_changes_something_was_thought_about() -> None:
    changing = {(method, path) for method, path in routes() if method not in ("GET", "HEAD")}
    assert changing - LOOSENING - HARMLESS == set()


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server(settings={"trusted_folders": []})


@pytest.fixture
async def script_api(server: ServerProcess) -> AsyncIterator[Api]:
    async with Api(server.url, server.token) as api:
        yield api


@pytest.fixture
async def person(server: ServerProcess, script_api: Api) -> AsyncIterator[Api]:
    """A confirmed browser: the first one that signs in."""
    async with Api(server.url, None) as api:
        await api.sign_in((await script_api.call("POST", "/api/links"))["code"], "laptop")
        yield api


async def refused(api: Api, method: str, path: str, body: Any = None) -> None:
    with pytest.raises(ApiError) as error:
        await api.call(method, path, body)
    assert (error.value.status, error.value.code) == (403, "needs-browser"), error.value
    assert error.value.hint


async def test_without_a_browser_the_token_may_do_everything(
    server: ServerProcess, script_api: Api, workspace: Path
) -> None:
    await script_api.call("PUT", "/api/settings", {"acpAutoAllowPermissions": True})
    chat = (await script_api.create_chat(workspace, permissions="auto"))["id"]
    await script_api.change_chat(chat, permissions="auto")
    assert (await script_api.me())["confirmed"] is True


async def test_a_script_cannot_become_a_confirmed_browser(
    server: ServerProcess, script_api: Api, person: Api
) -> None:
    mine = (await person.me())["device_id"]
    # Before the person signed in, it might have created a link: see the next test.
    async with Api(server.url, None) as other:
        await other.sign_in((await script_api.call("POST", "/api/links"))["code"], "phone")
        its = (await other.me())["device_id"]
        assert (await other.me())["confirmed"] is False
        for api in (script_api, other):
            await refused(api, "POST", f"/api/devices/{its}/confirm")
            await refused(api, "DELETE", f"/api/devices/{mine}")
            await refused(api, "PUT", "/api/settings", {"acpAutoAllowPermissions": True})
        # Its own link creates a browser that nobody has confirmed.
        async with Api(server.url, None) as third:
            await third.sign_in((await other.call("POST", "/api/links"))["code"], "tablet")
            assert (await third.me())["confirmed"] is False
        await server.restart()
        assert (await other.me())["confirmed"] is False
        await person.call("POST", f"/api/devices/{its}/confirm")
        assert (await other.me())["confirmed"] is True
        await server.restart()
        assert (await other.me())["confirmed"] is True
    async with Api(server.url, None) as fourth:
        await fourth.sign_in((await person.call("POST", "/api/links"))["code"], "desk")
        assert (await fourth.me())["confirmed"] is True


async def test_a_link_made_before_anybody_signed_in_confirms_nobody_after(
    server: ServerProcess, script_api: Api
) -> None:
    kept = (await script_api.call("POST", "/api/links"))["code"]
    async with Api(server.url, None) as person, Api(server.url, None) as thief:
        await person.sign_in((await script_api.call("POST", "/api/links"))["code"], "laptop")
        await thief.sign_in(kept, "thief")
        assert (await person.me())["confirmed"] is True
        assert (await thief.me())["confirmed"] is False
        # Signing in again with a script's link does not make a confirmed browser unconfirmed.
        await person.sign_in((await script_api.call("POST", "/api/links"))["code"], "laptop")
        assert (await person.me())["confirmed"] is True
        await person.call("POST", "/api/logout", {})
    async with Api(server.url, None) as person:
        await person.sign_in((await script_api.call("POST", "/api/links"))["code"], "laptop")
        assert (await person.me())["confirmed"] is True


async def test_the_link_that_is_printed_at_the_start_confirms(
    server: ServerProcess, script_api: Api, person: Api
) -> None:
    code = (await server.prints("#code=")).partition("#code=")[2].split()[0]
    async with Api(server.url, None) as other:
        await other.sign_in(code, "phone")
        assert (await other.me())["confirmed"] is True


async def test_a_script_talks_and_asks_but_approves_nothing_for_good(
    server: ServerProcess, script_api: Api, person: Api, workspace: Path
) -> None:
    await refused(script_api, "POST", "/api/chats", {"workspace": str(workspace), "permissions": "auto"})
    made = await script_api.create_chat(workspace, agent=None, mode="llm")
    assert made["policy"] == "ask"
    assert (await person.create_chat(workspace, agent=None, mode="llm"))["policy"] == "auto"
    async with talking(server, workspace) as talk:
        await refused(script_api, "PATCH", f"/api/chats/{talk.id}", {"permissions": "auto"})
        turn = await talk.send(script(ask("t1"), say("one."), ask("t2"), say("two.")))
        trust = await talk.question()
        path = f"/api/chats/{talk.id}/questions"
        await refused(script_api, "POST", f"{path}/{trust['id']}", {"option_id": "trust"})
        await person.answer(talk.id, trust["id"], "trust")
        first = await talk.question(2)
        await refused(script_api, "POST", f"{path}/{first['id']}", {"option_id": ALWAYS})
        await script_api.answer(talk.id, first["id"], ALLOW)
        second = await talk.question(3)
        await person.answer(talk.id, second["id"], ALWAYS)
        await talk.ended(turn)
        await person.change_chat(talk.id, permissions="auto")
        await refused(script_api, "PATCH", f"/api/chats/{talk.id}", {"workspace": "/"})
        await script_api.change_chat(talk.id, title="Any name", permissions="ask")
        await refused(script_api, "POST", f"/api/chats/{talk.id}/options", {"id": "mode", "value": "bypass"})
        await refused(script_api, "POST", f"/api/chats/{talk.id}/terminals/any", {"data": "rm"})
    elsewhere = {"provider": "openai", "base_url": "http://127.0.0.1:1/v1"}
    for what in ("check", "models"):
        await refused(script_api, "POST", f"/api/assistant/{what}", elsewhere)
