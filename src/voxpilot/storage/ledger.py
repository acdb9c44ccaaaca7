"""The rows of one awake chat, and the step being made on them.

Lives here: reading a chat's open rows, changing them in memory, numbering
events, and handing over one batch that holds the whole step. If the batch
cannot be committed the ledger is thrown away and read again: memory is only
ever a copy of what is stored. Lives elsewhere: deciding what to change
(agents/, runtime/), committing (database.py).
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from voxpilot.chat.events import Event, Json, Spoken
from voxpilot.chat.preview import DELTA_LIMIT
from voxpilot.chat.transcript import Transcript
from voxpilot.errors import NotFound
from voxpilot.storage import folds, tables
from voxpilot.storage.database import Batch
from voxpilot.storage.event_log import APPEND, Recorded, encode, numbered
from voxpilot.storage.model_rows import Call, ModelStep
from voxpilot.storage.rows import (
    Chat,
    EarlyFrame,
    FileView,
    OutboxLine,
    Process,
    Question,
    Reply,
    Request,
    Row,
    Session,
    Sighting,
    Task,
    Terminal,
    TrustedFolder,
    Turn,
)

R = TypeVar("R", bound=Row)
_Key = tuple[Any, ...]

_OPEN: tuple[tuple[type[Row], str], ...] = (
    (Turn, "chat_id = ? AND state IN ('queued', 'running') ORDER BY number"),
    (Task, "chat_id = ? AND ended_at IS NULL ORDER BY created_at, rowid"),
    (ModelStep, "chat_id = ? AND over = 0 ORDER BY number"),
    (Call, "chat_id = ? AND over = 0 ORDER BY created_at, number"),
    (Session, "chat_id = ?"),
    (Process, "chat_id = ? AND state != 'ended'"),
    (Question, "chat_id = ? AND state = 'open'"),
    (Request, "response IS NULL AND process_id IN ({live})"),
    (OutboxLine, "process_id IN ({live}) ORDER BY n"),
    (EarlyFrame, "process_id IN ({live}) ORDER BY n"),
    (Terminal, "process_id IN ({live}) AND (released = 0 OR told = 0) ORDER BY created_at"),
    (TrustedFolder, "? IS NOT NULL"),  # those of all chats
)
_LIVE = "SELECT id FROM agent_processes WHERE chat_id = ? AND state != 'ended'"


@dataclass(frozen=True, slots=True)
class Step:
    """A finished step: what to commit, and what to tell once it is."""

    batch: Batch
    events: list[Recorded]


class Ledger:
    def __init__(self, chat: Chat, transcript: Transcript, last_turn: int = 0) -> None:
        self.transcript = transcript
        self.last_turn = last_turn
        """The number of the newest turn ever."""
        self._rows: dict[type[Row], dict[_Key, Row]] = {Chat: {chat.identity(): chat}}
        self._kept: dict[type[Row], dict[_Key, Row]] = {}
        self._dirty: dict[tuple[type[Row], _Key], Row | None] = {}
        self._events: list[tuple[Recorded, float, bytes | None]] = []
        self._run: list[str] = []
        self._run_of: tuple[type[Spoken], str, str | None, str | None] | None = None
        self._run_first: Spoken | None = None
        self._run_at = 0.0
        self._seq = chat.last_seq

    # What is there

    @property
    def chat(self) -> Chat:
        return cast(Chat, next(iter(self._rows[Chat].values())))

    def all(self, cls: type[R]) -> list[R]:
        """Every open row of a kind, in the order they came."""
        return cast("list[R]", list(self._rows.get(cls, {}).values()))

    def get(self, cls: type[R], *key: Any) -> R | None:
        return cast("R | None", self._rows.get(cls, {}).get(key))

    def outbox_after(self, process_id: str, n: int) -> list[OutboxLine]:
        return [line for line in self.all(OutboxLine) if line.process_id == process_id and line.n > n]

    # What changes

    def save(self, row: R) -> R:
        """Add or replace a row. One that is closed by this is no longer among the open ones."""
        rows = self._rows.setdefault(type(row), {})
        if _is_closed(row):
            rows.pop(row.identity(), None)
        else:
            rows[row.identity()] = row
        self._dirty[(type(row), row.identity())] = row
        return row

    def change(self, row: R, **changes: Any) -> R:
        """The row as it stands now, with these fields changed."""
        current = self.get(type(row), *row.identity()) or row
        return self.save(replace(current, **changes))

    def know(self, row: Row) -> None:
        """A row that others have stored meanwhile."""
        for rows in (self._rows, self._kept):
            rows.setdefault(type(row), {})[row.identity()] = row

    def unlearn(self, row: Row) -> None:
        """A row that others have removed meanwhile."""
        for rows in (self._rows, self._kept):
            rows.get(type(row), {}).pop(row.identity(), None)

    def delete(self, row: Row) -> None:
        self._rows[type(row)].pop(row.identity(), None)
        self._dirty[(type(row), row.identity())] = None

    def put_line(
        self, process_id: str, line: str, prompt: str | None = None, stops: Json | None = None
    ) -> None:
        """Put a line into a process's outbox; it is sent once the step is committed."""
        process = self.get(Process, process_id)
        assert process is not None
        process = self.change(process, lines_out=process.lines_out + 1)
        self.save(
            OutboxLine(process_id=process_id, n=process.lines_out, line=line, prompt=prompt, stops=stops)
        )

    def emit(self, event: Event, at: float) -> None:
        self._end_run()
        self._append(event, at)

    def speak(self, spoken: Spoken, at: float) -> None:
        """Text of a message. What is already waiting for the same message becomes one event."""
        run_of = (type(spoken), spoken.message_id, spoken.turn, spoken.tool_call_id)
        if run_of != self._run_of:
            self._end_run()
            self._run_of, self._run_at, self._run_first = run_of, at, spoken
        self._run.append(spoken.content)

    def more(self, contents: list[str]) -> None:
        """Further text of the message that is being spoken."""
        self._run += contents

    def settle(self) -> None:
        """Have the transcript hold all that was spoken so far."""
        self._end_run()

    def take(self, now: float) -> Step:
        """Close the step: everything changed since the last one, as one batch."""
        self._end_run()
        batch = Batch()
        if self._events:
            self.change(self.chat, last_seq=self._seq, updated_at=now)
        for (cls, key), row in self._dirty.items():
            self._write(batch, cls, key, row)
        chat_id = self.chat.id
        if self._events:
            batch.many.append(
                (APPEND, [(chat_id, e.seq, e.kind, e.body, at, whole) for e, at, whole in self._events])
            )
            if self.transcript.head["turn"] is None:
                folds.keep(batch, chat_id, self.transcript)
        return Step(batch, [event for event, _, _ in self._events])

    def committed(self) -> None:
        """The step is on disk: it is the new base, and rows that are closed need not be held."""
        for (cls, key), row in self._dirty.items():
            if row is None or _is_closed(row):
                self._kept.get(cls, {}).pop(key, None)
            else:
                self._kept.setdefault(cls, {})[key] = row
        self._dirty.clear()
        if self._events and self.transcript.head["turn"] is None:
            self.transcript.kept()
        self._events = []

    # How

    def _write(self, batch: Batch, cls: type[Row], key: _Key, row: Row | None) -> None:
        kept = self._kept.get(cls, {}).get(key)
        if row is None:
            if kept is not None:
                batch.statements.append(tables.delete(kept))
        elif kept is None:
            batch.statements.append(tables.insert(row))
        elif (statement := tables.update(kept, row)) is not None:
            batch.statements.append(statement)

    def _end_run(self) -> None:
        if self._run_of is None:
            return
        assert self._run_first is not None
        text = "".join(self._run)
        self._run_of, self._run = None, []
        for start in range(0, max(len(text), 1), DELTA_LIMIT):
            self._append(replace(self._run_first, content=text[start : start + DELTA_LIMIT]), self._run_at)

    def _append(self, event: Event, at: float) -> None:
        seq = self._seq + 1
        shown, streamed, whole = encode(numbered(event, seq, at))
        self.transcript.apply(event.kind, shown)
        self._seq = seq  # only now: an event that cannot be folded leaves no gap
        self._events.append((Recorded(seq, event.kind, streamed), at, whole))


def load(connection: sqlite3.Connection, chat_id: str) -> Ledger:
    """Read a chat's open rows and its fold."""
    connection.execute("BEGIN")
    try:
        found = connection.execute(tables.select(Chat, "id = ?"), (chat_id,)).fetchone()
        if found is None:
            raise NotFound("There is no such chat.", "It may have been deleted.")
        newest = connection.execute("SELECT max(number) FROM turns WHERE chat_id = ?", (chat_id,)).fetchone()[
            0
        ]
        ledger = Ledger(tables.row_of(Chat, found), folds.load(connection, chat_id), newest or 0)
        ledger._kept[Chat] = dict(ledger._rows[Chat])
        for cls, where in _OPEN:
            sql = tables.select(cls, where.format(live=_LIVE))
            rows = tables.rows_of(cls, connection.execute(sql, (chat_id,)))
            ledger._rows[cls] = {row.identity(): row for row in rows}
            ledger._kept[cls] = dict(ledger._rows[cls])
        return ledger
    finally:
        connection.execute("COMMIT")


def _is_closed(row: Row) -> bool:
    match row:
        case Turn(state=state):
            return state not in ("queued", "running")
        case ModelStep(over=over) | Call(over=over):
            return over
        case Task(ended_at=ended_at):
            return ended_at is not None
        case Process(state=state):
            return state == "ended"
        case Question(state=state):
            return state != "open"
        case Request(response=response):
            return response is not None
        case Terminal(released=released, told=told):
            return released and told
        case Reply() | FileView() | Sighting():
            return True
    return False
