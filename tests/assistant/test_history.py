"""Which parts of a conversation are sent to the model."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from voxpilot.assistant.history import (
    INTERRUPTED,
    LEFT_OUT,
    SHORT_OUTPUT,
    prepared,
    room_for,
    size,
    tokens,
)
from voxpilot.assistant.shapes import Message, ModelSaid, PersonSaid, Tool, ToolCall, ToolReturned

BUDGET = 8_000


def call(id: str, name: str = "read_file") -> ToolCall:
    return ToolCall(id, name, {"path": "a"}, '{"path": "a"}')


def turn(number: int, output: str = "short") -> list[Message]:
    return [
        PersonSaid(f"question {number}"),
        ModelSaid("", (call(f"c{number}"),)),
        ToolReturned(f"c{number}", "read_file", output),
        ModelSaid(f"answer {number}"),
    ]


def assert_valid(messages: list[Message]) -> None:
    """What every provider requires: the person begins, and each call is answered right away and once."""
    assert not messages or isinstance(messages[0], PersonSaid)
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolReturned):
            assert waiting, "a result nobody asked for"
            assert message.call_id == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [one.id for one in message.calls] if isinstance(message, ModelSaid) else []
    assert waiting == []


def test_a_conversation_that_fits_is_sent_as_it_is() -> None:
    rows = [*turn(1), *turn(2), PersonSaid("and now?")]
    assert prepared(rows, BUDGET) == rows


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    rows: list[Message] = [
        PersonSaid("go"),
        ModelSaid("", (call("a"), call("b"))),
        ToolReturned("b", "read_file", "B"),
    ]
    _, _, first, second = prepared([*rows, PersonSaid("and?")], BUDGET)[:4]
    assert first == ToolReturned("a", "read_file", INTERRUPTED, is_error=True)
    assert second == rows[2]


def test_a_second_result_and_one_that_nobody_asked_for_are_left_out() -> None:
    rows: list[Message] = [
        PersonSaid("go"),
        ToolReturned("z", "read_file", "too early"),
        ModelSaid("", (call("a"),)),
        ToolReturned("a", "read_file", "first"),
        ToolReturned("a", "read_file", "second"),
        ToolReturned("x", "read_file", "stray"),
    ]
    assert prepared(rows, BUDGET) == [rows[0], rows[2], rows[3]]


def test_ids_that_come_again_keep_their_own_results() -> None:
    rows: list[Message] = [PersonSaid("go")]
    for number in range(3):
        rows += [ModelSaid("", (call("call_0"),)), ToolReturned("call_0", "read_file", f"result {number}")]
    assert prepared(rows, BUDGET) == rows


def test_a_step_that_said_nothing_is_left_out() -> None:
    assert prepared([PersonSaid("go"), ModelSaid(""), PersonSaid("well?")], BUDGET) == [
        PersonSaid("go"),
        PersonSaid("well?"),
    ]


def test_old_outputs_are_shortened_before_anything_is_left_out() -> None:
    rows = [*turn(1, "x" * 20_000), *turn(2, "y" * 8_000), PersonSaid("now?")]
    sent = prepared(rows, BUDGET)
    assert [message for message in sent if isinstance(message, PersonSaid)] == [rows[0], rows[4], rows[8]]
    first, second = (message.content for message in sent if isinstance(message, ToolReturned))
    assert len(first) <= SHORT_OUTPUT
    assert "20,000 characters" in first
    assert second == "y" * 8_000


def test_two_hundred_turns_with_large_outputs_stay_inside() -> None:
    rows = [row for number in range(200) for row in turn(number, f"{number} " * 12_000)]
    rows.append(PersonSaid("the newest question"))
    sent = prepared(rows, BUDGET)
    assert_valid(sent)
    assert size(sent) <= BUDGET
    assert sent[-1] == rows[-1]
    assert isinstance(sent[0], PersonSaid)
    assert sent[0].text.startswith(LEFT_OUT)
    assert len(sent) > 20, "more was left out than necessary"


def test_a_long_turn_of_many_steps_stays_inside_and_keeps_its_newest_result() -> None:
    rows: list[Message] = [PersonSaid("a long task")]
    for number in range(25):
        rows += [
            ModelSaid("", (call(f"c{number}"),)),
            ToolReturned(f"c{number}", "read_file", f"{number} " * 6_000),
        ]
    sent = prepared(rows, BUDGET)
    assert_valid(sent)
    assert size(sent) <= BUDGET
    assert sent[0] == rows[0]
    newest = sent[-1]
    assert isinstance(newest, ToolReturned)
    assert newest.call_id == "c24"
    assert newest.content.startswith("24 24")


def test_most_requests_begin_as_the_one_before() -> None:
    rows = [row for number in range(120) for row in turn(number, "line of output\n" * 40)]
    ends = [number for number, row in enumerate(rows, 1) if isinstance(row, PersonSaid)]
    sent = [prepared(rows[:end], BUDGET) for end in ends]
    same = [later[: len(earlier)] == earlier for earlier, later in pairwise(sent)]
    assert sum(same) / len(same) > 0.8


def test_what_a_request_needs_besides_is_counted() -> None:
    tool = Tool("t", "d" * 3_500, {})
    assert room_for(100_000, 4_000, "i" * 7_000, [tool]) < 100_000 - 4_000 - 3_000
    assert room_for(100, 0, "", []) >= 500


TEXTS = st.one_of(st.text(max_size=40), st.sampled_from(["漢字" * 900, "🙂" * 700, "word " * 2_000, "x"]))
IDS = st.sampled_from(["a", "b", "c"])
ROWS = st.lists(
    st.one_of(
        st.builds(PersonSaid, TEXTS),
        st.builds(
            ModelSaid,
            TEXTS,
            st.lists(st.builds(call, IDS), max_size=2, unique_by=lambda one: one.id).map(tuple),
        ),
        st.builds(ToolReturned, IDS, st.just("read_file"), TEXTS, st.booleans()),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(ROWS, st.integers(200, 6_000))
def test_whatever_is_stored_what_is_sent_is_valid_and_fits(rows: list[Message], budget: int) -> None:
    sent = prepared(rows, budget)
    assert_valid(sent)
    people = [row for row in rows if isinstance(row, PersonSaid)]
    if not people:
        assert sent == []
        return
    newest = [message for message in sent if isinstance(message, PersonSaid)][-1]
    assert newest.text.endswith(people[-1].text)
    last_step = next((one for one in reversed(sent) if isinstance(one, ModelSaid)), ModelSaid(""))
    never_cut = size([newest, last_step]) + tokens(LEFT_OUT) + 80
    assert size(sent) <= max(budget, never_cut)
