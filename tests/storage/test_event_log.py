"""Reading the log in pieces that are small enough for a slow reader."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import orjson
import pytest

from tests.runtime.replay import CHAT, Replay
from voxpilot.chat.events import NoticeGiven, TextSpoken
from voxpilot.storage.chats.event_log import PAGE_BYTES, Recorded, encode, numbered, read_after
from voxpilot.storage.database.sqlite import Database


async def test_a_piece_of_the_log_is_bounded_in_bytes_and_the_pieces_are_the_whole(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "x")
    for number in range(200):
        replay.ledger.emit(NoticeGiven(level="info", code="n", text=f"{number} " + "x" * 40_000), number)
    replay.commit(0)
    replay.close()
    pieces = await pieces_of(tmp_path / "x.db")
    assert len(pieces) > 20
    assert all(sum(len(event.body) for event in piece) < PAGE_BYTES + 41_000 for piece in pieces)
    assert [event.seq for piece in pieces for event in piece] == list(range(1, 201))


async def test_deltas_cut_apart_by_the_end_of_a_piece_lose_nothing(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "x")
    words = [f"{number} " + "y" * 9_000 for number in range(300)]
    for word in words:
        replay.ledger.emit(TextSpoken(message_id="m", content=word), 0)
    replay.commit(0)
    expected = "".join(body["content"] for _, body in replay.events())
    replay.close()
    pieces = await pieces_of(tmp_path / "x.db")
    assert len(pieces) > 5
    assert expected == "".join(words) == "".join(_content(event) for piece in pieces for event in piece)


@pytest.mark.parametrize("letters", [10, 3_000, 60_000])
def test_the_newest_events_take_no_more_memory_than_they_are_long(letters: int) -> None:
    """P3: they are held in memory for viewers, thousands at a time."""
    spoken = [numbered(TextSpoken(message_id="m", content="x" * letters), seq, 0) for seq in range(100)]
    tracemalloc.start()
    held = [encode(body)[1] for body in spoken]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 1.5 * sum(len(body) + 60 for body in held)


async def pieces_of(path: Path) -> list[list[Recorded]]:
    found: list[list[Recorded]] = []
    async with Database(path) as db:
        while piece := await read_after(db, CHAT, found[-1][-1].seq if found else 0):
            found.append(piece)
    return found


def _content(event: Recorded) -> str:
    return str(orjson.loads(event.body)["content"])
