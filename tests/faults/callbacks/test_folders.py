"""A chat's folders: a person names them, the agent gets all of them, and nobody else adds one.

What needs no processes: tests/runtime/callbacks/test_folders.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.script import request, say, script
from tests.kit.clients.client import Api
from tests.kit.clients.driver import Talk, lose_agent, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess


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
    """A21: the whole list when a session is opened and when it is restored; its files may be read."""
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
