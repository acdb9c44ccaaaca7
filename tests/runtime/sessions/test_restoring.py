"""Sessions whose agent is gone: brought back, lost, or opened from the agent's own history.

What needs processes: tests/faults/sessions/test_restoring.py.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import die, diff, say, script, sleep, tool, tool_update
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, ask, lose_agent, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until
from voxpilot.agents.updates import comparing
from voxpilot.storage.database.rows import Session
from voxpilot.storage.database.states import SessionPhase

pytestmark = pytest.mark.in_memory

BANNER = (
    "The previous {name} session could not be restored. A new session has been started. "
    "Your conversation history in VoxPilot is intact."
)


def keeping(place: Path, log: AgentLog, *faults: str, **more: Any) -> dict[str, Any]:
    """An agent with its sessions in the folder that all agents of this test share."""
    return scripted(*faults, log=log.path, options=["--store", str(place / "agent")], **more)


async def test_what_is_repeated_while_loading_is_not_shown_again(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F80, R7, R55, R56, R60, C6: an agent that cannot resume repeats all; the chat stays as it was."""
    for options in ([], ["--message-ids"]):
        agent = keeping(place, agent_log, "no-resume")
        agent["args"] += options
        name = f"loads-{len(options)}"
        server = await start_server(agents={name: agent}, data_dir=place / name)
        async with talking(server, workspace, name) as talk:
            await talk.run(script(say("one"), say("more")))
            before = [row for row in talk.rows() if row.kind in ("message", "text-delta", "turn-started")]
            await lose_agent(talk, agent_log)
            await talk.run(script(say("two")))
            assert agent_log.received("session/load")
            again = [row for row in talk.rows() if row.kind in ("message", "text-delta", "turn-started")]
            assert again[: len(before)] == before
            assert [row.kind for row in again[len(before) :]] == ["message", "turn-started", "text-delta"]
            await talk.judge(text="onemoretwo")
        await server.close()


@pytest.mark.parametrize("fault", ["load-notfound", "load-error", "load-empty"])
async def test_a_lost_session_is_told_and_the_person_decides_what_the_new_one_hears(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog, fault: str
) -> None:
    """F78, F79, R63, R65–R68, R189, C21: the banner, a log line, and a summary shown before it is sent.

    The summary is made from our log: what was asked, what was done, which files changed; not the transcript.
    """
    agents = {"forgets": keeping(place, agent_log, fault, "no-resume")}
    server = await start_server(agents=agents)
    async with talking(server, workspace, "forgets") as talk:
        await talk.run(script(say("looking")))
        edits = (tool("e1", "edit", "Edit it"), diff("e1", "src/app.py"), tool_update("e1", "completed"))
        await talk.run(script(*edits, say("one")))
        old = agent_log.received("session/prompt")[-1]["params"]["sessionId"]
        await lose_agent(talk, agent_log)
        turn = await talk.send(script(say("two")))
        question = await talk.question()
        assert question["type"] == "confirm"
        told = question["detail"]["text"]
        for known in (script(say("looking")), f"Files changed:\n- {workspace}/src/app.py", "- one"):
            assert known in told
        assert script(say("two")) not in told
        assert len(agent_log.prompts()) == 2
        await talk.answer(question, "include")
        await talk.ended(turn)
        notices = talk.notices("session-not-restored")
        assert [notice["text"] for notice in notices] == [BANNER.format(name="forgets")]
        blocks = agent_log.received("session/prompt")[-1]["params"]["prompt"]
        assert len(blocks) == 2
        assert told in blocks[0]["text"]
        assert "Context" in blocks[0]["text"]
        assert blocks[1]["text"] == script(say("two"))
        await server.prints(f"session={old}")
        await talk.run(script(say("three")))
        assert len(agent_log.received("session/prompt")[-1]["params"]["prompt"]) == 1


async def test_the_note_can_be_left_out(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """C21, R67: and the question is asked only once, even across a restart of the server."""
    server = await start_server(agents={"forgets": keeping(place, agent_log, "caps-off")})
    async with talking(server, workspace, "forgets") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        turn = await talk.send(script(say("two")))
        question = await talk.question()
        await server.restart()
        await talk.answer(question, "leave-out")
        await talk.ended(turn)
        assert agent_log.prompts() == [script(say("one")), script(say("two"))]
        assert len(talk.of_kind("question")) == 1


async def test_an_agent_without_memory_says_so_at_once(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F84, R7, R71: neither load nor resume is ever sent to it."""
    server = await start_server(agents={"forgets": keeping(place, agent_log, "caps-off")})
    async with talking(server, workspace, "forgets") as talk:
        await talk.run(script(say("one")))
        assert "will not remember" in (await talk.notice("no-memory"))["text"]
        await lose_agent(talk, agent_log)
        turn = await talk.send(script(say("two")))
        await talk.answer(await talk.question(), "leave-out")
        await talk.ended(turn)
        assert not agent_log.received("session/load")
        assert not agent_log.received("session/resume")


async def test_a_session_the_agent_does_not_list_is_not_loaded(
    server: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R64, C24: missing after the last page."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        for kept in (place / "agent").glob("*.json"):
            kept.unlink()
        turn = await talk.send(script(say("two")))
        await talk.answer(await talk.question(), "leave-out")
        await talk.ended(turn)
        assert agent_log.received("session/list")
        assert not agent_log.received("session/load")
        assert not agent_log.received("session/resume")
        assert len(talk.notices("session-not-restored")) == 1


async def test_a_session_cut_off_in_the_middle_says_that_the_end_may_be_missing(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R57, R61, R73, R76: the text stays in the chat; the prompt is not sent again."""
    async with talking(server, workspace) as talk:
        ended = await talk.run(script(say("one"), die()))
        assert ended["stop_reason"] == "interrupted"
        assert "crashed" in ended["error"]["message"]
        status = talk.of_kind("agent-status")[-1]
        assert (status["status"], status["message"]) == ("error", ended["error"]["message"])
        await talk.run(script(say("two")))
        assert "may not remember" in (await talk.notice("restored"))["detail"]
        assert len(agent_log.prompts()) == 2
        await talk.judge(text="onetwo")


async def test_a_load_that_hangs_is_given_up_and_the_next_message_begins_anew(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F82: and it can be stopped meanwhile."""
    agents = {"hangs": keeping(place, agent_log, "no-resume", "replay-hang")}
    server = await start_server(agents=agents, env={"VOXPILOT_RESTORE_TIMEOUT": "1.5"})
    async with talking(server, workspace, "hangs") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        stopped = await talk.send(script(say("two")))
        await until(lambda: len(agent_log.received("session/load")) == 1, 20)
        await talk.cancel()
        assert (await talk.ended(stopped))["stop_reason"] == "cancelled"
        await until(lambda: set(talk.processes()) == {"ended"}, 20)
        turn = await talk.send(script(say("three")))
        await talk.answer(await talk.question(), "leave-out")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert len(talk.notices("session-not-restored")) == 1


async def test_a_load_that_hangs_ends_the_turn_that_waits_for_it(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F82: with a hint."""
    agents = {"hangs": keeping(place, agent_log, "no-resume", "replay-hang")}
    server = await start_server(agents=agents, env={"VOXPILOT_RESTORE_TIMEOUT": "0.5"})
    async with talking(server, workspace, "hangs") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        ended = await talk.run(script(say("two")))
        assert ended["stop_reason"] == "error"
        assert "did not open a session within" in ended["error"]["message"]


@pytest.mark.parametrize("reload", [False, True])
async def test_a_person_restarts_the_agent(
    server: Server, workspace: Path, agent_log: AgentLog, reload: bool
) -> None:
    """R76, R77, R78: killed, started again, with a new session or its own; each is reported in the chat."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        await talk.api.call("POST", f"/api/chats/{talk.id}/restart", {"reload": reload})
        await talk.notice("restarted")
        wanted = "session/resume" if reload else "session/new"
        await until(lambda: len(agent_log.received(wanted)) == (1 if reload else 2), 20)
        await talk.run(script(say("two")))
        ids = [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]
        assert (ids[0] == ids[1]) is reload
        assert len(agent_log.starts()) == 2
        assert not talk.notices("session-not-restored")


async def test_restarting_in_the_midst_of_a_turn_ends_it(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R77: its text is kept, and the prompt is not sent again."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("one"), sleep(60)))
        await talk.says("one")
        await talk.api.call("POST", f"/api/chats/{talk.id}/restart", {"reload": True})
        assert (await talk.ended(turn))["stop_reason"] == "interrupted"
        await until(lambda: len(agent_log.received("session/resume")) == 1, 20)
        assert len(agent_log.prompts()) == 1


async def test_an_agent_that_cannot_start_is_not_restarted_for_ever(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F25: one restart, one start."""
    async with talking(server, workspace, "scripted-exit-at-spawn") as talk:
        await talk.api.call("POST", f"/api/chats/{talk.id}/restart", {})
        await talk.sees(lambda e: e.kind == "agent-status" and e.data["status"] == "error")
        await talk.run(script(say("x")))
        assert len(talk.processes()) == 2


async def test_a_session_of_the_agents_own_history_is_shown_and_gone_on_with(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R155, R159, R161, V27, C6: its conversation appears as turns, before anything is sent."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        await talk.run(script(say("two")))
        session = agent_log.received("session/prompt")[-1]["params"]["sessionId"]
        with pytest.raises(ApiError) as refused:
            await talk.api.create_chat(workspace, "scripted", load=session)
        assert refused.value.status == 409  # it is never driven from two chats
        await talk.api.call("DELETE", f"/api/chats/{talk.id}")
        chat = (await talk.api.create_chat(workspace, "scripted", load=session))["id"]
    async with talking(server, workspace, chat=chat) as talk:
        await talk.sees(lambda e: e.kind == "turn-ended" and "-2" in e.data["turn"])
        messages = [event["text"] for event in talk.of_kind("message")]
        assert messages == [script(say("one")), script(say("two"))]
        assert talk.text() == "onetwo"
        assert (await talk.api.chat(chat))["title"].startswith("say")
        await talk.run(script(say("three")))
        assert agent_log.received("session/prompt")[-1]["params"]["sessionId"] == session
        await talk.judge(text="onetwothree")


async def test_history_that_the_agent_does_not_have_is_told(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R155: and the chat can still be used."""
    async with talking(server, workspace) as other:
        chat = (await other.api.create_chat(workspace, "scripted", load="nowhere"))["id"]
    async with talking(server, workspace, chat=chat) as talk:
        assert "not be opened" in (await talk.notice("history-not-opened"))["text"]
        await talk.run(script(say("one")))
        await talk.judge(text="one")


async def test_further_folders_and_tool_servers_reach_the_agent(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """The session is opened in the chat's folder with the tool servers of the settings."""
    (place / "config-extra").mkdir()
    server = await start_server(
        settings={"mcp_servers": {"notes": {"command": "notes", "args": ["-x"], "env": {"A": "b"}}}}
    )
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        opened = agent_log.received("session/new")[-1]["params"]
        server_ = {"name": "notes", "command": "notes", "args": ["-x"], "env": [{"name": "A", "value": "b"}]}
        assert opened == {"cwd": str(workspace), "mcpServers": [server_]}
        rows = ask(server.database, "SELECT acp_session_id, cwd FROM acp_sessions")
        assert rows == [(agent_log.received("session/prompt")[-1]["params"]["sessionId"], str(workspace))]


async def test_tool_servers_that_an_agent_cannot_use_are_told(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """Those of a kind that the agent does not announce are left out, and the chat says so."""
    web = {"type": "http", "url": "http://127.0.0.1:9/mcp"}
    events = {"type": "sse", "url": "http://127.0.0.1:9/sse"}
    settings = {"mcp_servers": {"notes": {"command": "notes"}, "web": web, "events": events}}
    server = await start_server(settings=settings)
    async with talking(server, workspace, "scripted-caps-off") as talk:
        await talk.run(script(say("one")))
        given = agent_log.received("session/new")[-1]["params"]["mcpServers"]
        assert [server["name"] for server in given] == ["notes"]
        [notice] = talk.notices("tool-servers-left-out")
        assert "web, events" in notice["text"]
    async with talking(server, workspace) as talk:
        await talk.run(script(say("two")))
        given = agent_log.received("session/new")[-1]["params"]["mcpServers"]
        assert [server["name"] for server in given] == ["notes", "web", "events"]
        assert talk.notices("tool-servers-left-out") == []


async def refused(talk: Talk, method: str, route: str, body: Any = None) -> int:
    with pytest.raises(ApiError) as error:
        await talk.api.call(method, route, body)
    return error.value.status


async def test_history_that_was_opened_is_gone_on_with_also_by_the_next_process(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R155, R159, C2: even if nothing was sent to it here before the agent was gone."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        session = agent_log.received("session/prompt")[-1]["params"]["sessionId"]
        await talk.api.delete_chat(talk.id)
        chat = (await talk.api.create_chat(workspace, "scripted", load=session))["id"]
    async with talking(server, workspace, chat=chat) as talk:
        await talk.sees("turn-ended")
        await lose_agent(talk, agent_log)
        await talk.run(script(say("two")))
        assert agent_log.received("session/prompt")[-1]["params"]["sessionId"] == session
        await talk.judge(text="onetwo")


async def test_a_list_that_never_ends_says_nothing(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R64, C24: it is given up, and the session is requested anyway."""
    server = await start_server(agents={"endless": keeping(place, agent_log, "endless-list")})
    async with talking(server, workspace, "endless") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        await talk.run(script(say("two")), within=60)
        assert talk.notices("restored")
        await talk.judge(text="onetwo")


async def test_a_list_that_the_agent_refuses_says_nothing(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """C24: some agents list sessions only for a person who is signed in; the session is requested anyway."""
    server = await start_server(agents={"signs": keeping(place, agent_log, "auth-on-list")})
    async with talking(server, workspace, "signs") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        await talk.run(script(say("two")))
        assert len(agent_log.received("session/list")) == 1
        assert len(agent_log.received("session/resume")) == 1
        assert talk.notices("restored")
        assert not talk.notices("session-not-restored")


async def test_a_session_on_the_second_page_of_the_list_is_restored(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R64, C24: it counts as missing only after the last page; the first may be empty."""
    server = await start_server(agents={"pages": keeping(place, agent_log, "empty-page")})
    async with talking(server, workspace, "pages") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        await talk.run(script(say("two")))
        assert [f["params"].get("cursor") for f in agent_log.received("session/list")] == [None, "0"]
        assert talk.notices("restored")


@pytest.mark.parametrize(("fault", "method"), [("slow-init=1", "initialize"), ("slow-new=1", "session/new")])
async def test_what_an_agent_answered_while_the_server_was_down_was_in_time(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, fault: str, method: str
) -> None:
    """C2: its answer is read before it counts as too slow."""
    server = await start_server(agents={"slow": scripted(fault, log=agent_log.path)})
    async with talking(server, workspace, "slow") as talk:
        turn = await talk.send(script(say("one")))
        await until(lambda: bool(agent_log.received(method)), 30)
        await server.kill()
        asked = agent_log.received(method)[0]["id"]
        await until(lambda: any(frame.get("id") == asked for frame in agent_log.sent()), 30)
        with closing(sqlite3.connect(server.database, timeout=10)) as connection, connection:
            connection.execute("UPDATE requests SET created_at = created_at - 1000")
            connection.execute("UPDATE agent_processes SET started_at = started_at - 1000")
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.judge(text="one")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda history: [("user", "something else"), ("agent", "done")],
            "does not contain the last message",
        ),
        (lambda history: [*history, ("user", "typed elsewhere"), ("agent", "done")], "typed elsewhere"),
        (lambda history: history, None),
    ],
)
async def test_a_session_that_came_back_different_says_so(
    start_server: StartServer,
    workspace: Path,
    place: Path,
    agent_log: AgentLog,
    change: Any,
    told: str | None,
) -> None:
    """F81: somebody continued it in a terminal, or the agent restored an older state of it."""
    server = await start_server(agents={"loads": keeping(place, agent_log, "no-resume")})
    async with talking(server, workspace, "loads") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        (kept,) = (place / "agent").glob("*.json")
        stored = json.loads(kept.read_text())
        kept.write_text(json.dumps({**stored, "history": change(stored["history"])}))
        await talk.run(script(say("two")))
        await talk.notice("restored")
        details = [notice["detail"] for notice in talk.notices("session-differs")]
        assert len(details) == (1 if told else 0)
        assert all(told in detail for detail in details if told)
        await talk.judge(text="onetwo")


async def test_a_session_that_comes_back_under_another_id_says_so_and_is_used(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F81: history that it repeats under that id is not shown again."""
    server = await start_server(agents={"loads": keeping(place, agent_log, "no-resume", "load-other-id")})
    async with talking(server, workspace, "loads") as talk:
        await talk.run(script(say("one")))
        await lose_agent(talk, agent_log)
        await talk.run(script(say("two")))
        assert "another id" in (await talk.notice("session-differs"))["detail"]
        first, second = [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]
        assert first != second
        await talk.judge(text="onetwo")


def test_other_choices_and_another_folder_are_told() -> None:
    """F81: a mode may loosen what the agent asks about, so a change of it is never silent."""
    modes = [{"id": "plan", "name": "Plan"}, {"id": "auto", "name": "Auto"}]
    before = Session(
        id="s", chat_id="c", agent="a", name="main", acp_session_id="x", process_id="p", created_at=0.0,
        phase=SessionPhase.IDLE, cwd="/project/",
        options={"modes": {"currentModeId": "plan", "availableModes": modes}},
    )  # fmt: skip
    after = replace(before, options={"modes": {"currentModeId": "auto", "availableModes": modes}})
    assert comparing.differences(before, after, {}) == ["Mode: Plan → Auto"]
    assert comparing.differences(before, before, {"sessionId": "x"}) == []
    assert comparing.other_folder(before, [{"sessionId": "x", "cwd": "/elsewhere"}]) == "/elsewhere"
    assert (
        comparing.other_folder(
            before, [{"sessionId": "x", "cwd": "/project"}, {"sessionId": "y", "cwd": "/z"}]
        )
        is None
    )
