"""Folders are trusted by a person before any agent is started in them."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.faults.driver import Talk, talking
from tests.kit.agent_log import AgentLog
from tests.kit.client import ApiError
from tests.kit.server import ServerProcess
from tests.kit.waiting import until
from tests.stories.test_cli import Finished, Voxpilot, code
from tests.stories.test_cli import finished as finished
from tests.stories.test_cli import port as port
from tests.stories.test_cli import voxpilot as voxpilot

WARY: dict[str, Any] = {"trusted_folders": []}


@pytest.fixture
async def wary(start_server: StartServer) -> ServerProcess:
    """A server that trusts no folder yet."""
    return await start_server(settings=WARY)


def asked(talk: Talk) -> list[str]:
    return [question["title"] for question in talk.of_kind("question")]


async def test_nothing_is_started_in_a_folder_before_a_person_trusts_it(
    wary: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A48: the question survives a killed server; the answer holds for good, and for folders inside."""
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


async def test_not_now_ends_the_turn_and_nothing_was_started(
    wary: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A48: the next message asks again."""
    async with talking(wary, workspace) as talk:
        turn = await talk.send(script(say("hi")))
        await talk.answer(await talk.question(), "not-now")
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert "not trusted" in talk.notices("not-trusted")[0]["text"]
        turn = await talk.send(script(say("hi")))
        await talk.question(2)
        await talk.cancel()
        await talk.ended(turn)
        assert (await talk.api.chat(talk.id))["needs_you"] == 0
        assert agent_log.starts() == []
        assert talk.processes() == []
        await talk.judge(text="")


async def test_a_neighbour_or_a_link_is_another_folder(
    wary: ServerProcess, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A48: what counts is where the folder really is."""
    (place / "workspace-2").mkdir()
    (place / "real").mkdir()
    (workspace / "link").symlink_to(place / "real")
    async with talking(wary, workspace) as talk:
        turn = await talk.send(script(say("x")))
        await talk.answer(await talk.question(), "trust")
        await talk.ended(turn)
    for folder, real in ((place / "workspace-2", "workspace-2"), (workspace / "link", "real")):
        async with talking(wary, folder) as talk:
            await talk.send(script(say("x")))
            assert (await talk.question())["title"] == f"Do you trust the files in {place / real}?"
            await talk.cancel()
    assert len(agent_log.starts()) == 1


async def test_a_folder_trusted_in_one_chat_is_trusted_in_those_that_wait(
    wary: ServerProcess, workspace: Path
) -> None:
    async with talking(wary, workspace) as one, talking(wary, workspace) as other:
        turns = [await one.send(script(say("x"))), await other.send(script(say("y")))]
        await other.question()
        await one.answer(await one.question(), "trust")
        await one.ended(turns[0])
        await other.ended(turns[1])
        assert [(a["option_id"], a["by"]) for a in other.of_kind("answer")] == [("trust", "rule")]
        await one.judge(text="x")
        await other.judge(text="y")


async def test_a_folder_no_longer_trusted_when_the_start_has_its_turn_is_asked_about_again(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    """A48: it was trusted when the start lined up."""
    held = place / "held"
    held.mkdir()
    server = await start_server(settings={"trusted_folders": [str(held)], "concurrent_starts": 1})
    async with talking(server, held, "scripted-hang-init") as hanging, talking(server, workspace) as talk:
        blocking = await hanging.send(script(say("x")))
        await until(lambda: hanging.processes() == ["starting"], 30)
        turn = await talk.send(script(say("x")))
        await talk.answer(await talk.question(), "trust")
        await until(lambda: talk.processes() == ["waiting"], 30)
        await talk.api.call("DELETE", "/api/trusted-folders", query={"path": str(workspace)})
        await hanging.cancel()
        await hanging.ended(blocking)
        again = await talk.question(2)
        assert talk.processes() == ["ended"]
        await talk.answer(again, "not-now")
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert talk.processes() == ["ended"]


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
        assert ended["error"]["message"].endswith("could not be started: its folder is not trusted any more.")
        assert ended["error"]["hint"] == "Send a message to be asked about it."
        assert agent_log.starts() == []
        turn = await talk.send(script(say("hi")))
        await talk.answer(await talk.question(), "trust")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.judge(text="hi")


async def test_the_policy_never_trusts_a_folder(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """A48, C1: nor does it when everything is approved everywhere."""
    server = await start_server(settings={**WARY, "acp_auto_allow_permissions": True})
    async with talking(server, workspace) as talk:
        await talk.send(script(say("x")))
        await talk.question()
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        await talk.cancel()
        assert agent_log.starts() == []


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
    assert f"VoxPilot asks: Do you trust the files in {workspace}?" in run.err + run.out
    run.types("2\n")
    assert await run.ends() == 130
    assert agent_log.starts() == []
    done = await finished(*words, "--trust", script(say("hi")))
    assert (code(done), done.out) == (0, "hi")
    again = await finished(*words, script(say("ho")))
    assert (code(again), again.out) == (0, "ho")
