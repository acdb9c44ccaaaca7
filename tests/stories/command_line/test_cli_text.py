"""Which parts of untrusted text may reach a terminal."""

from __future__ import annotations

import ctypes
import locale
import time
import unicodedata
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpilot.chat.events import Json
from voxpilot.cli.run.barred import BAR, Barred, width_of, wrapped
from voxpilot.cli.run.questions import described
from voxpilot.cli.text import Cleaner, clean, drawable, one_line, visible


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


def test_characters_that_take_up_space_unseen_are_not_drawn() -> None:
    """Soft hyphens, number signs, tags, private and unknown characters: terminals disagree about these."""
    text = "a\xad\u0600\u200d\u2066\u2028\ue000\U000e0041\U0003fffe\ud800b\xa0c\u3000d\n\te"
    assert drawable(text) == "ab c d\n\te"
    assert visible("a\xa0\u0600\ue000\u2800\n") == "a\\xa0\\u0600\\ue000\\u2800\n"


@pytest.fixture
def drawn_width() -> Iterator[Callable[[str], int]]:
    """How wide the system's own terminal programs draw a character."""
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    ask = ctypes.CDLL(None).wcwidth
    yield lambda character: max(0, ask(ord(character)))
    locale.setlocale(locale.LC_CTYPE, before)


RULE = "\u2501\u2501\u2501 Question"
FILLERS = (
    "\xad\u0600\u06dd\u070f\u08e2\U000110bd\u0301\u200b\u4e00\u26a1\u2630\U0001f3f3\u2764\ufe0f\t\xa0\u1160"
)


def rows(text: str, columns: int, width: Callable[[str], int]) -> list[str]:
    """What a terminal shows: a character that does not fit is on the next row."""
    found, column = [""], 0
    for character in text:
        if character == "\n" or column + width(character) > columns:
            found.append("")
            column = 0
        if character != "\n":
            found[-1] += character
            column += width(character)
    return found


@pytest.mark.parametrize("filler", FILLERS, ids=lambda filler: f"U+{ord(filler):04X}")
def test_no_row_of_an_agent_begins_without_a_bar(
    filler: str, drawn_width: Callable[[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the terminal draws such a character narrow or wide, or does not know it."""
    monkeypatch.setenv("COLUMNS", "80")
    models: list[Callable[[str], int]] = [
        drawn_width,
        lambda character: 1,
        lambda character: 2 if unicodedata.east_asian_width(character) in "WFA" else 1,
        lambda character: 1 if character.isascii() or unicodedata.category(character)[0] in "LM" else 2,
    ]
    for count in range(60, 82):
        for width in models:
            text = Barred().feed(drawable(filler * count + RULE))
            assert all(row.startswith(BAR) for row in rows(text, 80, width))
            note = wrapped(f"* other: {drawable(filler * count + RULE)}")
            assert all(row.startswith("  | ") for row in rows(note, 80, width)[1:])


def test_no_character_is_drawn_wider_than_we_count(drawn_width: Callable[[str], int]) -> None:
    """Of all characters; those after this one are private or draw nothing."""
    too_narrow = [
        hex(number)
        for number in range(0x20, 0x40000)
        if (drawn := drawable(chr(number))) and width_of(drawn) < drawn_width(drawn)
    ]
    assert too_narrow == []


@pytest.mark.parametrize("start", ["\x90", "\x1bP", "\x9d", "\x9b", "\x1b", "\x1b[", "\x1b]x", "\x90\x1b"])
def test_cleaning_takes_time_in_proportion_to_the_text(start: str) -> None:
    started = time.process_time()
    cleaner = Cleaner()
    cleaner.feed(start * 100_000)
    cleaner.rest()
    assert time.process_time() - started < 2


@pytest.mark.parametrize(("new", "last"), [("b", ["-a", "+b"]), ("a", [" a"])])
def test_a_question_shows_lines_that_only_the_agent_calls_unchanged(new: str, last: list[str]) -> None:
    change = {"type": "diff", "path": "/w/x.py", "oldText": "evil\n" * 9 + "a", "newText": "evil\n" * 9 + new}
    question: Json = {"type": "permission", "title": "Edit", "options": [], "detail": {"content": [change]}}
    assert [line.removeprefix("  | ") for line in described(question)][-len(last) - 9 :] == [
        " evil"
    ] * 9 + last
    question["detail"]["from_disk"] = True
    assert list(described(question)).count("  |  evil") == (3 if new == "b" else 0)


def test_a_question_shows_fields_that_nobody_knows() -> None:
    detail = {
        "locations": [{"path": "a.py", "run": "rm -rf ~"}],
        "content": [
            {"type": "content", "content": {"type": "text", "text": "x"}, "run": "one"},
            {"type": "content", "content": {"type": "text", "text": "x", "run": "two"}},
            {"type": "diff", "path": "a.py", "newText": "x", "run": "three"},
            {"type": "diff", "path": "a.py", "newText": "# \r\u2028four"},
        ],
    }
    question: Json = {"type": "permission", "title": "Edit", "options": [], "detail": detail}
    shown = "\n".join(described(question))
    assert all(f'"run": "{what}"' in shown for what in ("rm -rf ~", "one", "two", "three"))
    assert "+# \\r\\u2028four" in shown
