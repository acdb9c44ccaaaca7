"""Large bodies shown small: what streams of an event that is too big to stream.

Lives here: cutting a body down and saying so. Lives elsewhere: keeping the
whole body and giving it out on request (storage/event_log.py, web/chats.py).
"""

from __future__ import annotations

from typing import Any

import orjson

from voxpilot.chat.events import Json

STREAM_LIMIT = 64_000
"""Bytes of one event's JSON that are streamed whole."""
DELTA_LIMIT = 16_000
"""Characters of one text delta; longer text becomes several deltas, so text is never cut."""

_STEPS = ((4_000, 200), (1_000, 100), (200, 40), (40, 10))


def preview(body: Json, limit: int = STREAM_LIMIT) -> Json:
    """The same body with its long strings and lists cut, marked `cut` and with its real `size`."""
    size = len(orjson.dumps(body))
    for characters, items in _STEPS:
        shown = _shorten(body, characters, items)
        if len(orjson.dumps(shown)) <= limit - 100:
            break
    else:
        shown = {name: _fitting(value) for name, value in shown.items()}
    return {**shown, "cut": True, "size": size}


def _fitting(value: Any) -> Any:
    """A field as it is if it is small, else empty: a question keeps what it offers."""
    if len(orjson.dumps(value)) <= STREAM_LIMIT // 20:
        return value
    return {} if isinstance(value, dict) else []


def _shorten(value: Any, characters: int, items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= characters else value[:characters] + "…"
    if isinstance(value, dict):
        return {name: _shorten(inner, characters, items) for name, inner in list(value.items())[: items * 4]}
    if isinstance(value, list | tuple):
        return [_shorten(inner, characters, items) for inner in value[:items]]
    return value
