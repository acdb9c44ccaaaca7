"""Shown times follow the wall clock, and the ledger remembers by how much they were moved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.replay import Replay
from voxpilot.chat.events import ToolCallStarted, TurnEnded, TurnStarted
from voxpilot.storage.chats.ledger import Ledger

HOUR = 3600.0


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[Replay]:
    found = Replay(tmp_path, "x")
    found.ledger.emit(TurnStarted(turn="t", by="agent", message_id="m"), 900.0)
    yield found
    found.close()


def begin(ledger: Ledger, name: str, at: float) -> None:
    ledger.emit(ToolCallStarted(id=name, title=name, tool_kind="execute", status="in_progress", turn="t"), at)


def begun(ledger: Ledger) -> dict[str, float]:
    """When each call began, by the steady clock."""
    calls = [block for block in ledger.transcript.blocks if block["kind"] == "tool"]
    return {call["id"]: ledger.steady_at(call) for call in calls}


@pytest.mark.parametrize("shift", [HOUR, -HOUR])
def test_a_clock_that_was_set_does_not_move_what_began_before(replay: Replay, shift: float) -> None:
    """Nor after a restart, a sleep of the chat, or a step that failed."""
    replay.ledger.show_by(0.0)
    begin(replay.ledger, "a", 1000.0)
    replay.commit(1000.0)
    for _ in range(2):
        replay.restart()
        replay.ledger.show_by(shift)
        assert begun(replay.ledger)["a"] == 1000.0
    begin(replay.ledger, "b", 2000.0)
    replay.commit(2000.0)
    replay.restart()
    replay.ledger.show_by(0.0)
    assert begun(replay.ledger) == {"a": 1000.0, "b": 2000.0}


def test_only_a_running_turn_needs_the_earlier_ones(replay: Replay) -> None:
    for number in range(5):
        replay.ledger.show_by(number * HOUR)
        begin(replay.ledger, str(number), 1000.0 + number)
        replay.commit(1000.0 + number)
    assert len(replay.ledger.chat.shifts) == 5
    replay.ledger.emit(TurnEnded(turn="t", stop_reason="end_turn"), 2000.0)
    replay.commit(2000.0)
    replay.ledger.show_by(HOUR)
    replay.ledger.emit(TurnStarted(turn="t", by="agent", message_id="m"), 2001.0)
    replay.commit(2001.0)
    replay.restart()
    assert len(replay.ledger.chat.shifts) == 1
