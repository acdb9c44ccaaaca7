"""The conversation between a person and the assistant, read from the rows.

Lives here: reading a chat's turns in llm mode with the model's steps and the
results of its calls. Lives elsewhere: what of it the model is sent
(assistant/history.py).
"""

from __future__ import annotations

import sqlite3

from voxpilot.storage.database import tables
from voxpilot.storage.database.model_rows import Call, ModelStep
from voxpilot.storage.database.rows import Turn
from voxpilot.values import dataclass

ATTACHED_BYTES = 20_000_000
"""How much of attachments is read, those of the newest messages: providers limit the size of a request, and
it is held in memory."""
_ASKED = "chat_id = ? AND agent = '' AND state NOT IN ('queued') AND started_at IS NOT NULL ORDER BY number"

_CALLS = tables.select(Call, "chat_id = ? ORDER BY created_at, number").replace(" display,", " NULL,")
"""The displayed result may be many megabytes, and no model gets it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message from the person, and the model's steps that answer it."""

    turn: Turn
    steps: tuple[tuple[ModelStep, tuple[Call, ...]], ...]
    is_bare: bool = False
    """The message had attachments, which were not read because there are too many after it."""


def load(connection: sqlite3.Connection, chat_id: str) -> list[Exchange]:
    """The whole conversation, oldest first, without steps that have no answer and without results shown only
    to people."""
    turns, bare = _turns(connection, chat_id)
    steps = _by_turn(connection, chat_id)
    calls: dict[str, list[Call]] = {}
    for call in tables.rows_of(Call, connection.execute(_CALLS, (chat_id,))):
        calls.setdefault(call.step, []).append(call)
    return [
        Exchange(
            turn,
            tuple((step, tuple(calls.get(step.id, ()))) for step in steps.get(turn.id, ())),
            turn.number in bare,
        )
        for turn in turns
    ]


def _turns(connection: sqlite3.Connection, chat_id: str) -> tuple[list[Turn], set[int]]:
    """The turns, and the numbers of those whose attachments were not read."""
    sql = f"SELECT number, length(attachments) + coalesce(length(context), 0) FROM turns WHERE {_ASKED}"
    sizes = connection.execute(sql, (chat_id,)).fetchall()
    first = _first_read([size for _, size in sizes])
    beyond = sizes[first - 1][0] if first else -1
    bare = {number for number, size in sizes[:first] if size > len("[]")}
    read = f" CASE WHEN number <= {beyond:d} THEN '[]' ELSE attachments END,"
    along = f" CASE WHEN number <= {beyond:d} THEN NULL ELSE context END "
    select = tables.select(Turn, _ASKED).replace(" attachments,", read).replace(" context ", along)
    return tables.rows_of(Turn, connection.execute(select, (chat_id,))), bare


def _first_read(sizes: list[int]) -> int:
    """The place of the first message whose attachments are read.

    Much is left out at once, so that most requests begin like the previous one.
    """
    first = held = 0
    for place, size in enumerate(sizes):
        held += size
        if held <= ATTACHED_BYTES:
            continue
        while first < place and held > ATTACHED_BYTES // 2:
            held -= sizes[first]
            first += 1
    return first


def _by_turn(connection: sqlite3.Connection, chat_id: str) -> dict[str, list[ModelStep]]:
    sql = tables.select(ModelStep, "chat_id = ? AND state = 'done' ORDER BY number")
    found: dict[str, list[ModelStep]] = {}
    for step in tables.rows_of(ModelStep, connection.execute(sql, (chat_id,))):
        found.setdefault(step.turn, []).append(step)
    return found
