"""Those who follow a chat get every event once, whatever the numbers are."""

from __future__ import annotations

import pytest

from voxpilot.chat.events import NoticeGiven, ToolCallChanged, ToolCallStarted
from voxpilot.chat.transcript import Transcript
from voxpilot.runtime.wakeup import Wakeup
from voxpilot.storage.event_log import Recorded
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Chat


def test_events_are_found_by_their_numbers_though_one_is_missing() -> None:
    wakeup = Wakeup(0)
    wakeup.announce([Recorded(seq, "notice", b"{}") for seq in (1, 2, 4, 5, 6)])
    for after, left in ((0, [1, 2, 4, 5, 6]), (2, [4, 5, 6]), (3, [4, 5, 6]), (4, [5, 6]), (6, [])):
        assert [event.seq for event in wakeup.recent_after(after) or []] == left


def test_an_event_that_cannot_be_folded_takes_no_number() -> None:
    chat = Chat(
        id="c", title="t", workspace="/w", mode="agent", agent="a", policy="ask", created_at=0.0,
        updated_at=0.0,
    )  # fmt: skip
    ledger = Ledger(chat, Transcript())
    ledger.emit(ToolCallStarted(id="t", title="", tool_kind="edit", status="pending"), 1.0)
    with pytest.raises(AttributeError):
        ledger.emit(ToolCallChanged(id="t", content=(5,)), 1.0)  # type: ignore[arg-type]
    ledger.emit(NoticeGiven(level="info", code="x", text="after"), 1.0)
    seqs = [event.seq for event in ledger.take(2.0).events]
    assert seqs == list(range(1, len(seqs) + 1))
    assert [block["text"] for block in ledger.transcript.blocks if block["kind"] == "notice"] == ["after"]


def test_an_odd_diff_that_is_stored_already_can_be_folded() -> None:
    chat = Transcript()
    odd = [{"type": "diff", "path": []}]
    chat.apply("tool-call", {"seq": 1, "at": 1.0, "id": "t", "content": odd})
    chat.apply("tool-update", {"seq": 2, "at": 1.0, "id": "t", "content": odd})
    assert chat.blocks[0]["content"] == odd
