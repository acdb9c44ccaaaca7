"""Whether everything we send to agents is valid according to the protocol.

Lives here: holding every frame that agents say they received against the official schema.
Lives elsewhere: that this is done after every test in memory (tests/conftest.py) and of tests/faults.
"""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from tests.kit.peers.agent_log import AgentLog


def check_frames(log: AgentLog) -> list[str]:
    """Check what each process received, in order; returns the kind of each frame."""
    lines = log.lines()
    pids = dict.fromkeys(line["pid"] for line in lines)
    return [kind for pid in pids for kind in _Process([line for line in lines if line["pid"] == pid]).check()]


class _Process:
    """One run of an agent, according to its own log."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self._received = [line["frame"] for line in lines if line["dir"] == "in" and "frame" in line]
        assert not [line for line in lines if line["dir"] == "in" and "raw" in line], "we sent invalid JSON"
        self._asked: dict[str, str] = {}
        self._unanswered: Counter[str] = Counter()
        for frame in _sent(lines):
            self._asked[json.dumps(frame["id"])] = str(frame["method"])
            self._unanswered[json.dumps(frame["id"])] += 1
        self._ours: set[str] = set()
        self._is_cut = any(isinstance(line.get("raw"), int) for line in lines)
        """Of very long lines the log has only the length, so some of its requests are unknown."""

    def check(self) -> Iterator[str]:
        for frame in self._received:
            assert frame["jsonrpc"] == "2.0"
            if "method" not in frame:
                yield self._answer(frame)
            elif "id" in frame:
                yield self._request(frame)
            else:
                assert set(frame) == {"jsonrpc", "method", "params"}
                _check_exactly(_models().NOTIFICATIONS[frame["method"]], frame["params"])
                yield str(frame["method"])

    def _request(self, frame: dict[str, Any]) -> str:
        assert set(frame) == {"jsonrpc", "id", "method", "params"}
        name = json.dumps(frame["id"])
        assert name not in self._ours, "an id of ours was used twice"
        self._ours.add(name)
        _check_exactly(_models().REQUESTS[frame["method"]], frame["params"])
        return str(frame["method"])

    def _answer(self, frame: dict[str, Any]) -> str:
        name = json.dumps(frame["id"])
        if self._is_cut and name not in self._asked:
            return "answer to a long request"
        assert self._unanswered[name] > 0, f"answered unasked, or twice: {frame}"
        self._unanswered[name] -= 1
        if "error" in frame:
            assert set(frame) == {"jsonrpc", "id", "error"}
            _models().ERROR.model_validate(frame["error"])
            return f"error to {self._asked[name]}"
        assert set(frame) == {"jsonrpc", "id", "result"}
        _check_exactly(_models().ANSWERS[self._asked[name]], frame["result"])
        return f"answer to {self._asked[name]}"


def _sent(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Requests of the agent, including those it wrote as raw lines."""
    for line in lines:
        if line["dir"] != "out":
            continue
        frame = line.get("frame")
        if isinstance(raw := line.get("raw"), str):
            try:
                frame = json.loads(re.sub(r"\[{9,}\]{9,}", "[]", raw))  # may be nested too deeply for it
            except ValueError:
                continue
        if isinstance(frame, dict) and "method" in frame and "id" in frame:
            yield frame


def _check_exactly(model: Any, value: Any) -> None:
    """Valid, and without fields that the schema does not know."""
    adapter = _adapter(model)
    understood = adapter.dump_python(
        adapter.validate_python(value), mode="json", by_alias=True, exclude_unset=True
    )
    assert understood == value


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


@cache
def _models() -> Any:
    """frame_models.py, not imported before there are frames to check."""
    return importlib.import_module("tests.kit.oracles.frame_models")
