"""What streams of an event that is too big to stream."""

from __future__ import annotations

import orjson

from voxpilot.chat.preview import STREAM_LIMIT, preview


def test_a_question_about_something_huge_can_still_be_answered() -> None:
    options = [{"id": "yes", "label": "Allow", "kind": "allow_once"}]
    wide = {f"{a}-{b}": {f"{c}": ["x" * 90] * 50 for c in range(50)} for a in range(9) for b in range(9)}
    body = {"seq": 1, "id": "q", "title": "May I?", "options": options, "detail": {"input": wide}}
    shown = preview(body)
    assert len(orjson.dumps(shown)) <= STREAM_LIMIT
    assert (shown["id"], shown["options"], shown["cut"]) == ("q", options, True)
    assert isinstance(shown["detail"], dict)
