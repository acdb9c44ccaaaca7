"""Recorded agents: a restart between any two frames changes nothing, and no word is lost."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from tests.kit.traces import RecordedFrame, recordings
from tests.runtime.replay import play_all
from voxpilot.chat.events import Json

NAMES = sorted(recordings())
_OURS = re.compile(r"\b(?:[tm]-)?[0-9a-f]{12}\b")
_JOINED = {"seq", "at", "last_at", "content"}


def normal(events: list[tuple[str, Json]]) -> list[Json]:
    """Events without what chance decides: our own ids, and how neighbouring deltas were cut."""
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


@pytest.mark.parametrize("name", NAMES)
def test_a_restart_between_any_two_frames_gives_the_same_events(tmp_path: Path, name: str) -> None:
    frames = recordings()[name]
    undisturbed = normal(play_all(tmp_path, "plain", frames, lambda _: False))
    assert normal(play_all(tmp_path, "every", frames, lambda _: True)) == undisturbed
    cut = random.Random(name).randrange(len(frames))
    assert normal(play_all(tmp_path, "once", frames, lambda number: number == cut)) == undisturbed


@pytest.mark.parametrize("name", NAMES)
def test_every_word_of_a_recorded_agent_is_in_the_log_once(tmp_path: Path, name: str) -> None:
    frames = recordings()[name]
    events = play_all(tmp_path, "words", frames, lambda number: number % 3 == 0)
    for kind, update in (("text-delta", "agent_message_chunk"), ("thought-delta", "agent_thought_chunk")):
        heard = "".join(body["content"] for event, body in events if event == kind)
        said = words(frames, update)
        for remark in remarks(events) if kind == "text-delta" else ():
            said.remove(remark)
        assert heard == "".join(said)


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
    """Otherwise an error of the provider would look like an answer."""
    events = play_all(tmp_path, "remarks", recordings()[name], lambda _: False)
    found = [body for kind, body in events if kind == "notice" and body["code"] == "agent-remark"]
    assert [body for body in found if body["level"] == told[0] and body["text"].startswith(told[1])]


def remarks(events: list[tuple[str, Json]]) -> list[str]:
    """What was told as a notice, each of which is a whole chunk."""
    return [body["text"] for kind, body in events if kind == "notice" and body["code"] == "agent-remark"]


def words(frames: tuple[RecordedFrame, ...], kind: str) -> list[str]:
    """What the raw frames say, read without our code; early words count once their session is open."""
    opened: set[tuple[int, str]] = set()
    waiting: dict[tuple[int, str], list[str]] = {}
    opening: dict[tuple[int, str], str] = {}
    said: list[str] = []
    for frame in frames:
        message = frame.message
        if not frame.from_agent:
            if message.get("method") in ("session/load", "session/resume"):
                opened.add((frame.run, message["params"]["sessionId"]))
            if "id" in message and message.get("method") == "session/new":
                opening[(frame.run, json.dumps(message["id"]))] = message["method"]
            continue
        asked = (
            opening.pop((frame.run, json.dumps(message.get("id"))), None) if "method" not in message else None
        )
        if asked and isinstance(message.get("result"), dict):
            key = (frame.run, message["result"].get("sessionId"))
            opened.add(key)
            said += waiting.pop(key, [])
        if message.get("method") != "session/update":
            continue
        key = (frame.run, message["params"]["sessionId"])
        update = message["params"]["update"]
        if update.get("sessionUpdate") == kind and update["content"].get("type") == "text":
            (said if key in opened else waiting.setdefault(key, [])).append(update["content"]["text"])
    return said
