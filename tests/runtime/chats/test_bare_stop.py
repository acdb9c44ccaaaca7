"""A stop that names no turn: refused while it may be meant for the turn before."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.fakes.script import say, script, silent
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import talking
from tests.kit.servers.running import Server
from voxpilot.runtime.readers.shown import TAKEN_OVER_SECONDS

pytestmark = pytest.mark.in_memory


@pytest.mark.parametrize("first", [script(silent()), script(say("short"))], ids=["stopped", "ended"])
async def test_a_turn_posted_right_after_the_end_of_another_is_not_stopped_for_it(
    server: Server, workspace: Path, first: str
) -> None:
    """B10: the answer to the first stop was lost, and it is repeated under a new key."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(first)
        await talk.sees("turn-started")
        if "silent" in first:
            await talk.api.cancel(talk.id)
        await talk.ended(turn)
        following = await talk.send(script(silent()))
        await talk.sees(lambda e: e.kind == "turn-started" and e.data["turn"] == following)
        with pytest.raises(ApiError, match="The next turn has already started"):
            await talk.api.cancel(talk.id)
        assert talk.state_of(following) == "running"
        await anyio.sleep(TAKEN_OVER_SECONDS)  # in memory, this takes no time
        assert await talk.api.cancel(talk.id) == {"turn": following}


async def test_the_first_turn_and_one_after_a_pause_can_be_stopped_without_a_name(
    server: Server, workspace: Path
) -> None:
    async with talking(server, workspace) as talk:
        for _ in range(2):
            turn = await talk.send(script(silent()))
            await talk.sees(lambda e, turn=turn: e.kind == "turn-started" and e.data["turn"] == turn)  # type: ignore[misc]
            assert await talk.api.cancel(talk.id) == {"turn": turn}
            await talk.ended(turn)
            await anyio.sleep(TAKEN_OVER_SECONDS)
