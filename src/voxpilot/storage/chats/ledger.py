"""The rows of one awake chat, and the step in progress.

Lives here: reading a chat's open rows, changing them in memory, numbering
events, and handing over one batch that holds the whole step. If the batch cannot be committed, the ledger is
discarded and read again: memory is always just a copy of the stored rows. Lives elsewhere: deciding what to
change (agents/, runtime/), committing (database/sqlite.py).
"""

from __future__ import annotations

import sqlite3
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from voxpilot.chat.events import AgentStatusChanged, Event, Json, Spoken
from voxpilot.chat.preview import DELTA_LIMIT
from voxpilot.chat.transcript import Transcript
from voxpilot.errors import NotFound
from voxpilot.storage.chats import folds
from voxpilot.storage.chats.event_log import APPEND, Recorded, encode, numbered
from voxpilot.storage.database import tables
from voxpilot.storage.database.model_rows import Call, ModelStep
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import (
    Chat,
    EarlyFrame,
    FileView,
    OutboxLine,
    Process,
    Question,
    Reply,
    Row,
    Session,
    Sighting,
    Task,
    Terminal,
    Turn,
)
from voxpilot.storage.database.sqlite import Batch
from voxpilot.storage.database.states import OPEN_TURN, ProcessState, QuestionState
from voxpilot.values import dataclass

if TYPE_CHECKING:
    from voxpilot.chat.shapes import Placed

SET_SECONDS = 0.5
"""If the wall clock moves by this much between two steps, it was set."""
MOST_SHIFTS = 100
R = TypeVar("R", bound=Row)
KEEP_BYTES = 1_000_000
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
)
_LIVE = "SELECT id FROM agent_processes WHERE chat_id = ? AND state != 'ended'"


@dataclass(frozen=True, slots=True)
class Step:
    """A finished step: what to commit, and what to publish after the commit."""

    batch: Batch
    events: list[Recorded]


class Ledger:
    def __init__(self, chat: Chat, transcript: Transcript, last_turn: int = 0) -> None:
        self.transcript = transcript
        self.last_turn = last_turn
        """The number of the newest turn ever."""
        self._shifts = chat.shifts
        self.shift: float = self._shifts[-1][1] if self._shifts else 0.0
        """The offset to add to a time to show it; events have the shown time, rows the steady one."""
        self._rows: dict[type[Row], dict[_Key, Row]] = {Chat: {chat.identity(): chat}}
        self._kept: dict[type[Row], dict[_Key, Row]] = {}
        self._dirty: dict[tuple[type[Row], _Key], Row | None] = {}
        self._events: list[tuple[Recorded, float, bytes | None]] = []
        self._run: list[str] = []
        self._run_of: tuple[type[Spoken], str, str | None, str | None] | None = None
        self._run_first: Spoken | None = None
        self._run_at = 0.0
        self._seq = chat.last_seq
        self._unkept = 0
        """Bytes of events since the fold was last kept."""

    # Reading

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

    def steady_at(self, block: Placed) -> float:
        """When a block was created, by the steady clock of the rows; the wall clock may have been set
        since."""
        added = [shift for since, shift in self._shifts if since <= block["pos"]]
        return block["at"] - (added[-1] if added else 0.0)

    def show_by(self, shift: float) -> None:
        """From now on times are shown with this offset. A clock that is adjusted gradually changes
        nothing."""
        if not self._shifts or abs(shift - self.shift) >= SET_SECONDS:
            needed = self._shifts[-MOST_SHIFTS:] if self.transcript.head["turn"] is not None else ()
            self._shifts = (*needed, (self._seq + 1 if needed else 0, shift))
            self.shift = shift

    def not_after(self, now: float) -> None:
        """Replace times in the future by the present, so that nothing waits longer than it should."""
        for rows in self._rows.values():
            for key, row in rows.items():
                if ahead := _ahead(row, now):
                    rows[key] = replace(row, **ahead)

    # Changing

    def save(self, row: R) -> R:
        """Add or replace a row. A row that this closes leaves the open ones."""
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

    def unlearn(self, row: Row) -> None:
        """Forget a stored row that is held for all chats elsewhere."""
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
        self._append(self._with_sandbox(event) if isinstance(event, AgentStatusChanged) else event, at)

    def _with_sandbox(self, event: AgentStatusChanged) -> AgentStatusChanged:
        """Every agent status also names the sandbox of its process."""
        for process in self.all(Process):
            if (
                process.agent == event.agent
                and process.state is not ProcessState.ENDED
                and process.sandbox != "off"
            ):
                return replace(event, sandbox=process.sandbox)
        return event

    def speak(self, spoken: Spoken, at: float) -> None:
        """Text of a message. It is joined with waiting text of the same message into one event."""
        run_of = (type(spoken), spoken.message_id, spoken.turn, spoken.tool_call_id)
        if run_of != self._run_of:
            self._end_run()
            self._run_of, self._run_at, self._run_first = run_of, at, spoken
        self._run.append(spoken.content)

    def more(self, contents: list[str]) -> None:
        """More text of the current message."""
        self._run += contents

    def settle(self) -> None:
        """Add all waiting text to the transcript."""
        self._end_run()

    def take(self, now: float) -> Step:
        """Close the step: everything changed since the last one, as one batch."""
        self._end_run()
        batch = Batch()
        if self._events:
            self.change(self.chat, last_seq=self._seq, updated_at=now + self.shift, shifts=self._shifts)
        for (cls, key), row in self._dirty.items():
            self._write(batch, cls, key, row)
        chat_id = self.chat.id
        if self._events:
            batch.many.append(
                (APPEND, [(chat_id, e.seq, e.kind, e.body, at, whole) for e, at, whole in self._events])
            )
            self._unkept += sum(len(e.body) for e, _, _ in self._events)
            if self._keeps_fold():
                folds.keep(batch, chat_id, self.transcript)
        return Step(batch, [event for event, _, _ in self._events])

    def committed(self) -> None:
        """The step is on disk: it is the new base, and closed rows are dropped."""
        for (cls, key), row in self._dirty.items():
            if row is None or _is_closed(row):
                self._kept.get(cls, {}).pop(key, None)
            else:
                self._kept.setdefault(cls, {})[key] = row
        self._dirty.clear()
        if self._events and self._keeps_fold():
            self.transcript.kept(prune=self.transcript.head["turn"] is None)
            self._unkept = 0
        self._events = []

    # Internals

    def _keeps_fold(self) -> bool:
        """Store the fold when no turn is open; in a long turn, whenever as much new data has arrived as a
        save writes.

        A restart then has little to read, and a growing block is not written over and over.
        """
        if self.transcript.head["turn"] is None:
            return True
        return self._unkept >= KEEP_BYTES and self._unkept >= self.transcript.changed_size()

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
        at += self.shift
        shown, streamed, whole = encode(numbered(event, seq, at))
        self.transcript.apply_new(event.kind, shown)
        self.transcript.size += folds.IN_MEMORY * len(streamed)
        self._seq = seq  # only now: an event that cannot be folded leaves no gap
        self._events.append((Recorded(seq, event.kind, streamed), at, whole))


def load(connection: sqlite3.Connection, chat_id: str, since: int | None = None) -> Ledger:
    """Read a chat's open rows and its fold. Call it within `Database.read`, so that they are consistent.

    The fold contains at least the blocks from the position `since` on.
    """
    found = connection.execute(tables.select(Chat, "id = ? AND deleted = 0"), (chat_id,)).fetchone()
    if found is None:
        raise NotFound("Chat not found.", "It may have been deleted.")
    newest = connection.execute("SELECT max(number) FROM turns WHERE chat_id = ?", (chat_id,)).fetchone()[0]
    ledger = Ledger(tables.row_of(Chat, found), folds.load(connection, chat_id, since), newest or 0)
    ledger._unkept = ledger.transcript.replayed
    ledger._kept[Chat] = dict(ledger._rows[Chat])
    for cls, where in _OPEN:
        sql = tables.select(cls, where.format(live=_LIVE))
        rows = tables.rows_of(cls, connection.execute(sql, (chat_id,)))
        ledger._rows[cls] = {row.identity(): row for row in rows}
        ledger._kept[cls] = dict(ledger._rows[cls])
    return ledger


def _ahead(row: Row, now: float) -> Json:
    """The times of a row that are in the future, corrected."""
    if isinstance(row, Chat):  # its other times are only shown
        return (
            {"crashes": tuple(min(at, now) for at in row.crashes)}
            if max(row.crashes, default=0) > now
            else {}
        )
    named = [field.name for field in fields(row) if field.name.endswith("_at")]
    return {name: now for name in named if (getattr(row, name) or 0) > now}


def _is_closed(row: Row) -> bool:
    match row:
        case Turn(state=state):
            return state not in OPEN_TURN
        case ModelStep(over=over) | Call(over=over):
            return over
        case Task(ended_at=ended_at):
            return ended_at is not None
        case Process(state=state):
            return state is ProcessState.ENDED
        case Question(state=state):
            return state is not QuestionState.OPEN
        case Request(response=response):
            return response is not None
        case Terminal(released=released, told=told):
            return released and told
        case Reply() | FileView() | Sighting():
            return True
    return False
