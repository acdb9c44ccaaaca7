"""The stored fold is the fold of the events, at every point of every recording."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

from tests.kit.oracles.traces import recordings
from tests.runtime.replay import CHAT, Replay
from voxpilot.chat.blocks import KEPT_BLOCKS, BlocksAway
from voxpilot.chat.events import NoticeGiven
from voxpilot.chat.transcript import fold
from voxpilot.storage.chats import folds
from voxpilot.storage.chats import ledger as ledgers


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


@pytest.mark.parametrize("name", sorted(recordings())[::3])
def test_blocks_dropped_from_memory_change_nothing(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B5: whatever a frame needs of them is read again; events and blocks stay the same."""
    monkeypatch.setattr(ledgers, "KEEP_BYTES", 0)  # so that most blocks of a running turn are stored
    usual, sparing = Replay(tmp_path, "usual"), Replay(tmp_path, "sparing")
    for frame in recordings()[name]:
        usual.play(frame)
        sparing.ledger.transcript.hold(0)
        before = sparing.offset, sparing.names, dict(sparing.loads)
        try:
            sparing.play(frame)
        except BlocksAway as away:
            sparing.offset, sparing.names, sparing.loads = before
            sparing.ledger = ledgers.load(sparing.db, CHAT, away.since)
            sparing.play(frame)
    assert without_ids(sparing) == without_ids(usual)
    kept = folds.older_blocks(sparing.db, CHAT, 2**62, 10_000)
    merged = {block["pos"]: block for block in [*kept, *sparing.ledger.transcript.here]}
    assert orjson.loads(orjson.dumps(list(merged.values()))) == fold(sparing.events()).blocks
    for replay in (usual, sparing):
        replay.close()


def test_dropped_blocks_are_forgotten_when_nothing_can_change_them_any_more(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "x")
    give_notices(replay, range(KEPT_BLOCKS))
    replay.ledger.transcript.hold(0)
    assert len(replay.ledger.transcript.here) == 1
    assert replay.ledger.transcript.size < 1000
    with pytest.raises(BlocksAway):
        replay.ledger.transcript.find("notice", "n/t0")
    assert replay.ledger.transcript.find("notice", "n/t99") is None
    for start in range(KEPT_BLOCKS, 3 * KEPT_BLOCKS, 20):
        give_notices(replay, range(start, start + 20))
    assert replay.ledger.transcript.is_whole
    replay.close()


def test_a_long_chat_is_kept_in_full_while_memory_holds_only_its_end(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "x")
    for start in range(0, 5 * KEPT_BLOCKS, 20):
        give_notices(replay, range(start, start + 20))
    whole = fold(replay.events())
    assert len(whole.blocks) == 5 * KEPT_BLOCKS
    assert len(replay.ledger.transcript.blocks) <= KEPT_BLOCKS + 50
    assert folds.older_blocks(replay.db, CHAT, 2**62, 10_000) == whole.blocks
    replay.close()


@pytest.mark.parametrize("damaged", [b"", b'{"seq":', b"null", b"{}", b'{"seq":7}', b"\xff\xfe"])
def test_a_spoilt_head_is_folded_anew_and_kept_whole_again(tmp_path: Path, damaged: bytes) -> None:
    replay = Replay(tmp_path, "x")
    give_notices(replay, range(300))
    whole = fold(replay.events())
    replay.db.execute("UPDATE folds SET head = ?", (damaged,))
    replay.restart()
    assert replay.ledger.transcript.head == whole.head
    assert replay.ledger.transcript.blocks == whole.blocks
    give_notices(replay, range(300, 301))
    assert len(replay.ledger.transcript.blocks) <= KEPT_BLOCKS + 50, "it is kept, so memory need not hold it"
    assert folds.load(replay.db, CHAT).head == fold(replay.events()).head
    assert orjson.loads(replay.db.execute("SELECT head FROM folds").fetchone()[0])["seq"] == 301
    replay.close()


def test_a_spoilt_block_is_folded_anew_wherever_it_is(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "x")
    give_notices(replay, range(500))
    whole = fold(replay.events()).blocks
    replay.db.execute("UPDATE blocks SET body = x'00' WHERE pos IN (3, 490)")
    assert folds.older_blocks(replay.db, CHAT, 50, 20) == whole[29:49], "others are read as they are"
    assert folds.older_blocks(replay.db, CHAT, 10, 20) == whole[:9]
    replay.restart()
    assert replay.ledger.transcript.blocks == whole
    give_notices(replay, range(500, 501))
    assert folds.older_blocks(replay.db, CHAT, 2**62, 10_000) == fold(replay.events()).blocks
    assert replay.db.execute("SELECT count(*) FROM blocks WHERE body = x'00'").fetchone() == (0,)
    replay.close()


def without_ids(replay: Replay) -> list[str]:
    return [re.sub(r"\b[0-9a-f]{12}\b", "", f"{kind} {body}") for kind, body in replay.events()]


def give_notices(replay: Replay, numbers: range) -> None:
    for number in numbers:
        replay.ledger.emit(
            NoticeGiven(level="info", code="n", text=str(number), turn=f"t{number // 50}"), number
        )
    replay.commit(0)
