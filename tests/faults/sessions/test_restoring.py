"""Sessions whose agent is gone: brought back, lost, or opened from the agent's own history.

What needs no processes: tests/runtime/sessions/test_restoring.py.
"""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import chunks, say, script, title
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import Talk, ask, lose_agent, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until


def keeping(place: Path, log: AgentLog, *faults: str, **more: Any) -> dict[str, Any]:
    """An agent with its sessions in the folder that all agents of this test share."""
    return scripted(*faults, log=log.path, options=["--store", str(place / "agent")], **more)


async def test_a_follow_up_reaches_the_same_session_in_a_new_process(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R9, R53, R54, R58, R71, R156, C2: it is looked up, then resumed; a notice says so."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        await talk.run(script(say("two")))
        assert (await talk.notice("restored"))["text"] == "The scripted session was restored."
        methods = [frame["method"] for frame in agent_log.received() if "method" in frame]
        first = ["initialize", "session/new", "session/prompt"]
        assert methods == [*first, "initialize", "session/list", "session/resume", "session/prompt"]
        sessions = {f["params"]["sessionId"] for f in agent_log.received("session/prompt")}
        assert len(sessions) == 1
        await talk.judge(text="onetwo")


async def test_a_replay_of_twenty_megabytes_is_passed_over(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F82."""
    agents = {"long": keeping(place, agent_log, "no-resume", "replay=20mb")}
    agents["long"]["args"].append("--no-log-out")
    server = await start_server(agents=agents)
    async with talking(server, workspace, "long") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        await talk.run(script(say("two")), within=60)
        await talk.judge(text="onetwo")


async def test_the_server_may_be_killed_while_a_session_is_brought_back(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """C2, C5: the agent continues loading; nothing is requested or shown twice."""
    server = await start_server(agents={"slow": keeping(place, agent_log, "no-resume", "replay=200kb")})
    async with talking(server, workspace, "slow") as talk:
        await talk.run(script(chunks(20)))
        await lose_agent(talk, agent_log)
        turn = await talk.send(script(say("end")))
        await until(lambda: len(agent_log.received("session/load")) == 1, 20)
        await server.restart()
        await talk.ended(turn)
        assert len(agent_log.received("session/load")) == 1
        assert len(agent_log.prompts()) == 2
        assert talk.text().endswith("end")
        assert "r" * 50 not in talk.text()


async def test_the_agents_own_sessions_are_listed_and_forgotten(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, place: Path
) -> None:
    """R154, R158, R160, R162, C13: of one folder, with the chat that has them; only what the agent offers."""
    route = "/api/agents/scripted/sessions"
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        session = agent_log.received("session/prompt")[-1]["params"]["sessionId"]
        listed = (await talk.api.call("GET", f"{route}?workspace={workspace}"))["sessions"]
        assert [(found["session_id"], found["cwd"], found["chat"]) for found in listed] == [
            (session, str(workspace), talk.id)
        ]
        assert (await talk.api.call("GET", f"{route}?workspace=/elsewhere"))["sessions"] == []
        assert await refused(talk, "DELETE", f"{route}/{session}") == 409
        assert await refused(talk, "POST", f"{route}/{session}/fork", {"workspace": str(workspace)}) == 409
        assert await refused(talk, "GET", "/api/agents/scripted-caps-off/sessions") == 409
        await talk.api.call("DELETE", f"/api/chats/{talk.id}")
        await talk.api.call("DELETE", f"{route}/{session}")
        assert (await talk.api.call("GET", route))["sessions"] == []
        assert list((place / "data" / "keepers").iterdir()) == []


async def test_past_sessions_come_page_by_page_and_an_empty_page_is_not_the_end(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R154, R160: without a sign-in; each page names the next, and one without anything is not shown."""
    signed_out = keeping(place, agent_log, "auth-on-new", "page-size=1", "empty-page")
    server = await start_server(agents={"first": keeping(place, agent_log), "pages": signed_out})
    known = []
    for word in ("one", "two"):
        async with talking(server, workspace, "first") as talk:
            await talk.run(script(say(word)))
            known.append(agent_log.received("session/prompt")[-1]["params"]["sessionId"])
    async with Api(server.url, server.token) as api:
        route = f"/api/agents/pages/sessions?workspace={workspace}"
        first = await api.call("GET", route)
        second = await api.call("GET", f"{route}&cursor={first['next']}")
    assert [len(page["sessions"]) for page in (first, second)] == [1, 1]
    assert {page["sessions"][0]["session_id"] for page in (first, second)} == set(known)
    assert second["next"] is None


async def test_a_list_for_signed_in_people_only_names_the_login_command(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R160, R70: nobody can sign in on this page, so the hint says where."""
    agent = {**keeping(place, agent_log, "auth-on-list"), "login_hint": "Run `signs login`."}
    server = await start_server(agents={"signs": agent})
    async with Api(server.url, server.token) as api:
        with pytest.raises(ApiError) as error:
            await api.call("GET", "/api/agents/signs/sessions")
    assert "requires you to sign in" in error.value.message
    assert error.value.hint == "Run `signs login`. Then try again."


async def test_a_session_keeps_its_title_and_when_it_was_used(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R158: agent, id, folder, title and times are stored, for agents whose list lacks them."""
    bare = keeping(place, agent_log, "bare-list")
    server = await start_server(agents={"bare": bare})
    async with talking(server, workspace, "bare") as talk:
        before = time.time()
        await talk.run(script(title("Fix the parser"), say("one")))
        (kept,) = ask(
            server.database,
            "SELECT agent, name, cwd, title, used_at FROM acp_sessions WHERE chat_id = ?",
            talk.id,
        )
        assert kept[:4] == ("bare", "main", str(workspace), "Fix the parser")
        assert before <= kept[4] <= time.time()
        (listed,) = (await talk.api.call("GET", "/api/agents/bare/sessions"))["sessions"]
        assert (listed["title"], listed["chat"]) == ("Fix the parser", talk.id)
        assert datetime.fromisoformat(listed["updated_at"]).timestamp() == int(kept[4])


async def refused(talk: Talk, method: str, route: str, body: Any = None) -> int:
    with pytest.raises(ApiError) as error:
        await talk.api.call(method, route, body)
    return error.value.status


async def test_an_agent_that_dies_while_it_tells_its_history_leaves_no_turn_open(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R155, R57: what it sent stays, the rest is reported as missing, and the session is continued."""
    long = keeping(place, agent_log, "replay=50mb")
    long["args"].append("--no-log-out")
    server = await start_server(agents={"long": long})
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        session = agent_log.received("session/prompt")[-1]["params"]["sessionId"]
        await talk.api.delete_chat(talk.id)
        chat = (await talk.api.create_chat(workspace, "long", load=session))["id"]
    async with talking(server, workspace, chat=chat) as talk:
        await talk.sees("turn-started")
        await lose_agent(talk, agent_log)
        assert (await talk.sees("turn-ended"))["stop_reason"] == "interrupted"
        assert "incomplete" in (await talk.notice("history-unseen"))["text"]
        await talk.run(script(say("two")), within=60)
        assert agent_log.received("session/prompt")[-1]["params"]["sessionId"] == session
