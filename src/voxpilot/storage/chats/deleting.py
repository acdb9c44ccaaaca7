"""Deleting a chat without delaying the others.

Lives here: marking it, after which nobody sees it, and removing its rows in small transactions, so that other
chats' commits run in between. A restart continues the removal. Lives elsewhere: ending its agents first
(runtime/supervisor.py).
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from voxpilot.storage.database.rows import Reply
from voxpilot.storage.database.sqlite import Batch, Connection, Database
from voxpilot.values import dataclass

SLICE_SECONDS = 0.03
"""How long one transaction should take."""
SLICE_BYTES = 1_000_000
"""How much one transaction should delete; a larger row is deleted alone."""
_FEWEST, _MOST = 20, 5_000


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    owner: str
    """The column that says whose row it is."""
    key: str = "rowid"
    large: tuple[str, ...] = ()
    """Columns that may hold much: deleting a row takes as long as overwriting it."""


_OWNERS = {
    "chat_id": "SELECT ?",
    "process_id": "SELECT id FROM agent_processes WHERE chat_id = ?",
    "session_id": "SELECT id FROM acp_sessions WHERE chat_id = ?",
}
_TABLES = (
    _Table("events", "chat_id", "seq", ("body", "whole")),
    _Table("blocks", "chat_id", "pos", ("body",)),
    _Table("calls", "chat_id", large=("arguments", "content", "display")),
    _Table("model_steps", "chat_id", large=("message", "text")),
    _Table("questions", "chat_id", large=("detail", "options")),
    _Table("tasks", "chat_id", large=("text", "attachments")),
    _Table("turns", "chat_id", large=("text", "attachments", "context")),
    _Table("terminals", "chat_id", large=("argv", "env")),
    _Table("requests", "process_id", large=("subject", "response")),
    _Table("outbox", "process_id", "n", ("line",)),
    _Table("early_frames", "process_id", "n", ("line",)),
    _Table("agent_processes", "chat_id", large=("initialized",)),
    _Table("file_views", "session_id", "request_id"),
    _Table("acp_sessions", "chat_id", large=("options", "replay")),
)
"""Those that others refer to come after them."""


def deletion_begun(chat_id: str, now: float) -> Reply:
    """Stored when a deletion begins, and removed when the chat is marked."""
    return Reply(key=f"{chat_id}/delete/{now!r}", chat_id=chat_id, reply={}, at=now)


async def unfinished_deletions(db: Database) -> list[str]:
    """Chats whose deletion was interrupted. A chat that was used again after a reported error is kept."""
    rows = await db.rows(
        "SELECT DISTINCT c.id FROM chats c JOIN idempotency_keys k ON k.chat_id = c.id "
        "WHERE c.deleted = 0 AND k.key LIKE c.id || '/delete/%' AND NOT EXISTS ("
        "SELECT 1 FROM turns t WHERE t.chat_id = c.id AND t.created_at >= k.at)",
        patient=True,
    )
    return [chat_id for (chat_id,) in rows]


async def mark_deleted(db: Database, chat_id: str) -> None:
    """When this returns, nobody sees the chat any more."""
    marked = ("UPDATE chats SET deleted = 1, name = NULL WHERE id = ?", (chat_id,))
    keys = ("DELETE FROM idempotency_keys WHERE chat_id = ?", (chat_id,))  # small; may be used again now
    await db.commit(Batch(statements=[marked, keys]))


async def remove_deleted(db: Database) -> None:
    """Remove the rows of every marked chat; raises the first error after all others were removed."""
    errors: list[Exception] = []
    for (chat_id,) in await db.rows("SELECT id FROM chats WHERE deleted", patient=True):
        try:
            await _remove_chat(db, chat_id)
        except Exception as error:  # such as a damaged page
            errors.append(error)
    if errors:
        raise errors[0]


async def _remove_chat(db: Database, chat_id: str) -> None:
    for table in _TABLES:
        for (owner,) in await db.rows(_OWNERS[table.owner], (chat_id,), patient=True):
            await _remove_rows(db, table, owner)
    await db.commit(Batch(statements=[("DELETE FROM chats WHERE id = ? AND deleted", (chat_id,))]))


async def _remove_rows(db: Database, table: _Table, owner: str) -> None:
    count = _FEWEST
    sql = f"DELETE FROM {table.name} WHERE {table.key} = ? AND {table.owner} = ?"
    while True:
        keys = await db.read(partial(_next_keys, table, owner, count), patient=True, is_long=True)
        if not keys:
            return
        began = time.monotonic()
        await db.commit(Batch(many=[(sql, [(key, owner) for key in keys])]))
        # Some disks are slow, so the last slice tells how many rows go into the next.
        is_quick = time.monotonic() - began < SLICE_SECONDS
        count = min(_MOST, count * 2) if is_quick else max(_FEWEST, count // 2)


def _next_keys(table: _Table, owner: str, count: int, connection: Connection) -> list[Any]:
    """The next rows to delete: at least one, then as many as are not too large together."""
    size = " + ".join(f"coalesce(length({column}), 0)" for column in table.large) or "0"
    sql = f"SELECT {table.key}, {size} FROM {table.name} WHERE {table.owner} = ? LIMIT ?"
    keys: list[Any] = []
    taken = 0
    for key, size_here in connection.execute(sql, (owner, count)):
        taken += size_here
        if keys and taken > SLICE_BYTES:
            break
        keys.append(key)
    return keys
