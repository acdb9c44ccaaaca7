"""An agent whose command was changed behind a person's back is not started before the person agrees."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.faults.driver import Talk, talking
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api, ApiError
from tests.kit.config import scripted
from tests.kit.server import ServerProcess
from tests.kit.waiting import until
from tests.stories.test_cli import Finished, Voxpilot, code
from tests.stories.test_cli import finished as finished
from tests.stories.test_cli import port as port
from tests.stories.test_cli import voxpilot as voxpilot

HELLO = script(say("hello"))


def mine(place: Path, log: AgentLog, version: str = "1", **more: Any) -> dict[str, Any]:
    options = ["--store", str(place / "agent"), "--agent-version", version]
    return scripted(log=log.path, options=options, env={"MY_KEY": "canary"}) | more


@pytest.fixture
async def server(start_server: StartServer, place: Path, agent_log: AgentLog) -> ServerProcess:
    return await start_server(agents={"mine": mine(place, agent_log)})


async def tamper(server: ServerProcess, api: Api, old: str, new: str) -> None:
    """Somebody who can write the settings file changes it, and the server notices."""
    change(server, old, new)
    await api.call("GET", "/api/settings")


def change(server: ServerProcess, old: str, new: str) -> None:
    head, mark, table = server.config.read_text().partition('[agents."mine"]')
    assert old in table
    server.config.write_text(head + mark + table.replace(old, new))


def asked(talk: Talk) -> list[dict[str, Any]]:
    return [question for question in talk.of_kind("question") if question["type"] == "confirm"]


@pytest.mark.parametrize(
    ("old", "new", "shows"),
    [
        ('"--agent-version", "1"', '"--agent-version", "2"', "--agent-version 2"),
        ('"MY_KEY" = "canary"', '"MY_KEY" = "another", "EVIL" = "1"', "EVIL"),
        ("pass_env = [", 'pass_env = ["SSH_AUTH_SOCK", ', "SSH_AUTH_SOCK"),
    ],
)
async def test_a_command_that_was_changed_in_the_file_is_asked_about(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, old: str, new: str, shows: str
) -> None:
    """A46: arguments, variables, and what passes to it; the question survives a killed server."""
    async with talking(server, workspace, "mine") as talk, talking(server, workspace, "mine") as other:
        await talk.run(HELLO)
        await tamper(server, talk.api, old, new)
        await talk.run(HELLO)  # the one that runs goes on
        await talk.api.restart(talk.id, reload=True)
        question = await talk.question()
        assert question["title"] == "Start mine with another command than before?"
        assert shows in question["detail"]["text"]
        assert shows not in question["detail"]["before"]
        assert "canary" not in str(question)
        await server.restart()
        assert len(agent_log.starts()) == 1
        await talk.answer(question, "not-now")
        await until(lambda: bool(talk.notices("not-agreed")), 10)
        turn = await talk.send(HELLO)
        again = await talk.question(2)
        waiting = await other.send(HELLO)
        await other.question()
        assert len(agent_log.starts()) == 1
        await talk.answer(again, "start")
        await talk.ended(turn)
        await other.ended(waiting)
        assert [answer["by"] for answer in other.of_kind("answer")] == ["rule"]
        assert len(agent_log.starts()) == 3
        await talk.api.restart(talk.id, reload=True)
        await talk.run(HELLO)
        assert len(asked(talk)) == 2
        await talk.judge(text="hello" * 4)
        await other.judge(text="hello")


async def test_what_a_person_changes_on_the_page_is_not_asked_about(
    server: ServerProcess, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A46: but it does not vouch for what somebody else has changed before."""
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        await talk.api.call("PUT", "/api/agents/mine", {"args": mine(place, agent_log, "2")["args"]})
        await talk.api.restart(talk.id, reload=True)
        await talk.run(HELLO)
        await talk.api.call("PUT", "/api/settings", {"crash_limit": 7})
        await talk.api.restart(talk.id, reload=True)
        await talk.run(HELLO)
        assert asked(talk) == []
        await tamper(server, talk.api, '"--agent-version", "2"', '"--agent-version", "3"')
        await talk.api.call("PUT", "/api/agents/mine", {"display_name": "My own"})
        await talk.api.restart(talk.id, reload=True)
        await talk.question()
        await tamper(server, talk.api, '"--agent-version", "3"', '"--agent-version", "2"')
        await talk.run(HELLO)  # as it was agreed to: nobody need answer
        assert [answer["by"] for answer in talk.of_kind("answer")] == ["rule"]


async def test_a_command_that_changes_again_is_not_the_one_agreed_to(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A46: what was shown is what the answer is about."""
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        await tamper(server, talk.api, '"MY_KEY" = "canary"', '"MY_KEY" = "two"')
        await talk.api.restart(talk.id, reload=True)
        first = await talk.question()
        await tamper(server, talk.api, '"MY_KEY" = "two"', '"MY_KEY" = "three"')
        second = await talk.question(2)
        with pytest.raises(ApiError):
            await talk.answer(first, "start")
        assert len(agent_log.starts()) == 1
        await talk.answer(second, "start")
        await talk.run(HELLO)
        assert len(agent_log.starts()) == 2


async def test_an_agreement_that_could_not_be_stored_was_not_given(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A46: nothing is started by it, and the question stands until it is answered again."""
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        await tamper(server, talk.api, '"--agent-version", "1"', '"--agent-version", "2"')
        await talk.api.restart(talk.id, reload=True)
        question = await talk.question()
        refuse = "ON agreed_commands BEGIN SELECT RAISE(ABORT, 'no room'); END"
        for verb in ("INSERT", "UPDATE"):
            write(server, f"CREATE TRIGGER no_{verb} BEFORE {verb} {refuse}")
        with pytest.raises(ApiError):
            await talk.answer(question, "start")
        await talk.api.call("PATCH", f"/api/chats/{talk.id}", {"title": "one more step"})
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        assert talk.of_kind("answer") == []
        for verb in ("INSERT", "UPDATE"):
            write(server, f"DROP TRIGGER no_{verb}")
        await talk.answer(question, "start")
        await talk.run(HELLO)
        assert len(agent_log.starts()) == 2
        await server.restart()
        await talk.api.restart(talk.id, reload=True)
        await talk.run(HELLO)
        assert len(asked(talk)) == 1


def write(server: ServerProcess, sql: str) -> None:
    with closing(sqlite3.connect(server.database, timeout=10)) as connection:
        connection.execute(sql)


async def test_an_earlier_agreement_does_not_count_after_a_later_one(
    server: ServerProcess, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A46: the chat in which it was given is asked as well as any other."""
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        await tamper(server, talk.api, '"--agent-version", "1"', '"--agent-version", "2"')
        await talk.api.restart(talk.id, reload=True)
        await talk.answer(await talk.question(), "start")
        await talk.run(HELLO)
        await talk.api.call("PUT", "/api/agents/mine", {"args": mine(place, agent_log, "3")["args"]})
        await tamper(server, talk.api, '"--agent-version", "3"', '"--agent-version", "2"')
        await talk.api.restart(talk.id, reload=True)
        question = await talk.question(2)
        assert "--agent-version 3" in question["detail"]["before"]
        assert len(agent_log.starts()) == 2
        await talk.answer(question, "start")
        await talk.run(HELLO)
        assert len(agent_log.starts()) == 3


async def test_a_command_that_changes_while_the_start_waits_in_line_is_asked_about(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A46: what was agreed to when it lined up is not what would be started now."""
    server = await start_server(agents={"mine": mine(place, agent_log)}, settings={"concurrent_starts": 1})
    async with (
        talking(server, workspace, "mine") as talk,
        talking(server, workspace, "scripted-hang-init") as hanging,
        talking(server, workspace, "mine") as waiting,
    ):
        await talk.run(HELLO)
        held = await hanging.send(HELLO)
        await until(lambda: len(agent_log.starts()) == 2, 30)
        turn = await waiting.send(HELLO)
        await until(lambda: waiting.processes() == ["waiting"], 30)
        await tamper(server, talk.api, '"--agent-version", "1"', '"--agent-version", "2"')
        await hanging.cancel()
        await hanging.ended(held)
        question = await waiting.question()
        assert "--agent-version 2" in question["detail"]["text"]
        assert waiting.processes() == ["ended"]
        assert len(agent_log.starts()) == 2
        await waiting.answer(question, "start")
        assert (await waiting.ended(turn))["stop_reason"] == "end_turn"
        await waiting.judge(text="hello")


async def test_a_command_that_changes_while_the_server_is_down_is_not_started_by_its_return(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A46: the start was ordered before the server was killed; the next message asks."""
    async with talking(server, workspace, "mine") as talk, talking(server, workspace, "mine") as other:
        await talk.run(HELLO)
        await server.restart(kill_point="after-row-before-keeper:1")
        with suppress(httpx2.HTTPError):
            await other.send(HELLO)
        await server.wait_for_exit()
        assert other.processes() == ["starting"]
        change(server, '"--agent-version", "1"', '"--agent-version", "2"')
        await server.start()
        ended = await other.sees("turn-ended")
        assert ended["stop_reason"] == "error"
        assert ended["error"]["message"] == "mine could not be started: its command has changed meanwhile."
        assert ended["error"]["hint"] == "Send a message to be asked about it."
        assert len(agent_log.starts()) == 1
        turn = await other.send(HELLO)
        await other.answer(await other.question(), "start")
        await other.ended(turn)
        assert len(agent_log.starts()) == 2


async def test_nothing_else_starts_it_either(
    server: ServerProcess, api: Api, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A46: neither its history nor the look at its version; a first start needs no question."""
    ran = place / "ran"
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        assert asked(talk) == []
        program = place / "evil.py"
        program.write_text(f"open({str(ran)!r}, 'a').write('x')")
        head, mark, _ = server.config.read_text().partition('[agents."mine"]\n')
        lines = [f'{name} = ["{program}"]' for name in ("args", "version_args")]
        server.config.write_text("\n".join([f'{head}{mark}command = "{sys.executable}"', *lines, ""]))
        listed = (await api.call("GET", "/api/agents"))["agents"]
        assert next(agent for agent in listed if agent["id"] == "mine")["args"] == [str(program)]
        await api.call("GET", "/api/agents")
        for method, path in (("GET", "sessions"), ("DELETE", "sessions/x"), ("POST", "check")):
            with pytest.raises(ApiError) as refused:
                await api.call(method, f"/api/agents/mine/{path}")
            assert refused.value.status == 409
            assert "asked" in str(refused.value.hint)
        assert not ran.exists()


async def test_looking_at_the_agents_runs_nothing_that_nobody_has_started(
    server: ServerProcess, api: Api, place: Path
) -> None:
    """A46: somebody adds an agent to the file; neither the list nor a change of its name runs it."""
    ran, known = place / "ran", place / "known"
    for name, mark in (("evil", ran), ("good", known)):
        (place / name).write_text(f"#!/bin/sh\necho x >> {mark}; echo 1.2.3\n")
        (place / name).chmod(0o755)
    added = f'[agents."added"]\ncommand = "{place / "evil"}"\nversion_args = ["--version"]\n'
    server.config.write_text(f"{server.config.read_text()}\n{added}")
    await api.call("PUT", "/api/agents/added", {"display_name": "Added"})
    await api.call("PUT", "/api/agents/zzz", {"command": str(place / "good"), "version_args": ["--version"]})
    listed = [agent["id"] for agent in (await api.call("GET", "/api/agents"))["agents"]]
    assert listed.index("added") < listed.index("zzz"), "they are looked up in this order"
    await until(known.exists, 30)
    assert not ran.exists()


async def test_trusting_a_folder_at_the_terminal_agrees_to_no_command(
    server: ServerProcess, voxpilot: Voxpilot, finished: Finished, api: Api, agent_log: AgentLog
) -> None:
    """A46: `--trust` is about the folder; the command is shown there too."""
    words = ("run", "--agent", "mine", "--trust")
    assert code(await finished(*words, HELLO)) == 0
    await tamper(server, api, '"--agent-version", "1"', '"--agent-version", "2"')
    run = voxpilot(*words, HELLO, terminal=True)
    await run.prints("Choose 1-2")
    assert "--agent-version 2" in run.err + run.out
    assert len(agent_log.starts()) == 1
    run.types("2\n")
    assert await run.ends() == 130
    assert len(agent_log.starts()) == 1
