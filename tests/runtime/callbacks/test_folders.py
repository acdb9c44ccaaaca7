"""A chat's folders: a person names them, the agent gets all of them, and nobody else adds one.

What needs processes: tests/faults/callbacks/test_folders.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.script import notify, request, say, script, update
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import Talk, lose_agent, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server

pytestmark = pytest.mark.in_memory


def read(path: Path) -> str:
    return request("fs/read_text_file", {"path": str(path)})


async def answers(talk: Talk, path: Path) -> bool:
    """Whether the agent may read this."""
    before = len(talk.text())
    await talk.run(script(read(path)))
    return "error" not in talk.text()[before:]


async def test_an_agent_adds_no_folder_of_its_own(
    server: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A21: neither by what it reports about its session nor by methods that do not exist."""
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
