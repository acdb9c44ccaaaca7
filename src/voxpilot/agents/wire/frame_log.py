"""The frames between us and an agent, as its keeper's journal has them, for diagnostics.

Lives here: the newest frames in outline, and the end of the error output. Nothing is stored a second time:
the journal is read each time. Lives elsewhere: the journal (keeper/journal.py), what may be shown
(redaction.py).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import orjson

from voxpilot.agents.wire.redaction import Redaction
from voxpilot.keeper.journal import (
    COMMAND_ENDED,
    ENDED,
    LEFT_RUNNING,
    PRINTED,
    SENT,
    SKIPPED,
    WRITTEN,
    JournalReader,
    Record,
    tail_offset,
)
from voxpilot.values import dataclass

READ_BYTES = 16 << 20
"""About how much of the end of a journal is read."""
READ_SECONDS = 2.0
STDERR_BYTES = 16_000
_LONGEST_SHOWN = 6_000
_MOST_ASKED = 10_000
_NOTES = {
    SKIPPED: "line too long",
    COMMAND_ENDED: "command ended",
    LEFT_RUNNING: "commands left running",
    ENDED: "process ended",
}
Way = Literal["to-agent", "from-agent", "keeper"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One line on the wire in outline, or a note of the keeper."""

    offset: int
    """Where its record ends in the journal."""
    at: float
    way: Way
    kind: Literal["request", "response", "notification", "unreadable", "note"]
    method: str
    """Of a response, the method of its request, if that is among those shown."""
    id: str
    bytes: int
    is_error: bool
    text: str
    """The frame without texts and secrets."""


@dataclass(frozen=True, slots=True)
class FrameLog:
    frames: tuple[Frame, ...]
    """Oldest first."""
    is_whole: bool
    """There are no earlier ones."""
    stderr: str
    """The end of what it wrote there."""


@dataclass(frozen=True, slots=True)
class _Line:
    record: Record
    way: Way
    data: bytes


def read_log(directory: Path, redaction: Redaction, most: int) -> FrameLog:
    """The newest frames. Blocks, for a few seconds at most."""
    start = tail_offset(directory, READ_BYTES)
    lines: deque[_Line] = deque(maxlen=most)
    asked: dict[tuple[Way, str], str] = {}
    stderr = bytearray()
    count = 0
    for line in _lines(directory, start):
        if line.record.type == WRITTEN:
            stderr += _stderr_in(line.data).encode("utf-8", "replace")
            del stderr[: -2 * STDERR_BYTES]
            continue
        if line.record.type == ENDED:
            stderr += _stderr_in(line.data).encode("utf-8", "replace")
            del stderr[: -2 * STDERR_BYTES]
        count += 1
        lines.append(line)
    frames = tuple(_outline(line, redaction, asked) for line in lines)
    # A secret may be cut where the text begins, so it is masked before the rest is dropped.
    words = redaction.text(stderr.decode("utf-8", "replace"), 2 * STDERR_BYTES)[-STDERR_BYTES:]
    return FrameLog(frames, start == 0 and count <= most, words)


def _lines(directory: Path, start: int) -> Iterator[_Line]:
    limit = time.monotonic() + READ_SECONDS
    with JournalReader(directory, start) as reader:
        while (
            time.monotonic() < limit and reader.offset < start + 2 * READ_BYTES and (found := reader.read())
        ):
            for record in found:
                yield from _lines_in(record)


def _lines_in(record: Record) -> Iterator[_Line]:
    if record.type == PRINTED:
        for line in record.payload.split(b"\n"):
            if line.strip():
                yield _Line(record, "from-agent", line)
    elif record.type == SENT:
        yield _Line(record, "to-agent", record.payload.partition(b" ")[2])
    elif record.type == WRITTEN or record.type in _NOTES:
        yield _Line(record, "keeper", record.payload)


def _outline(line: _Line, redaction: Redaction, asked: dict[tuple[Way, str], str]) -> Frame:
    record, data = line.record, line.data
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        value = None
    if line.way == "keeper":
        shown = (
            redaction.value({k: v for k, v in value.items() if k != "stderr"})
            if isinstance(value, dict)
            else None
        )
        return Frame(
            record.end,
            record.at,
            "keeper",
            "note",
            _NOTES[record.type],
            "",
            len(data),
            False,
            _as_text(shown),
        )
    if not isinstance(value, dict):
        told = redaction.text(data[:4_000].decode("utf-8", "replace")) if redaction.with_texts else ""
        return Frame(record.end, record.at, line.way, "unreadable", "", "", len(data), True, told)
    kind, method, id = _about(value, line.way, asked)
    text = _as_text(redaction.value(value))
    is_error = "error" in value and "method" not in value
    return Frame(
        record.end, record.at, line.way, kind, redaction.text(method, 200), redaction.text(id, 100),
        len(data), is_error, text,
    )  # fmt: skip


def _about(
    value: dict[str, Any], way: Way, asked: dict[tuple[Way, str], str]
) -> tuple[Literal["request", "response", "notification"], str, str]:
    method, id = value.get("method"), value.get("id")
    named = "" if id is None else str(id)
    if isinstance(method, str):
        if id is None:
            return "notification", method, ""
        if len(asked) < _MOST_ASKED:
            asked[way, named] = method
        return "request", method, named
    other: Way = "from-agent" if way == "to-agent" else "to-agent"
    return "response", asked.pop((other, named), ""), named


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    text = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_INDENT_2).decode()
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}\n…"


def _stderr_in(data: bytes) -> str:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return ""
    text = value.get("stderr") if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""
