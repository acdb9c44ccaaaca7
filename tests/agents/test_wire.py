"""Any line can be parsed, and any parsed value can be stored."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpilot.agents.wire import frames


@pytest.mark.parametrize(
    "line",
    [b"", b"42", b"[]", b"null", b'"x"', b"{", b"\xff\xfe{}", b'{"id": {}, "method": "x"}',
     b'{"id": [], "result": 1}',
     b'{"id": true, "method": "x"}',
     b'{"method": 5}', b"{}", b'{"id": 1}'],
)  # fmt: skip
def test_what_is_no_message_is_unreadable_and_nothing_worse(line: bytes) -> None:
    assert isinstance(frames.frame_of(frames.decode(line)), frames.Unreadable)


def test_zero_and_its_text_are_different_ids() -> None:
    one = frames.frame_of({"id": 0, "method": "m"})
    other = frames.frame_of({"id": "0", "method": "m"})
    assert isinstance(one, frames.Call)
    assert isinstance(other, frames.Call)
    assert one.rpc_id != other.rpc_id


def test_a_cut_emoji_becomes_a_mark_and_the_message_survives() -> None:
    message = frames.decode(b'{"method": "x", "params": {"text": "a\\ud83d"}}')
    assert message["params"]["text"] == "a\ufffd"


def nested(depth: int, begins: bytes = b"{") -> bytes:
    return begins + b'"method": "x", "params": {"v": ' + b"[" * depth + b"]" * depth + b"}}"


@pytest.mark.parametrize("depth", [1, 100, 250])
def test_a_nested_message_is_read_and_can_be_stored(depth: int) -> None:
    message = frames.decode(nested(depth))
    assert orjson.dumps(message) == nested(depth).replace(b": ", b":").replace(b", ", b",")


@pytest.mark.parametrize("depth", [260, 900, 5_000, 200_000])
def test_a_message_nested_too_deep_is_not_read_but_can_be_answered(depth: int) -> None:
    assert frames.decode(nested(depth)) is None
    assert frames.frame_in(nested(depth)) == frames.Unreadable("nested too deeply")
    asked = frames.frame_in(nested(depth, b'{"id": 7, '))
    assert asked == frames.Call("7", "x", {}, "nested too deeply")


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        ("1e999", None),
        ("NaN", None),
        ("-Infinity", None),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709551616.0),
        ("-" + "9" * 60, -1e60),
        ("1" * 400, None),
    ],
)
def test_numbers_that_cannot_be_stored_are_repaired(number: str, kept: object) -> None:
    message = frames.decode(f'{{"method": "x", "params": {{"v": {number}}}}}'.encode())
    assert message == {"method": "x", "params": {"v": kept}}
    assert orjson.loads(orjson.dumps(message)) == message


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(line: bytes) -> None:
    frames.frame_of(frames.decode(line))


@pytest.mark.slow
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: (
    st.lists(inner) | st.dictionaries(st.text(), inner))))  # fmt: skip
def test_any_json_that_is_read_can_be_written_again(value: object) -> None:
    message = frames.decode(json.dumps({"method": "x", "params": {"v": value}}).encode())
    assert message is not None
    orjson.dumps(message)


def test_our_lines_carry_the_version_and_no_newline() -> None:
    """R5: one JSON object per line, each with `"jsonrpc": "2.0"`."""
    for line in (
        frames.request("1", "m", {"t": "a\nb"}),
        frames.notification("m", {}),
        frames.result('"x"', {}),
        frames.failure("0", -32601, "no"),
    ):
        assert "\n" not in line
        assert json.loads(line)["jsonrpc"] == "2.0"


def _said(text: str, **more: object) -> bytes:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content, **more}
    params = {"sessionId": "s", "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")


@given(st.text(), st.text())
def test_a_line_that_is_alike_gives_the_text_that_reading_it_whole_gives(first: str, second: str) -> None:
    line = _said(second, messageId="m")
    read = frames.decode(line)
    alike = frames.alike(_said(first, messageId="m"))
    assert alike is not None
    texts = alike.texts_in([b"before", line, line, b"after"], 1)
    if texts:
        assert texts == [read["params"]["update"]["content"]["text"]] * 2
    else:
        assert not second.isascii(), "plain text should have been recognised"


@pytest.mark.parametrize(
    "other",
    [
        _said("x", messageId="other"),
        _said("x"),
        _said("x").replace(b"agent_message_chunk", b"agent_thought_chunk"),
        _said("x").replace(b'"sessionId": "s"', b'"sessionId": "t"'),
        _said('x", "messageId": "m'),
        _said("x", messageId="m")[:-1],
        _said("x\\", messageId="m").replace(b"\\\\", b"\\"),
        b"",
        b"42",
    ],
)
def test_a_line_that_differs_in_more_than_its_text_is_read_whole(other: bytes) -> None:
    alike = frames.alike(_said("hello", messageId="m"))
    assert alike is not None
    assert alike.texts_in([other], 0) == []


def test_where_the_text_stands_must_be_clear() -> None:
    assert frames.alike(_said("a", _meta={"text": "b"})) is None
