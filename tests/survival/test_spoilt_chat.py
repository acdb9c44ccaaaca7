"""A chat that cannot be read does not affect others: all others are restored."""

from __future__ import annotations

import sqlite3
from contextlib import AsyncExitStack, closing
from pathlib import Path

from tests.fakes.script import say, script, wait_file
from tests.kit.clients.driver import talking
from tests.kit.servers.server import ServerProcess


async def test_one_spoilt_chat_keeps_no_other_from_waking(server: ServerProcess, workspace: Path) -> None:
    """K6, K9: in whatever order the server wakes them."""
    async with AsyncExitStack() as stack:
        talks = [await stack.enter_async_context(talking(server, workspace)) for _ in range(3)]
        turns = [await talk.send(script(say("one "), wait_file("go"), say("two"))) for talk in talks]
        for talk in talks:
            await talk.says("one ")
        await server.kill()
        (damaged, *_) = sorted(talks, key=lambda talk: talk.id)
        with closing(sqlite3.connect(server.database)) as database, database:
            database.execute("UPDATE turns SET attachments = 'damaged' WHERE chat_id = ?", (damaged.id,))
        (workspace / "go").touch()
        await server.start()
        for talk, turn in zip(talks, turns, strict=True):
            if talk is not damaged:
                await talk.ended(turn)
                assert talk.text() == "one two"
