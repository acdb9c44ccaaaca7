"""What a chat is called after its first message."""

from __future__ import annotations

import pytest

from voxpilot.chat.titles import LENGTH, title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Mend  the\nparser", "Mend the parser"),
        ("word " * 10, "word " * 9 + "word"),
        ("word " * 20, "word " * 8 + "word…"),
        ("Mend " + "x" * 60, "Mend " + "x" * 44 + "…"),
        ("y" * 50, "y" * 50),
        ("", ""),
    ],
)
def test_a_title_is_cut_between_words_and_says_so(text: str, title: str) -> None:
    assert title_of(text) == title
    assert len(title) <= LENGTH
