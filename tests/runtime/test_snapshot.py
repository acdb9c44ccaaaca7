"""Which blocks a reader gets first: the newest, and the newest turn."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from voxpilot.chat.transcript import Transcript
from voxpilot.runtime.readers.snapshot import (
    ENDED_TURN_BYTES,
    LONG_BYTES,
    OPEN_TURN_BYTES,
    newest,
    older,
    take,
)


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


class Reads:
    """A database that only notes which threads would read."""

    def __init__(self) -> None:
        self.long: list[bool] = []

    async def read(self, work: Any, is_long: bool = False) -> Any:
        self.long.append(is_long)
        return 0, b""


@pytest.mark.parametrize(("size", "is_long"), [(LONG_BYTES // 2, False), (2 * LONG_BYTES, True)])
async def test_a_large_chat_is_read_by_threads_for_long_reads(size: int, is_long: bool) -> None:
    """B7: others would wait for the few threads that read everything else."""
    reads: Any = Reads()
    transcript = running(3, 10)
    transcript.size = size
    ahead = transcript.head["seq"] - 1  # a step is being committed
    await take(reads, "c", transcript, ahead, 7)
    await older(reads, "c", transcript, ahead, 50, 7)
    assert reads.long == [is_long, is_long]
