"""The golden event lists fold into their expected results; the page's fold is tested against the same files.

Lives here: Python's half of it (the page's is frontend/src/state/chats/golden.test.ts).
With VOXPILOT_WRITE_GOLDEN=1 the expected results are written again, to be reviewed and committed like any
other change.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from voxpilot.chat.events import EVENT_TYPES
from voxpilot.chat.transcript import fold

FILES = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_events_fold_into_what_is_expected(path: Path) -> None:
    golden = json.loads(path.read_text(encoding="utf-8"))
    folded = fold((kind, body) for kind, body in golden["events"])
    if os.environ.get("VOXPILOT_WRITE_GOLDEN"):
        path.write_text(_laid_out({**golden, "head": folded.head, "blocks": folded.blocks}), encoding="utf-8")
    assert folded.head == golden["head"]
    assert folded.blocks == golden["blocks"]


def test_every_kind_of_event_is_among_them() -> None:
    told = {kind for path in FILES for kind, _ in json.loads(path.read_text(encoding="utf-8"))["events"]}
    assert {event.kind for event in EVENT_TYPES} - told == set()


def _laid_out(golden: dict[str, Any]) -> str:
    """One event or block per line, so that a diff shows single changes."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    def lines(values: list[Any]) -> str:
        return "[\n" + ",\n".join(f"    {line(value)}" for value in values) + "\n  ]"

    head = "{\n" + ",\n".join(f"    {line(k)}: {line(v)}" for k, v in golden["head"].items()) + "\n  }"
    return (
        f'{{\n  "says": {line(golden["says"])},\n  "events": {lines(golden["events"])},\n'
        f'  "head": {head},\n  "blocks": {lines(golden["blocks"])}\n}}\n'
    )
