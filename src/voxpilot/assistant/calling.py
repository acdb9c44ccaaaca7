"""Parsing the tool calls that a model writes.

Lives here: their arguments, how many calls one answer may contain, and what of an answer can be stored. Lives
elsewhere: the model's library (llm.py), the tools (toolbox.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from voxpilot.assistant.shapes import ToolCall

MOST_CALLS = 128
"""The most calls in one answer; any further ones are not read."""
TOO_MANY = (
    "This call was not run, and later calls were not read: one "
    f"response may call at most {MOST_CALLS - 1} tools. "
    "Call the tools you still need in your next response."
)


def storable(message: dict[str, Any]) -> dict[str, Any] | None:
    """Without it, text and calls are used."""
    try:
        orjson.dumps(message)
    except orjson.JSONEncodeError:
        return None
    return message


def whole_text(text: str) -> str:
    """Without lone surrogates, which JSON allows but nothing else does."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_call(id: str, name: str, written: str | Mapping[str, Any] | None) -> ToolCall:
    raw = json.dumps(written) if isinstance(written, Mapping) else written or "{}"
    try:
        arguments = orjson.loads(raw)
        orjson.dumps(arguments)  # it can read deeper nesting than it can write
    except (orjson.JSONDecodeError, orjson.JSONEncodeError) as error:
        return ToolCall(id, name, None, whole_text(raw), f"The arguments are not valid JSON: {error}.")
    if not isinstance(arguments, dict):
        return ToolCall(id, name, None, raw, "The arguments must be a JSON object.")
    return ToolCall(id, name, arguments, raw)
