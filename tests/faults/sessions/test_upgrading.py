"""F31: the agent is another one than before: its version, what it can do, the models it has.

What needs no processes: tests/runtime/sessions/test_upgrading.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.driver import Talk, talking
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess

HELLO = script(say("hello"))


class Upgradable:
    """An agent that can be replaced by another version of itself, and a chat with it."""

    def __init__(self, talk: Talk, place: Path) -> None:
        self.talk = talk
        self.place = place

    async def install(self, version: str, *faults: str, models: str = "scripted-1,scripted-2") -> None:
        kept = ["--store", str(self.place / "agent"), "--agent-version", version, "--models", models]
        agent = scripted(*faults, log=self.place / "agent.jsonl", options=kept)
        await self.talk.api.call("PUT", "/api/agents/mine", agent)

    async def upgrade(self, version: str, *faults: str, **more: Any) -> None:
        await self.install(version, *faults, **more)
        await self.talk.api.restart(self.talk.id, reload=True)

    def model(self) -> Any:
        """As the page shows it."""
        offered = self.talk.of_kind("options")[-1]["options"]
        return next(option["current"] for option in offered if option["category"] == "model")


@pytest.fixture
async def mine(server: ServerProcess, place: Path, workspace: Path) -> AsyncIterator[Upgradable]:
    async with talking(server, workspace, "scripted") as talk:
        mine = Upgradable(talk, place)
        await mine.install("1.2")
        await talk.api.change_chat(talk.id, agent="mine")
        yield mine
        await talk.judge()


async def test_an_agent_that_was_upgraded_is_told(mine: Upgradable) -> None:
    """F31, R132: the new version is started by a restart, and the chat says what changed; once."""
    await mine.talk.run(HELLO)
    for _ in range(2):
        await mine.upgrade("1.3")
        await mine.talk.run(HELLO)
    assert [notice["text"] for notice in mine.talk.notices("agent-changed")] == [
        "mine was updated: 1.2 → 1.3."
    ]
    assert mine.talk.text() == "hello" * 3
