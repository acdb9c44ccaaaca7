"""What may reach a terminal of what others wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpilot.cli.text import Cleaner, clean, one_line, visible


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain\n\ttext ü 世界", "plain\n\ttext ü 世界"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;ZXZpbA==\x07", ""),
        ("\x9b31mred\x9d0;t\x9c", "red"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("\x1bc\x1b(0reset", "reset"),
        ("a\rb\x08c\x00\x7f", "abc"),
        ("\x1b]0;never ends", "0;never ends"),
        ("\x1b\x1b[31m", ""),
    ],
)
def test_sequences_are_taken_out(text: str, left: str) -> None:
    assert clean(text) == left


@given(st.text(alphabet="\x1b\x9b\x9c\x9d[]01;mK\\\x07\x08\n\tab ü", max_size=60), st.data())
def test_nothing_dangerous_is_left_however_text_is_split(text: str, data: st.DataObject) -> None:
    cleaner, printed, rest = Cleaner(), "", text
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        printed += cleaner.feed(rest[:size])
        rest = rest[size:]
    printed += cleaner.rest()
    assert all(c in "\n\t" or (c >= " " and not "\x7f" <= c <= "\x9f") for c in printed)


def test_a_split_sequence_is_taken_out_whole() -> None:
    text = "a\x1b[1;31mb\x1b]0;title\x1b\\c\x9b2Jd"
    cleaner = Cleaner()
    assert "".join(cleaner.feed(character) for character in text) + cleaner.rest() == "abcd"


def test_a_sequence_without_an_end_does_not_swallow_what_follows() -> None:
    cleaner = Cleaner()
    printed = cleaner.feed("\x1b]0;") + cleaner.feed("x" * 10_000) + cleaner.feed("end\n")
    assert printed.endswith("xend\n")


def test_nothing_hides_in_a_question() -> None:
    assert (
        visible("rm \u202etxt.exe\u200b \x1b[2J\U000e0041") == "rm \\u202etxt.exe\\u200b \\x1b[2J\\U000e0041"
    )
    assert one_line("first\n  1  Allow") == "first\\n  1  Allow"
    assert visible("Grüße 世界 ✓") == "Grüße 世界 ✓"
