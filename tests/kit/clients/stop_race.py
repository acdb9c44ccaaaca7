"""Turns that are stopped at about the time they end (F29).

Lives here: the race, for a server with processes and for one in memory.
"""

from __future__ import annotations

import random
from pathlib import Path

import anyio

from tests.fakes.script import cancel_race, say, script
from tests.kit.clients.driver import talking
from tests.kit.servers.running import Server


async def stop_at_the_end(server: Server, workspace: Path, count: int, chance: random.Random) -> None:
    """Turns that end by themselves at about the time they are stopped."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("begin")))
        wait = 0.01
        for _ in range(count):
            turn = await talk.send(script(cancel_race(chance.uniform(0, 12))))
            await anyio.sleep(chance.uniform(0, 2 * wait))
            stopped = await talk.api.request("POST", f"/api/chats/{talk.id}/cancel", json={"turn": turn})
            told = {202: "cancelled", 409: "end_turn"}[stopped.status_code]
            assert (await talk.ended(turn))["stop_reason"] == told
            wait *= 1.3 if told == "cancelled" else 1 / 1.3  # keeps the race close on any machine
        rows = await talk.judge(text="begin")
        ended = [row.data["turn"] for row in rows if row.kind == "turn-ended"]
        assert len(ended) == len(set(ended)) == count + 1
