"""Which blocks a reader gets first: the newest, and the newest turn."""

from __future__ import annotations

import orjson

from voxpilot.chat.transcript import Transcript
from voxpilot.runtime.readers.snapshot import ENDED_TURN_BYTES, OPEN_TURN_BYTES, newest


def test_without_a_turn_that_runs_just_as_many_as_were_asked_for() -> None:
    transcript = notices(100, size=10)
    assert positions(transcript, 7) == list(range(94, 101))
    assert positions(transcript, 0) == []
    assert positions(transcript, 500) == list(range(1, 101))


def test_a_turn_that_runs_is_whole() -> None:
    assert positions(running(30, size=10), 7) == list(range(101, 132))
    assert positions(running(3, size=10), 7) == list(range(98, 105))


def test_of_an_enormous_turn_only_the_end() -> None:
    size = OPEN_TURN_BYTES // 100
    found = positions(running(300, size), 7)
    assert 100 < len(found) < 110
    assert found == list(range(402 - len(found), 402))
    assert len(positions(running(300, size), 200)) >= 200, "what was asked for comes at any size"


def test_the_newest_turn_is_whole_when_it_has_ended() -> None:
    assert positions(ended(30, size=10), 7) == list(range(101, 133))
    assert positions(ended(3, size=10), 7) == list(range(99, 106))
    found = positions(ended(300, ENDED_TURN_BYTES // 100), 7)
    assert 100 < len(found) < 110
    assert found == list(range(403 - len(found), 403))


def notices(count: int, size: int) -> Transcript:
    transcript = Transcript()
    give(transcript, count, size)
    return transcript


def running(count: int, size: int) -> Transcript:
    """A hundred blocks, then a turn with this many."""
    transcript = notices(100, 10)
    message = {"seq": 101, "at": 0, "turn": "t", "message_id": "m", "by": "agent"}
    transcript.head["queue"] = [{"id": "m", "role": "user", "text": "go"}]
    transcript.apply("turn-started", message)
    give(transcript, count, size, turn="t")
    return transcript


def ended(count: int, size: int) -> Transcript:
    transcript = running(count, size)
    seq = transcript.head["seq"] + 1
    transcript.apply("turn-ended", {"seq": seq, "at": 0, "turn": "t", "stop_reason": "end_turn"})
    return transcript


def give(transcript: Transcript, count: int, size: int, **more: str) -> None:
    for _ in range(count):
        seq = transcript.head["seq"] + 1
        notice = {"seq": seq, "at": 0, "level": "info", "code": "n", "text": "x" * size, **more}
        transcript.apply("notice", notice)


def positions(transcript: Transcript, tail: int) -> list[int]:
    blocks, first = newest(transcript, tail)
    found = [int(orjson.loads(block)["pos"]) for block in blocks]
    assert first == (found[0] if found else 0)
    return found
