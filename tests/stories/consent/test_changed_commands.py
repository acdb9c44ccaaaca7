"""An agent whose command was changed behind a person's back is not started before the person agrees.

What needs no processes: tests/runtime/consent/test_changed_commands.py.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.command_line import Finished, Voxpilot, code
from tests.kit.servers.own_agents import change, mine, tamper
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

HELLO = script(say("hello"))


def asked(talk: Talk) -> list[dict[str, Any]]:
    return [question for question in talk.of_kind("question") if question["type"] == "confirm"]


@pytest.fixture
async def server(start_server: StartServer, place: Path, agent_log: AgentLog) -> ServerProcess:
    return await start_server(agents={"mine": mine(place, agent_log)})


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
    """A46: arguments, variables, and passed variables; the question survives a killed server."""
    async with talking(server, workspace, "mine") as talk, talking(server, workspace, "mine") as other:
        await talk.run(HELLO)
        await tamper(server, talk.api, old, new)
        await talk.run(HELLO)  # the running one continues
        await talk.api.restart(talk.id, reload=True)
        question = await talk.question()
        assert question["title"] == "Start mine with the changed command?"
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
        assert ended["error"]["message"] == "mine could not be started: its command has changed."
        assert ended["error"]["hint"] == "Send a message to be asked again."
        assert len(agent_log.starts()) == 1
        turn = await other.send(HELLO)
        await other.answer(await other.question(), "start")
        await other.ended(turn)
        assert len(agent_log.starts()) == 2


async def test_nothing_else_starts_it_either(
    server: ServerProcess, api: Api, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A46: neither listing its history nor looking up its version; a first start needs no question."""
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
            assert "asks you to approve" in str(refused.value.hint)
        assert not ran.exists()


async def test_looking_at_the_agents_runs_nothing_that_nobody_has_started(
    server: ServerProcess, api: Api, place: Path
) -> None:
    """A46: somebody adds an agent to the file; neither the list nor renaming it runs it."""
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
