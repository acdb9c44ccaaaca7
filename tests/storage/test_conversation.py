"""What of a conversation is read for the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from voxpilot.chat.transcript import Transcript
from voxpilot.runtime.assistant.model_runner import _messages
from voxpilot.runtime.turns import turn
from voxpilot.storage.chats import conversation
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.rows import Chat, Turn
from voxpilot.storage.database.sqlite import Database
from voxpilot.storage.database.states import TurnState

PICTURE = {"type": "image", "mimeType": "image/png", "data": "AAAA" * 250}


async def read(path: Path, messages: list[int]) -> list[Any]:
    """The messages to the model in a chat with this many pictures in each."""
    migrate(path)
    async with Database(path) as db:
        row = Chat(
            id="c",
            title="",
            workspace="/w",
            mode="llm",
            agent="a",
            policy="ask",
            created_at=0.0,
            updated_at=0.0,
        )
        ledger = Ledger(row, Transcript())
        ledger.save(row)
        for number, pictures in enumerate(messages):
            posted = turn.post(ledger, f"m{number}", (PICTURE,) * pictures, 1.0)
            ledger.change(ledger.get(Turn, posted.id) or posted, state=TurnState.DONE, started_at=1.0)
        await db.commit(ledger.take(1.0).batch)
        found = await db.read(lambda db: conversation.load(db, "c"))
    return [(said.text, len(said.images)) for exchange in found for said in _messages(exchange)]  # type: ignore[union-attr]


async def test_pictures_of_old_messages_are_left_out_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B5: they are held in memory, and providers refuse a request that is too large, then all later ones."""
    monkeypatch.setattr(conversation, "ATTACHED_BYTES", 6_000)
    assert await read(tmp_path / "few.db", [1, 2, 0, 2]) == [("m0", 1), ("m1", 2), ("m2", 0), ("m3", 2)]
    note = "[Files attached here and not shown again]"
    assert await read(tmp_path / "many.db", [1, 2, 0, 2, 1]) == [
        (f"m0\n\n{note}", 0),
        (f"m1\n\n{note}", 0),
        ("m2", 0),
        (f"m3\n\n{note}", 0),
        ("m4", 1),
    ]


async def test_the_newest_message_is_always_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "ATTACHED_BYTES", 3_000)
    assert [count for _, count in await read(tmp_path / "one.db", [1, 9])] == [0, 9]
