"""What requests are about survives a restart and an upgrade."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from voxpilot.chat.events import Json
from voxpilot.storage.database import tables
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.request_rows import SUBJECTS, Purpose, Request
from voxpilot.storage.database.states import Direction
from voxpilot.storage.database.subjects import (
    NOTHING,
    Choice,
    CommandRequest,
    Nothing,
    OpenSession,
    Prompt,
    ReadFile,
    RunCommand,
    SigningIn,
    Stage,
    Subject,
    WriteFile,
)

WHOSE: Json = {"session": "s", "turn": "t", "tool_call_id": None}
EACH = [
    (Purpose.START, NOTHING),
    (Purpose.SIGN_IN, SigningIn(turn="t")),
    (Purpose.OPEN, OpenSession(session_name="main")),
    (Purpose.LOOK_UP, OpenSession(session_name="main", page=3)),
    (Purpose.PROMPT, Prompt(session="s", turn="t", task="k")),
    (Purpose.CHOOSE, Choice(session="s", option="mode", before="ask", value="auto")),
    (Purpose.CHOOSE, Choice(session="s", option="m", before="a", value="b", is_model=True, chosen="a")),
    (Purpose.READ_FILE, ReadFile(path="/w/a", line=2, limit=3, stage=Stage.READ, **WHOSE)),
    (Purpose.WRITE_FILE, WriteFile(path="/w/a", content="x", before="v", tool="fs-1", ours=True, **WHOSE)),
    (Purpose.RUN_COMMAND, RunCommand(command="ls", args=("-l",), env={"A": "b"}, stage=Stage.PLACE, **WHOSE)),
    (Purpose.WAIT_FOR_COMMAND, CommandRequest(terminal="k-1", **WHOSE)),
]


def stored_and_read(folder: Path, purpose: Purpose, subject: Subject | bytes) -> Request:
    path = folder / "voxpilot.db"
    migrate(path)
    request = Request(
        id="k:1", process_id="k", direction=Direction.OUT, rpc_id="1", method="m", purpose=purpose,
        created_at=1.0, subject=NOTHING if isinstance(subject, bytes) else subject,
    )  # fmt: skip
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(*tables.insert(request))
        if isinstance(subject, bytes):
            connection.execute("UPDATE requests SET subject = ?", (subject.decode(),))
        found = connection.execute(tables.select(Request)).fetchall()
    return tables.rows_of(Request, found)[0]


@pytest.mark.parametrize(("purpose", "subject"), EACH)
def test_a_subject_is_read_as_it_was_stored(tmp_path: Path, purpose: Purpose, subject: Subject) -> None:
    found = stored_and_read(tmp_path, purpose, subject)
    assert found.subject == subject
    assert type(found.purpose) is Purpose


def test_every_kind_of_subject_is_tried() -> None:
    assert {type(subject) for _, subject in EACH} == {Nothing, *SUBJECTS.values()}


@pytest.mark.parametrize(
    ("purpose", "stored", "meant"),
    [
        (Purpose.PROMPT, {"turn": "t", "session": "s"}, Prompt(turn="t", session="s")),
        (Purpose.CHOOSE, {"session": "s", "option": "o"}, Choice(session="s", option="o")),
        (
            Purpose.CHOOSE,
            {"session": "s", "option": "o", "before": "x", "value": "y", "chosen": None},
            Choice(session="s", option="o", before="x", value="y", is_model=True),
        ),
        (
            Purpose.READ_FILE,
            {"do": "read", "path": "/w/a", "line": None, "limit": None, "stage": "read", **WHOSE},
            ReadFile(path="/w/a", stage=Stage.READ, **WHOSE),
        ),
        (
            Purpose.RUN_COMMAND,
            {"do": "run", "command": "ls", "args": ["-l"], "cwd": "/w", "env": {}, "limit": None, **WHOSE},
            RunCommand(command="ls", args=("-l",), cwd="/w", env={}, **WHOSE),
        ),
        (Purpose.OPEN, {}, NOTHING),
        (Purpose.READ_FILE, {}, NOTHING),
    ],
)  # fmt: skip
def test_subjects_of_older_versions_are_read(
    tmp_path: Path, purpose: Purpose, stored: Json, meant: Subject
) -> None:
    assert stored_and_read(tmp_path, purpose, orjson.dumps(stored)).subject == meant


def test_an_older_prompt_names_its_task_by_its_turn() -> None:
    assert Prompt(turn="t").task_id == "t"
    assert Prompt(turn="t", task="k").task_id == "k"
