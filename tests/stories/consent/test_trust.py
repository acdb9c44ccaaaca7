"""Folders are trusted by a person before any agent is started in them.

What needs no processes: tests/runtime/consent/test_trust.py.
"""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import talking
from tests.kit.clients.trusting import asked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.command_line import Finished, Voxpilot, code
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

WARY: dict[str, Any] = {"trusted_folders": []}


@pytest.fixture
async def wary(start_server: StartServer) -> ServerProcess:
    """A server that trusts no folder yet."""
    return await start_server(settings=WARY)


async def test_nothing_is_started_in_a_folder_before_a_person_trusts_it(
    wary: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A48: the question survives a killed server; the answer is permanent, and applies to folders inside."""
    inner = workspace / "inner"
    inner.mkdir()
    async with talking(wary, workspace) as talk:
        turn = await talk.send(script(say("hi")))
        question = await talk.question()
        assert question["type"] == "confirm"
        assert question["title"] == f"Do you trust the files in {workspace}?"
        assert [option["id"] for option in question["options"]] == ["trust", "not-now"]
        await wary.restart(signal.SIGKILL)
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        assert agent_log.starts() == []
        assert talk.processes() == []
        with pytest.raises(ApiError, match="422"):
            await talk.answer(question, "allow")
        await talk.answer(question, "trust")
        await talk.ended(turn)
        assert len(agent_log.starts()) == 1
        assert len(asked(talk)) == 1
        await talk.judge(text="hi")
    await wary.restart(signal.SIGKILL)
    for folder in (workspace, inner):
        async with talking(wary, folder) as talk:
            await talk.run(script(say("again")))
            assert asked(talk) == []


async def test_a_folder_no_longer_trusted_when_the_server_returns_is_asked_about_again(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """A48: the start was ordered before the server was killed; the next message asks."""
    server = await start_server(settings={"trusted_folders": [str(workspace)]})
    async with talking(server, workspace) as talk:
        await server.restart(kill_point="after-row-before-keeper:1")
        with suppress(httpx2.HTTPError):
            await talk.send(script(say("hi")))
        await server.wait_for_exit()
        assert talk.processes() == ["starting"]
        written = server.config.read_text()
        server.config.write_text(
            written.replace(f'trusted_folders = ["{workspace}"]', "trusted_folders = []")
        )
        await server.start()
        ended = await talk.sees("turn-ended")
        assert ended["error"]["message"].endswith("could not be started: its folder is no longer trusted.")
        assert ended["error"]["hint"] == "Send a message to be asked again."
        assert agent_log.starts() == []
        turn = await talk.send(script(say("hi")))
        await talk.answer(await talk.question(), "trust")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.judge(text="hi")


async def test_settings_may_name_folders_and_the_demo_has_one_of_its_own(
    start_server: StartServer, workspace: Path
) -> None:
    """A48"""
    server = await start_server(
        settings=WARY, env={"VOXPILOT_TRUSTED_FOLDERS": f"/nowhere:{workspace}", "VOXPILOT_DEMO_SPEED": "0"}
    )
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        assert asked(talk) == []
        made = await talk.api.call("POST", "/api/chats", {"agent": "demo", "mode": "agent"})
        await talk.api.prompt(made["id"], "hello")

        async def has_begun() -> bool:
            blocks = (await talk.api.blocks(made["id"]))["blocks"]
            return any(block["kind"] in ("text", "tool") for block in blocks)

        await until(has_begun, 30)
        await talk.api.cancel(made["id"])


async def test_a_run_asks_at_the_terminal_or_is_told_beforehand(
    wary: ServerProcess, voxpilot: Voxpilot, finished: Finished, workspace: Path, agent_log: AgentLog
) -> None:
    """A48"""
    words = ("run", "--agent", "scripted")
    run = voxpilot(*words, script(say("hi")), terminal=True)
    await run.prints("Choose 1-2")
    printed = "".join((run.err + run.out).replace("  | ", "").split())  # a long line is wrapped
    assert f"VoxPilotasks:Doyoutrustthefilesin{workspace}?" in printed
    run.types("2\n")
    assert await run.ends() == 130
    assert agent_log.starts() == []
    done = await finished(*words, "--trust", script(say("hi")))
    assert (code(done), done.out) == (0, "hi")
    again = await finished(*words, script(say("ho")))
    assert (code(again), again.out) == (0, "ho")
