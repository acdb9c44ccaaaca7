"""What was acknowledged is on the disk at every instant."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import anyio

from tests.fakes.script import chunks, script
from tests.kit.clients.client import Api
from tests.kit.clients.sse import Viewer
from tests.kit.servers.server import ServerProcess

COPIES = 40


async def test_a_copy_of_the_database_at_any_instant_holds_all_that_was_seen(
    server: ServerProcess, api: Api, workspace: Path, tmp_path: Path
) -> None:
    """F45, as far as one machine can test it: each copy of file and log opens and lacks nothing shown."""
    chat = (await api.create_chat(workspace))["id"]
    dice = random.Random(45)
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(chunks(1500, 1)))
        await viewer.read_until("text-delta")
        for number in range(COPIES):
            await anyio.sleep(dice.uniform(0, 0.03))
            seen = viewer.last_seq
            copy = tmp_path / f"copy-{number}.db"
            # The log first: a checkpoint may move pages from it to the file, never the other way.
            for ending in ("-wal", ""):
                shutil.copyfile(f"{server.database}{ending}", f"{copy}{ending}")
            _check(copy, chat, seen)
        await viewer.read_turns(1)


def _check(copy: Path, chat: str, seen: int) -> None:
    connection = sqlite3.connect(copy)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        numbers = [
            n for (n,) in connection.execute("SELECT seq FROM events WHERE chat_id = ? ORDER BY seq", (chat,))
        ]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= seen
    finally:
        connection.close()
