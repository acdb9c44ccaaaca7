"""A session is in one phase, and rows of older versions get theirs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from voxpilot.storage.database import migrate as module
from voxpilot.storage.database.migrate import migrate, steps
from voxpilot.storage.database.rows import Session
from voxpilot.storage.database.states import SessionPhase
from voxpilot.storage.database.tables import rows_of, select
from voxpilot.storage.directory.rescue.rebuild import rescue

CLOSED = Session(
    id="s", chat_id="c", agent="a", name="main", phase=SessionPhase.CLOSED, acp_session_id="x",
    process_id="", created_at=1.0,
)  # fmt: skip
HELD = {"process_id": "k"}
PHASES: dict[SessionPhase, dict[str, Any]] = {
    SessionPhase.UNOPENED: {"acp_session_id": ""},
    SessionPhase.CLOSED: {"unseen": True},
    SessionPhase.RESTORING: {**HELD, "unseen": True, "replay": {"updates": 1}},
    SessionPhase.IDLE: {**HELD, "answered_at": 2.0},
    SessionPhase.PROMPTING: {**HELD, "turn": "t"},
}
"""What each phase may have."""

OLD = {
    "acp_session_id": "x", "process_id": "live", "prompting": 0, "loading": None, "replay": None,
    "turn": None, "answered_at": 2.0,
}  # fmt: skip
OLDER_ROWS: tuple[tuple[dict[str, Any], Session], ...] = (
    ({}, replace(CLOSED, phase=SessionPhase.IDLE, process_id="live", answered_at=2.0)),
    (
        {"prompting": 1, "turn": "t", "answered_at": None},
        replace(CLOSED, phase=SessionPhase.PROMPTING, process_id="live", turn="t"),
    ),
    (
        {"loading": "shown", "replay": '{"updates":1}'},
        replace(
            CLOSED, phase=SessionPhase.RESTORING, process_id="live", answered_at=2.0, unseen=True,
            replay={"updates": 1},
        ),
    ),
    (
        {"loading": "quiet"},
        replace(CLOSED, phase=SessionPhase.RESTORING, process_id="live", answered_at=2.0),
    ),
    (
        {"process_id": "gone", "loading": "quiet", "replay": '{"updates":1}'},
        replace(CLOSED, answered_at=2.0),
    ),
    ({"process_id": "", "loading": "shown", "answered_at": None}, replace(CLOSED, unseen=True)),
    (
        {"acp_session_id": "", "process_id": "", "answered_at": None},
        replace(CLOSED, phase=SessionPhase.UNOPENED, acp_session_id=""),
    ),
)  # fmt: skip
"""Columns of version 20, and the same session now."""


@pytest.mark.parametrize("phase", PHASES)
def test_each_phase_has_data_of_its_own(phase: SessionPhase) -> None:
    assert replace(CLOSED, phase=phase, **PHASES[phase]).phase is phase


@pytest.mark.parametrize(
    ("phase", "wrong"),
    [
        (SessionPhase.UNOPENED, {"acp_session_id": "x"}),
        (SessionPhase.UNOPENED, {"process_id": "k"}),
        (SessionPhase.UNOPENED, {"unseen": True}),
        (SessionPhase.CLOSED, {"acp_session_id": ""}),
        (SessionPhase.CLOSED, {"process_id": "k"}),
        (SessionPhase.CLOSED, {"replay": {}}),
        (SessionPhase.RESTORING, {"process_id": ""}),
        (SessionPhase.IDLE, {"process_id": ""}),
        (SessionPhase.IDLE, {"unseen": True}),
        (SessionPhase.IDLE, {"replay": {}}),
        (SessionPhase.PROMPTING, {"process_id": ""}),
        (SessionPhase.PROMPTING, {"turn": None}),
        (SessionPhase.PROMPTING, {"answered_at": 2.0}),
        (SessionPhase.PROMPTING, {"unseen": True}),
    ],
)
def test_what_contradicts_its_phase_is_refused(phase: SessionPhase, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"session s is {phase} with {next(iter(wrong))}="):
        replace(CLOSED, phase=phase, **{**PHASES[phase], **wrong})


@pytest.mark.parametrize(("columns", "now"), OLDER_ROWS)
def test_sessions_of_an_older_version_get_their_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any], now: Session
) -> None:
    path = older(tmp_path, monkeypatch, columns)
    migrate(path)
    assert sessions(path) == [now]


@pytest.mark.parametrize(("columns", "now"), OLDER_ROWS)
def test_they_get_it_when_an_older_file_is_rescued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any], now: Session
) -> None:
    older(tmp_path, monkeypatch, columns)
    (tmp_path / "new").mkdir()
    rescue(tmp_path, tmp_path / "new", lambda folder, offset: "")
    assert sessions(tmp_path / "new" / "voxpilot.db") == [now]


def older(folder: Path, monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any]) -> Path:
    """A file of version 20 with such a session, and with one live and one ended process."""
    path, whole = folder / "voxpilot.db", steps()
    monkeypatch.setattr(module, "steps", lambda: whole[:20])
    migrate(path)
    monkeypatch.undo()
    values = {"id": "s", "chat_id": "c", "agent": "a", "name": "main", "created_at": 1.0} | OLD | columns
    values |= {"heard": 0, "messages": 0}
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO chats (id, title, workspace, mode, policy, created_at, updated_at, last_seq,"
            " crashes) VALUES ('c', 't', '/', 'agent', 'ask', 1.0, 1.0, 0, '[]')"
        )
        db.executemany(
            "INSERT INTO agent_processes (id, chat_id, agent, state, offset, lines_out, requests, unreadable,"
            " slow, force, started_at) VALUES (?, 'c', 'a', ?, 0, 0, 0, 0, 0, 0, 1.0)",
            [("live", "ready"), ("gone", "ended")],
        )
        db.execute(f"INSERT INTO acp_sessions ({names}) VALUES ({marks})", tuple(values.values()))
    return path


def sessions(path: Path) -> list[Session]:
    with closing(sqlite3.connect(path)) as db:
        return rows_of(Session, db.execute(select(Session)).fetchall())
