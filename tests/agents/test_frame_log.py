"""The frame log: what is read from a journal, and what of it is never shown."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from voxpilot.agents.wire.frame_log import STDERR_BYTES, FrameLog, read_log
from voxpilot.agents.wire.redaction import DEEPEST, Redaction
from voxpilot.keeper.journal import WRITTEN
from voxpilot.keeper.program.segments import Journal
from voxpilot.settings.masking import MASK

TYPED = "please delete my diary"
KEY = "sk-abcdefghijklmnop1234"
PROMPT = {
    "jsonrpc": "2.0", "id": 3, "method": "session/prompt",
    "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": TYPED}]},
}  # fmt: skip
EVIL = "</script><script>alert(1)</script>"


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    monkeypatch.chdir(tmp_path)
    return Journal(1 << 20, 50 << 20, 0.0)


def sent(journal: Journal, value: Any, number: int = 1) -> None:
    journal.append(b">", f"{number} {json.dumps(value)}\n".encode())


def printed(journal: Journal, *values: Any) -> None:
    journal.append(b"<", b"".join(json.dumps(value).encode() + b"\n" for value in values))


def read(folder: Path, most: int = 100, **how: Any) -> FrameLog:
    return read_log(folder, Redaction.hiding(**{"values": (), **how}), most)


def test_frames_have_way_method_time_and_size(journal: Journal, tmp_path: Path) -> None:
    """R130: both ways, responses with the method of their request, and how it ended."""
    sent(journal, PROMPT)
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "no"}}
    printed(journal, {"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}})
    printed(journal, {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "broken"}})
    journal.append(b"<", b"not json\n")
    journal.append(WRITTEN, json.dumps({"stderr": f"warning: API_KEY={KEY}\n"}).encode())
    journal.append(b"x", json.dumps({"reason": "exited", "exit": 3, "stderr": "bye"}).encode())
    log = read(tmp_path)
    assert [(frame.way, frame.kind, frame.method, frame.id) for frame in log.frames] == [
        ("to-agent", "request", "session/prompt", "3"),
        ("from-agent", "notification", "session/update", ""),
        ("from-agent", "response", "session/prompt", "3"),
        ("from-agent", "unreadable", "", ""),
        ("keeper", "note", "process ended", ""),
    ]
    assert [frame.is_error for frame in log.frames] == [False, False, True, True, False]
    assert log.frames[0].bytes == len(json.dumps(PROMPT)) + 1
    assert "broken" in log.frames[2].text
    assert log.is_whole
    assert KEY not in log.stderr
    assert log.stderr.endswith("bye")


def test_texts_are_shown_only_if_wanted(journal: Journal, tmp_path: Path) -> None:
    """R130: otherwise only their lengths, so a log can be passed on."""
    sent(journal, PROMPT)
    (hidden,) = read(tmp_path).frames
    assert TYPED not in hidden.text
    assert f"‹{len(TYPED)} characters›" in hidden.text
    assert '"s-1"' in hidden.text
    (shown,) = read(tmp_path, with_texts=True).frames
    assert TYPED in shown.text


@pytest.mark.parametrize("with_texts", [False, True])
@pytest.mark.parametrize(
    "params",
    [
        {"mcpServers": [{"name": "x", "env": [{"name": "MY_TOKEN", "value": "hunter2"}]}]},
        {"mcpServers": [{"headers": [{"name": "Authorization", "value": "Bearer hunter2"}]}]},
        {"env": {"API_KEY": "hunter2"}},
        {"api_key": "hunter2"},
        {"password": ["hunter2"]},
        {"token": {"value": 12, "kind": "hunter2"}},
        {"text": "curl -H 'Authorization: hunter2'"},
        {"text": f"use {KEY} hunter2hunter2"},
        {"kind": "hunter2hunter2"},
        {KEY: 1},
    ],
)
def test_secrets_are_never_shown(journal: Journal, tmp_path: Path, params: Any, with_texts: bool) -> None:
    """R130: by their names, by their form, and those we know, even in fields that hold a word."""
    sent(journal, {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": params})
    (frame,) = read(tmp_path, with_texts=with_texts, values=["hunter2hunter2"]).frames
    assert "hunter2" not in frame.text
    assert KEY not in frame.text


def test_hostile_frames_are_data_within_limits(journal: Journal, tmp_path: Path) -> None:
    """R130: deep, wide, long and odd ones, and methods that are markup; the newest are kept."""
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    wide = {f"k{n}": [n] * 1_000 for n in range(200)}
    printed(journal, {"jsonrpc": "2.0", "method": EVIL, "params": deep}, wide, [1], 5, None)
    printed(journal, {"jsonrpc": "2.0", "id": {"a": EVIL}, "method": "m" * 100_000})
    journal.append(b"<", b'{"method": "\xff\xfe"}\n' + b"\0\n")
    journal.append(b"?", b"of a newer keeper")
    begun = time.monotonic()
    log = read(tmp_path)
    assert time.monotonic() - begun < 5
    assert log.frames[0].method == EVIL
    assert all(len(frame.text) < 10_000 and len(frame.method) < 300 for frame in log.frames)
    assert [frame.kind for frame in log.frames][2:5] == ["unreadable"] * 3
    assert json.dumps(Redaction().value(deep)).count("[") <= DEEPEST + 1
    newest = read(tmp_path, most=2)
    assert newest.frames == log.frames[-2:]
    assert not newest.is_whole


def test_only_the_end_of_a_long_journal_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R130: reading is bounded, whatever an agent has printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("voxpilot.agents.wire.frame_log.READ_BYTES", 100_000)
    journal = Journal(20_000, 50 << 20, 0.0)
    for number in range(400):
        printed(journal, {"jsonrpc": "2.0", "method": f"_m{number}", "params": {"text": "x" * 900}})
    log = read(tmp_path, most=500)
    assert log.frames[-1].method == "_m399"
    assert 80 <= len(log.frames) <= 140
    assert not log.is_whole


def test_a_journal_that_is_gone_is_empty(tmp_path: Path) -> None:
    """R130: the log of a process that has ended is deleted with its journal."""
    assert read(tmp_path / "gone").frames == ()
    assert MASK not in read(tmp_path / "gone").stderr


def test_secrets_are_masked_wherever_a_text_is_cut(journal: Journal, tmp_path: Path) -> None:
    """R130: a long secret at the end of what is shown, and one at the beginning."""
    long = "".join(f"{number:x}-" for number in range(300))
    shown = Redaction.hiding([long]).text("x " * 950 + long)
    assert long[:10] not in shown
    words = "\n" + "y\n" * (STDERR_BYTES // 2 - 100)
    journal.append(WRITTEN, json.dumps({"stderr": f"{long}{words}"}).encode() + b"\n")
    found = read(tmp_path, values=[long]).stderr
    assert found.endswith("y\n")
    assert long[-10:] not in found
