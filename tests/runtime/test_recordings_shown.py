"""Recorded agents against the oracle: our fold shows what their raw frames say.

The oracle (tests/kit/oracles/trace_oracle.py) interprets the frames by the protocol alone.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.kit.oracles import trace_oracle
from tests.kit.oracles.trace_shown import shown
from tests.kit.oracles.traces import recordings
from tests.runtime.replay import play_all
from voxpilot.chat.transcript import fold

NAMES = sorted(recordings())


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_is_what_the_agent_said(tmp_path: Path, name: str) -> None:
    """R100–R102, R105, R107–R109: text, thoughts, plans and merged calls, in order, nothing lost."""
    frames = recordings()[name]
    expected = trace_oracle.read(frames).plain()
    folded = fold(play_all(tmp_path, "plain", frames, lambda _: False))
    assert shown(folded.head, folded.blocks).plain() == expected
    cuts = random.Random(name)
    folded = fold(play_all(tmp_path, "restarted", frames, lambda _: cuts.random() < 0.3))
    assert shown(folded.head, folded.blocks).plain() == expected


def test_the_recordings_hold_what_the_oracle_must_know() -> None:
    """Every rule of the oracle is needed by some recording."""
    seen = [trace_oracle.read(frames) for frames in recordings().values()]
    items = [item for one in seen for turn in one.turns for item in turn.flow]
    calls = [item for item in items if "tool" in item]
    questions = [item["question"] for item in items if "question" in item]
    assert {turn.stop for one in seen for turn in one.turns} >= {
        "end_turn",
        "cancelled",
        "error",
        "interrupted",
    }
    assert {call["status"] for call in calls} >= {"completed", "failed", "cancelled"}
    assert {question["outcome"] for question in questions} >= {
        "allow_once", "reject_once", "cancelled", "expired", "accept",
    }  # fmt: skip
    assert any([part["type"] for part in call["content"]] == ["content", "diff"] for call in calls)
    assert any("thought" in item for item in items)
    assert any(item.get("plan") for item in items)
    assert any("unknown" in item for item in items)
    assert any(option["id"] == "model" for one in seen for view in one.options.values() for option in view)
    assert any(one.commands for one in seen)
    assert any(one.usage for one in seen)
    assert any(one.title for one in seen)
