"""Recorded agents: a restart between any two frames changes nothing."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from tests.kit.oracles.traces import recordings
from tests.runtime.replay import play_all
from voxpilot.chat.events import Json

NAMES = sorted(recordings())
_OURS = re.compile(r"\b(?:[tm]-)?[0-9a-f]{12}\b")
_JOINED = {"seq", "at", "last_at", "content"}


def normal(events: list[tuple[str, Json]]) -> list[Json]:
    """Events without random parts: our own ids, and how neighbouring deltas were split."""
    names: dict[str, str] = {}
    joined: list[Json] = []
    for kind, body in events:
        text = _OURS.sub(
            lambda m: names.setdefault(m[0], f"id{len(names)}"), json.dumps(body, sort_keys=True)
        )
        body = {"kind": kind, **json.loads(text)}
        same = {k: v for k, v in body.items() if k not in _JOINED}
        if joined and kind.endswith("-delta") and "block" not in body:
            last = joined[-1]
            if {k: v for k, v in last.items() if k not in _JOINED} == same:
                last["content"] += body["content"]
                continue
        joined.append(body)
    for number, body in enumerate(joined):
        body["seq"] = number
    return joined


def test_the_recordings_are_all_there() -> None:
    assert len(NAMES) == 130
    assert sum(len(frames) for frames in recordings().values()) > 4_000


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_restart_between_any_two_frames_gives_the_same_events(tmp_path: Path, name: str) -> None:
    frames = recordings()[name]
    undisturbed = normal(play_all(tmp_path, "plain", frames, lambda _: False))
    assert normal(play_all(tmp_path, "every", frames, lambda _: True)) == undisturbed
    cut = random.Random(name).randrange(len(frames))
    assert normal(play_all(tmp_path, "once", frames, lambda number: number == cut)) == undisturbed


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("copilot-errors", ("error", "Error: 400 scripted failure")),
        ("copilot-reject", ("info", "Info: Operation cancelled by user")),
        ("copilot-run", ("info", "Info: /workspace/multi.txt")),
    ],
)
def test_what_an_agent_itself_remarks_is_told_apart_from_what_its_model_says(
    tmp_path: Path, name: str, told: tuple[str, str]
) -> None:
    """Otherwise a provider's error would look like an answer."""
    events = play_all(tmp_path, "remarks", recordings()[name], lambda _: False)
    found = [body for kind, body in events if kind == "notice" and body["code"] == "agent-remark"]
    assert [body for body in found if body["level"] == told[0] and body["text"].startswith(told[1])]
