"""What is streamed of an event that is too large."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from voxpilot.chat.preview import STREAM_LIMIT, preview


def test_a_question_about_something_huge_can_still_be_answered() -> None:
    options = [{"id": "yes", "label": "Allow", "kind": "allow_once"}]
    wide = {f"{a}-{b}": {f"{c}": ["x" * 90] * 50 for c in range(50)} for a in range(9) for b in range(9)}
    body = {"seq": 1, "id": "q", "title": "May I?", "options": options, "detail": {"input": wide}}
    shown = preview(body)
    assert len(orjson.dumps(shown)) <= STREAM_LIMIT
    assert (shown["id"], shown["options"], shown["cut"]) == ("q", options, True)
    assert isinstance(shown["detail"], dict)


def test_all_that_a_huge_question_offers_can_be_chosen() -> None:
    """However much is cut, each option keeps its id, and so does the tool call."""
    options = [{"id": f"{n}".rjust(190, "o"), "label": "x" * 5_000, "kind": "allow_once"} for n in range(60)]
    wide = {f"{a}-{b}": {f"{c}": ["x" * 90] * 50 for c in range(50)} for a in range(9) for b in range(9)}
    detail = {"tool": "t" * 120, "input": wide}
    shown = preview({"seq": 1, "id": "q" * 120, "title": "May I?", "options": options, "detail": detail})
    assert len(orjson.dumps(shown)) <= STREAM_LIMIT
    assert [option["id"] for option in shown["options"]] == [option["id"] for option in options]
    assert shown["id"] == "q" * 120
    tool = preview({"seq": 1, "id": "c" * 120, "turn": "t" * 60, "input": wide})
    assert (tool["id"], tool["turn"]) == ("c" * 120, "t" * 60)


def _diff(old: str | None, new: str) -> dict[str, Any]:
    body = {"seq": 1, "id": "c", "content": [{"type": "diff", "path": "/a", "oldText": old, "newText": new}]}
    shown = preview(body)
    assert len(orjson.dumps(shown)) <= STREAM_LIMIT
    return dict(shown["content"][0])


def _lines(count: int) -> list[str]:
    return [f"line {number} of the file\n" for number in range(1, count + 1)]


def test_of_a_large_diff_the_change_is_shown_with_its_place() -> None:
    lines = _lines(2500)
    changed = [*lines[:1199], "another\n", *lines[1200:]]
    shown = _diff("".join(lines), "".join(changed))
    assert shown["oldText"] == "".join(lines[1196:1203])
    assert shown["newText"] == "".join(changed[1196:1203])
    assert shown["from_line"] == 1197
    assert "cut" not in shown


def test_of_a_large_change_the_beginning_is_shown_and_said_to_be_cut() -> None:
    lines = _lines(2500)
    added = [f"added {number}\n" for number in range(5000)]
    shown = _diff("".join(lines), "".join(lines[:1000] + added + lines[1000:]))
    assert (shown["oldText"], shown["from_line"], shown["cut"]) == ("".join(lines[997:1000]), 998, True)
    assert shown["newText"].startswith(shown["oldText"] + "added 0\nadded 1\n")
    far = ["changed\n", *lines[1:-1], "changed too\n"]
    shown = _diff("".join(lines), "".join(far))
    assert (shown["oldText"][:6], shown["newText"][:9], shown["cut"]) == ("line 1", "changed\nl", True)
    assert _diff(None, "".join(added * 2))["cut"] is True


@pytest.mark.parametrize("place", [0, 1, 50_000, 99_999, 100_000])
def test_a_change_within_one_enormous_line_is_shown(place: int) -> None:
    text = "0123456789" * 10_000
    shown = _diff(text, text[:place] + "NEW" + text[place:])
    assert "NEW" in shown["newText"]
    assert shown["newText"].replace("NEW", "") == shown["oldText"]
    assert shown["from_line"] == 1
    assert shown["oldText"].startswith("…") == (place > 1000)
    assert shown["oldText"].endswith("…") == (place < 99_000)


def test_of_a_message_with_large_files_the_words_are_whole_and_the_files_can_be_found() -> None:
    """R108: the typed text is complete, unless it alone is too large."""
    picture = {"type": "image", "mimeType": "image/png", "data": "A" * 100_000, "uri": "file:///a.png"}
    small = {**picture, "data": "AAAA"}
    body = {"seq": 7, "id": "m", "role": "user", "text": "w" * 20_000, "attachments": (picture, small)}
    shown = preview(body)
    assert len(orjson.dumps(shown)) <= STREAM_LIMIT
    assert shown["text"] == body["text"]
    assert shown["attachments"] == [{**picture, "data": "", "cut": True}, small]
    assert shown["cut_at"] == {"attachments": 7}
    many = preview({**body, "text": "w" * 50_000, "attachments": (picture, *[{"text": "t" * 9_000}] * 40)})
    assert (many["text"], many["cut_at"]) == ("w" * 50_000, {"attachments": 7})
    long = preview({**body, "text": "w" * 70_000, "attachments": (small,)})
    assert len(long["text"]) < 5_000
    assert long["cut_at"] == {"text": 7}
