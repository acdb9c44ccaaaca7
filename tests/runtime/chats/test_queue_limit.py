"""Messages that wait are held in memory, so their size is limited."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.script import say, script, wait_file
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import talking
from tests.kit.servers.running import Server
from voxpilot.runtime.turns import turn

pytestmark = pytest.mark.in_memory
PICTURE = {"type": "image", "mimeType": "image/png", "data": "A" * 60_000}
LONG = script(say("later")) + " " * 60_000


@pytest.mark.parametrize("way", ["post", "edit"])
async def test_a_queue_that_is_too_large_takes_no_more_until_it_is_shorter(
    server: Server, workspace: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """B5: one large message may always wait, whatever its size."""
    monkeypatch.setattr(turn, "QUEUE_BYTES", 100_000)
    async with talking(server, workspace) as talk:
        running = await talk.send(script(wait_file("go")))
        await talk.sees("turn-started")
        waiting = await talk.api.prompt(talk.id, LONG * 2, attachments=[PICTURE])
        if way == "post":
            refused = talk.send(script(say("more")), attachments=[PICTURE])
        else:
            monkeypatch.setattr(turn, "QUEUE_BYTES", 200_000)
            small = await talk.api.prompt(talk.id, script(say("small")))
            refused = talk.api.edit_queued(talk.id, small["message_id"], LONG)
        with pytest.raises(ApiError, match="409 conflict: The queue is full") as error:
            await refused
        assert error.value.hint
        await talk.api.remove_queued(talk.id, waiting["message_id"])
        following = await talk.send(script(say("more")), attachments=[PICTURE])
        (workspace / "go").touch()
        assert (await talk.ended(running))["stop_reason"] == "end_turn"
        assert (await talk.ended(following))["stop_reason"] == "end_turn"


async def test_all_chats_together_hold_only_so_many_large_messages(
    server: Server, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B5: each chat has room for itself, but there may be many; a small message is always accepted."""
    monkeypatch.setattr(turn, "ALL_BYTES", 100_000)
    monkeypatch.setattr(turn, "SMALL_BYTES", 10_000)
    async with talking(server, workspace) as one, talking(server, workspace) as other:
        first = await one.send(script(wait_file("go")), attachments=[PICTURE])
        await one.sees("turn-started")
        with pytest.raises(ApiError, match="409 conflict: Too many large messages") as error:
            await other.send(script(say("large")), attachments=[PICTURE])
        assert error.value.hint
        assert (await other.run(script(say("small"))))["stop_reason"] == "end_turn"
        (workspace / "go").touch()
        await one.ended(first)
        large = await other.send(script(say("large")), attachments=[PICTURE])
        assert (await other.ended(large))["stop_reason"] == "end_turn"
