"""Two sessions of one real agent work at the same time, each in its own chat and folder."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.llm.script import slow_text
from tests.faults.driver import Talk, talking
from tests.kit.server import ServerProcess
from tests.real_agents.day import begin, run
from tests.real_agents.provision import RealAgent
from tests.real_agents.sheet import Sheet


async def test_side_by_side(
    talk: Talk, server: ServerProcess, agent: RealAgent, place: Path, sheet: Sheet
) -> None:
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    # One agent fails when two of it are the first ever to be started: both make its database.
    await run(talk, "say I am here.")
    async with talking(server, elsewhere, agent.id) as other:
        one, two = await begin(talk, "slow 80 0.1"), await begin(other, "slow 81 0.1")
        await one.says("word3 ")
        await two.says("word3 ")
        together = one.end is None and two.end is None
        await one.ends()
        await two.ends()
        await other.judge()
    await talk.judge()
    sheet.note("two", together and (one.text, two.text) == (slow_text(80), slow_text(81)))
