"""Previews of events that are too large to stream.

Lives here: shortening a body and marking it, and reducing a diff to its change. Lives elsewhere: storing the
whole body and serving it on request (storage/chats/event_log.py, web/routes/chats.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from voxpilot.chat.events import Json

STREAM_LIMIT = 64_000
"""Bytes of one event's JSON that are streamed whole."""
DELTA_LIMIT = 16_000
"""Characters of one text delta; longer text becomes several deltas, so text is never cut."""

CONTEXT_LINES = 3
"""Lines kept around the change when a diff is reduced to it."""

_STEPS = ((4_000, 200), (1_000, 100), (200, 40), (40, 10))
_IDS = ("id", "turn", "tool_call_id", "message_id", "terminal_id", "question_id", "tool", "terminalId")
LONGEST_ID = 200
"""Ids refer to other things, so an id is cut only if it is absurdly long."""


def preview(body: Json, limit: int = STREAM_LIMIT) -> Json:
    """The same body with its long strings and lists cut, marked `cut` and with its real `size`."""
    size = len(orjson.dumps(body))
    for characters, items, kept in _steps(body):
        shown = {**_shorten(body, characters, items), **kept}
        if len(orjson.dumps(shown)) <= limit - 100:
            break
    else:
        shown = {**{name: _fitting(value) for name, value in shown.items()}, **kept}
    if "role" in body and "seq" in body:  # a message, folded into a block under another number
        cut = [name for name in ("text", "attachments") if _differ(shown.get(name), body.get(name))]
        shown["cut_at"] = dict.fromkeys(cut, body["seq"])
    if isinstance(shown.get("block"), dict) and "seq" in body:  # folded into a message, without the rest
        shown = {**shown, "block": {**shown["block"], "cut_at": body["seq"]}}
    return {**shown, "cut": True, "size": size}


def _steps(body: Json) -> Iterator[tuple[int, int, Json]]:
    """How far to shorten, and what to keep: a message's text if it fits, and all options of a question."""
    if "role" in body:
        yield from ((*step, {"text": body["text"]}) for step in _STEPS)
    for characters, items in _STEPS:
        yield characters, items, _offered(body, characters)


def _offered(body: Json, characters: int) -> Json:
    """All options of a question."""
    if "detail" not in body or "options" not in body:
        return {}
    return {"options": [_shorten(option, characters, 10) for option in body["options"]]}


def _differ(one: object, other: object) -> bool:
    return orjson.dumps(one) != orjson.dumps(other)


def _fitting(value: object) -> Any:
    """A field as it is if it is small, else empty."""
    if len(orjson.dumps(value)) <= STREAM_LIMIT // 20:
        return value
    return {} if isinstance(value, dict) else []


def _shorten(value: object, characters: int, items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= characters else value[:characters] + "…"
    if isinstance(value, dict):
        if value.get("type") == "diff" and isinstance(value.get("newText"), str):
            value = _shorten_diff(value, characters)
        value = _without_data(value, characters)
        return {
            name: _shorten(inner, max(characters, LONGEST_ID) if name in _IDS else characters, items)
            for name, inner in list(value.items())[: items * 4]
        }
    if isinstance(value, list | tuple):
        return [_shorten(inner, characters, items) for inner in value[:items]]
    return value


def _without_data(content: Json, characters: int) -> Json:
    """A picture, a sound or a file without its data: part of the data is useless."""
    for name in ("data", "blob"):
        data = content.get(name)
        if isinstance(data, str) and len(data) > characters and "mimeType" in content:
            content = {**content, name: "", "cut": True}
    return content


def _shorten_diff(diff: Json, characters: int) -> Json:
    """A diff without the common beginning and end of its texts; otherwise two long ones might look the same.

    `from_line` is the number of the first line that is left. `cut` means that part of the change itself is
    missing; without it the change is complete.
    """
    old, new = diff.get("oldText"), diff["newText"]
    if len(new) <= characters and (not isinstance(old, str) or len(old) <= characters):
        return diff
    if not isinstance(old, str):
        return {**diff, "newText": new[:characters], "cut": True}
    room = characters - 2  # for the marks of lines that are not whole
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    start = _lines_back(new, first, room // 4)
    end = last - _lines_on(new[len(new) - last :], room // 4)
    is_cut = max(len(old), len(new)) - start - end > room
    if is_cut:
        end = last  # otherwise the lines after the change would look changed too
    before = "…" if start and new[start - 1] != "\n" else ""
    after = "…" if end and not is_cut and new[len(new) - end - 1] != "\n" else ""
    shown = {
        name: before + text[start : min(len(text) - end, start + room)] + after
        for name, text in (("oldText", old), ("newText", new))
    }
    line = new.count("\n", 0, start) + 1
    return {**diff, **shown, "from_line": line, **({"cut": True} if is_cut else {})}


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _lines_back(text: str, place: int, most: int) -> int:
    """Where the lines before a position begin; within a line if they are too long."""
    start = place + 1
    for _ in range(CONTEXT_LINES + 1):
        start = text.rfind("\n", 0, max(0, start - 1)) + 1
    return max(start, place - most)


def _lines_on(text: str, most: int) -> int:
    """Where the lines after a position end; within a line if they are too long."""
    end = 0
    for _ in range(CONTEXT_LINES + 1):
        end = text.find("\n", end) + 1 or len(text)
    return min(end, most)
