"""A settings file that somebody else changes loosens nothing before the person agrees on the page.

What needs no processes: tests/runtime/consent/test_settings_consent.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import ALLOW, ask, say, script
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess


@pytest.fixture
async def server(start_server: StartServer, agent_log: AgentLog) -> ServerProcess:
    return await start_server(agents={"mine": scripted(log=agent_log.path)})


@pytest.fixture
async def person(server: ServerProcess) -> AsyncIterator[Api]:
    async with Api(server.url, server.token) as api:
        await api.sign_in((await api.call("POST", "/api/links"))["code"])
        yield api


def prepend(server: ServerProcess, line: str) -> None:
    server.config.write_text(f"{line}\n{server.config.read_text()}")


async def decide(api: Api, accept: bool, shown: Any) -> Any:
    body = {"fingerprint": shown["pending"]["fingerprint"], "accept": accept}
    return await api.call("POST", "/api/settings/pending", body)


async def test_a_file_that_switches_to_auto_approval_waits_for_the_person(
    server: ServerProcess, person: Api, workspace: Path
) -> None:
    async with Api(server.url, server.token) as token, talking(server, workspace, "mine") as talk:
        prepend(server, "acp_auto_allow_permissions = true")
        for restarts in (False, True):
            if restarts:
                await server.restart()
            shown = await person.settings()
            assert shown["values"]["acpAutoAllowPermissions"] is False
            assert shown["pending"]["changes"] == [
                {"name": "acp_auto_allow_permissions", "before": "off", "after": "on"}
            ]
        await server.prints("waiting for review under Settings: acp_auto_allow_permissions")
        turn = await talk.send(script(ask("t1"), say("b")))
        question = await talk.question()
        assert [info for info in talk.of_kind("chat-info") if info.get("counts") == "auto"] == []
        with pytest.raises(ApiError) as refused:
            await decide(token, True, shown)
        assert refused.value.code == "needs-browser"
        with pytest.raises(ApiError) as outdated:
            await decide(person, True, {"pending": {"fingerprint": "another"}})
        assert outdated.value.status == 409
        await decide(person, True, shown)
        await talk.sees(lambda event: event.kind == "chat-info" and event.data.get("counts") == "auto")
        if not talk.of_kind("answer"):
            await talk.answer(question, ALLOW)
        await talk.ended(turn)
        await server.restart()
        shown = await person.settings()
        assert (shown["values"]["acpAutoAllowPermissions"], shown["pending"]) == (True, None)


async def test_an_agent_that_somebody_adds_is_asked_about_before_it_starts(
    server: ServerProcess, person: Api, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """In the file, or by a script: everything that it would be given is shown."""
    evil = scripted(log=agent_log.path, env={"LD_PRELOAD": "/tmp/evil.so", "API_TOKEN": "/tmp/run.sh"})
    async with Api(server.url, server.token) as token:
        with pytest.raises(ApiError) as refused:
            await token.call("PUT", "/api/agents/helper", evil)
        assert refused.value.code == "needs-browser"
    async with talking(server, workspace, "helper") as talk:
        await talk.send(script(say("hello")))
        question = await talk.question()
        assert question["title"] == "Start helper? It was added in the settings file."
        assert "LD_PRELOAD=/tmp/evil.so" in question["detail"]["text"]
        assert "API_TOKEN=/tmp/run.sh" in question["detail"]["text"]
        assert agent_log.starts() == []
        with pytest.raises(ApiError) as refused:
            await talk.answer(question, "start")
        assert refused.value.code == "needs-browser"
        for path in ("check", "sessions"):
            method = "POST" if path == "check" else "GET"
            with pytest.raises(ApiError) as unasked:
                await person.call(method, f"/api/agents/helper/{path}")
            assert unasked.value.status == 409
        await person.answer(talk.id, question["id"], "start")
        await talk.sees("turn-ended")
        assert len(agent_log.starts()) == 1
