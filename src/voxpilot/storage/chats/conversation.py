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

_ASKED = "chat_id = ? AND agent = '' AND state NOT IN ('queued') AND started_at IS NOT NULL ORDER BY number"

_CALLS = tables.select(Call, "chat_id = ? ORDER BY created_at, number").replace(" display,", " NULL,")
"""The displayed result may be many megabytes, and no model gets it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message from the person, and the model's steps that answer it."""

    turn: Turn
    steps: tuple[tuple[ModelStep, tuple[Call, ...]], ...]


def load(connection: sqlite3.Connection, chat_id: str) -> list[Exchange]:
    """The whole conversation, oldest first, without steps that have no answer and without results shown only
    to people."""
    turns = tables.rows_of(Turn, connection.execute(tables.select(Turn, _ASKED), (chat_id,)))
    steps = _by_turn(connection, chat_id)
    calls: dict[str, list[Call]] = {}
    for call in tables.rows_of(Call, connection.execute(_CALLS, (chat_id,))):
        calls.setdefault(call.step, []).append(call)
    return [
        Exchange(turn, tuple((step, tuple(calls.get(step.id, ()))) for step in steps.get(turn.id, ())))
        for turn in turns
    ]


def _by_turn(connection: sqlite3.Connection, chat_id: str) -> dict[str, list[ModelStep]]:
    sql = tables.select(ModelStep, "chat_id = ? AND state = 'done' ORDER BY number")
    found: dict[str, list[ModelStep]] = {}
    for step in tables.rows_of(ModelStep, connection.execute(sql, (chat_id,))):
        found.setdefault(step.turn, []).append(step)
    return found
