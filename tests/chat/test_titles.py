"""The title of a chat after its first message."""

from __future__ import annotations

from typing import Any

import pytest

from voxpilot.chat.titles import LENGTH, title_for, title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Fix  the\nparser", "Fix the parser"),
        ("word " * 10, "word " * 9 + "word"),
        ("word " * 20, "word " * 8 + "word…"),
        ("Fixed " + "x" * 60, "Fixed " + "x" * 43 + "…"),
        ("y" * 50, "y" * 50),
        ("", ""),
    ],
)
def test_a_title_is_cut_between_words_and_says_so(text: str, title: str) -> None:
    assert title_of(text) == title
    assert len(title) <= LENGTH


@pytest.mark.parametrize(
    ("attachment", "title"),
    [
        ({"type": "resource", "resource": {"uri": "file:///my%20notes.md", "text": "a"}}, "my notes.md"),
        ({"type": "image", "uri": "file:///home/ada/photo.png", "data": ""}, "photo.png"),
        ({"type": "resource_link", "uri": "https://a.b/c", "name": "The plan"}, "The plan"),
        ({"type": "image", "data": ""}, "Image"),
        ({"type": "text", "text": "one  more thing"}, "one more thing"),
        ({"type": 7, "uri": None, "name": ""}, "New chat"),
    ],
)
def test_without_words_it_is_called_after_the_first_file(attachment: dict[str, Any], title: str) -> None:
    assert title_for(" ", [attachment]) == title
    assert title_for("Look", [attachment]) == "Look"
