"""Folders are trusted by a person before any agent is started in them.

What needs processes: tests/stories/consent/test_trust.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until
from voxpilot.runtime.processes import trust
from voxpilot.settings import Settings

pytestmark = pytest.mark.in_memory

WARY: dict[str, Any] = {"trusted_folders": []}


@pytest.fixture
async def wary(start_server: StartServer) -> Server:
    """A server that trusts no folder yet."""
    return await start_server(settings=WARY)


async def test_not_now_ends_the_turn_and_nothing_was_started(
    wary: Server, workspace: Path, agent_log: AgentLog
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
    wary: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A48: the real location of the folder is used."""
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


async def test_several_folders_are_asked_about_together(wary: Server, workspace: Path, place: Path) -> None:
    """A48: the button says that it trusts all of them."""
    (place / "more").mkdir()
    async with Api(wary.url, wary.token) as api:
        chat = (await api.create_chat(workspace, directories=[str(place / "more")]))["id"]
    async with talking(wary, workspace, chat=chat) as talk:
        await talk.send(script(say("x")))
        question = await talk.question()
        assert question["title"] == f"Do you trust the files in {workspace} and {place / 'more'}?"
        assert [option["label"] for option in question["options"]] == ["Trust these folders", "Not now"]
        await talk.cancel()


async def test_a_folder_trusted_in_one_chat_is_trusted_in_those_that_wait(
    wary: Server, workspace: Path
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
    """A48: it was trusted when the start joined the queue."""
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


def test_a_trusted_folder_whose_disk_does_not_respond_is_not_the_whole_disk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Settings.model_construct(trusted_folders=(Path("/mnt/slow"),), data_dir=Path("/mnt/d"))
    monkeypatch.setattr(trust, "real_path", lambda path: "/" if path.startswith("/mnt") else path)
    assert trust.untrusted(["/home/me", "/mnt/slow"], [], settings) == ["/home/me", "/"]


async def test_the_policy_never_trusts_a_folder(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """A48, C1: even if everything is approved everywhere."""
    server = await start_server(settings={**WARY, "acp_auto_allow_permissions": True})
    async with talking(server, workspace) as talk:
        await talk.send(script(say("x")))
        await talk.question()
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        await talk.cancel()
        assert agent_log.starts() == []
