"""What is kept of the fold is the fold of the events, at every point of every recording."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from tests.kit.traces import recordings
from tests.runtime.replay import CHAT, Replay
from voxpilot.chat.events import NoticeGiven
from voxpilot.chat.transcript import KEPT_BLOCKS, fold
from voxpilot.storage import folds


@pytest.mark.parametrize("name", sorted(recordings())[::3])
def test_the_kept_fold_and_the_events_after_it_are_the_fold_of_all_events(tmp_path: Path, name: str) -> None:
    replay = Replay(tmp_path, "x")
    for number, frame in enumerate(recordings()[name]):
        replay.play(frame)
        if number % 5 == 0:
            replay.restart()
        if number % 7:
            continue
        whole = fold(replay.events())
        loaded = folds.load(replay.db, CHAT)
        assert loaded.head == whole.head == orjson.loads(orjson.dumps(replay.ledger.transcript.head))
        assert loaded.blocks == whole.blocks[-len(loaded.blocks) :]
        kept = folds.older_blocks(replay.db, CHAT, 2**62, 10_000)
        merged = {block["pos"]: block for block in [*kept, *loaded.blocks]}
        assert list(merged.values()) == whole.blocks
    replay.close()


def test_a_long_chat_is_kept_in_full_while_memory_holds_only_its_end(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "x")
    for number in range(5 * KEPT_BLOCKS):
        replay.ledger.emit(
            NoticeGiven(level="info", code="n", text=str(number), turn=f"t{number // 50}"), number
        )
        if number % 20 == 0:
            replay.commit(number)
    replay.commit(0)
    whole = fold(replay.events())
    assert len(whole.blocks) == 5 * KEPT_BLOCKS
    assert len(replay.ledger.transcript.blocks) <= KEPT_BLOCKS + 50
    assert folds.older_blocks(replay.db, CHAT, 2**62, 10_000) == whole.blocks
    replay.close()
