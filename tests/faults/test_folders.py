"""A chat's folders: a person names them, the agent gets all of them, and nobody else adds one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.script import notify, request, say, script, update
from tests.faults.driver import Talk, talking
from tests.faults.test_restoring import lose_agent
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api, ApiError
from tests.kit.server import ServerProcess


def read(path: Path) -> str:
    return request("fs/read_text_file", {"path": str(path)})


async def answers(talk: Talk, path: Path) -> bool:
    """Whether the agent may read this."""
    before = len(talk.text())
    await talk.run(script(read(path)))
    return "error" not in talk.text()[before:]


@pytest.mark.parametrize(("agent", "is_told"), [("scripted", True), ("scripted-caps-off", False)])
async def test_further_folders_are_handed_over_each_time_where_the_agent_takes_them(
    server: ServerProcess,
    api: Api,
    workspace: Path,
    place: Path,
    agent_log: AgentLog,
    agent: str,
    is_told: bool,
) -> None:
    """A21: the whole list when a session is opened and when it is brought back; its files may be read."""
    library, elsewhere = place / "library", place / "elsewhere"
    for folder in (library, elsewhere):
        folder.mkdir()
        (folder / "x").write_text("x")
    chat = (await api.create_chat(workspace, agent, directories=[str(library)]))["id"]
    async with talking(server, workspace, chat=chat) as talk:
        assert await answers(talk, library / "x")
        assert not await answers(talk, elsewhere / "x")
        await lose_agent(talk, agent_log)
        turn = await talk.send(script(say("again")))
        if not is_told:
            await talk.answer(await talk.question(), "leave-out")
        await talk.ended(turn)
    opened = [*agent_log.received("session/new"), *agent_log.received("session/resume")]
    assert len(opened) == 2
    for frame in opened:
        assert frame["params"]["cwd"] == str(workspace)
        assert frame["params"].get("additionalDirectories") == ([str(library)] if is_told else None)


async def test_an_agent_adds_no_folder_of_its_own(
    server: ServerProcess, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A21: neither by what it tells of its session nor by methods that are not there."""
    outside = place / "outside"
    outside.mkdir()
    (outside / "x").write_text("x")
    wide = {"cwd": "/", "additionalDirectories": [str(outside)], "roots": [str(outside)]}
    tellings = [
        update({"sessionUpdate": "session_info_update", "title": "t", **wide}),
        update({"sessionUpdate": "config_option_update", "configOptions": [], **wide}),
        notify("session/add_directory", wide),
        request("session/set_directories", wide),
        request("session/new", wide),
    ]
    async with talking(server, workspace) as talk:
        await talk.run(script(*tellings))
        assert not await answers(talk, outside / "x")
        assert (await talk.api.chat(talk.id))["workspace"] == str(workspace)
        await lose_agent(talk, agent_log)
        await talk.run(script(say("again")))
        assert not await answers(talk, outside / "x")
        (resumed,) = agent_log.received("session/resume")
        assert str(outside) not in json.dumps(resumed)
        assert resumed["params"]["cwd"] == str(workspace)


@pytest.mark.parametrize("folder", ["relative", "/no/such/folder", "", "{workspace}/../none"])
async def test_a_folder_that_is_not_there_is_refused(api: Api, workspace: Path, folder: str) -> None:
    with pytest.raises(ApiError) as refused:
        await api.create_chat(workspace, directories=[folder.format(workspace=workspace)])
    assert refused.value.status == 422
