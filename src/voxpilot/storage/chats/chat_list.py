"""The list of chats, and finding chats that are not in memory.

Lives here: queries across chats. Lives elsewhere: one awake chat
(ledger.py), its events (event_log.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from voxpilot.chat.events import Json
from voxpilot.errors import Invalid
from voxpilot.storage.database import tables
from voxpilot.storage.database.rows import Process, Question
from voxpilot.storage.database.sqlite import Database
from voxpilot.values import dataclass

_SUMMARY = """
SELECT c.id, c.title, c.workspace, c.mode, c.agent, c.policy, c.name, c.created_at, c.updated_at, c.last_seq,
  EXISTS (SELECT 1 FROM turns t WHERE t.chat_id = c.id AND t.state = 'running') AS running,
  (SELECT count(*) FROM turns t WHERE t.chat_id = c.id AND t.state = 'queued') AS queued,
  (SELECT count(*) FROM questions q WHERE q.chat_id = c.id AND q.state = 'open') AS needs_you,
  (SELECT t.state FROM turns t WHERE t.chat_id = c.id AND t.state NOT IN ('queued', 'running')
     ORDER BY t.number DESC LIMIT 1) AS last_turn
FROM chats c
"""
_NAMES = (
    "id", "title", "workspace", "mode", "agent", "policy", "name", "created_at", "updated_at", "last_seq",
    "running", "queued", "needs_you", "last_turn",
)  # fmt: skip
_KEPT = "chat_id NOT IN (SELECT id FROM chats WHERE deleted)"
"""Not of a chat whose rows are being removed."""
PAGE = 200


@dataclass(frozen=True, slots=True)
class ChatPage:
    """One page of the list."""

    chats: list[Json]
    following: str | None
    """Where the next page begins; None after the last."""

    def told(self) -> Json:
        return {"chats": self.chats, "next": self.following}


async def list_chats(
    db: Database,
    name: str | None = None,
    search: str | None = None,
    before: str | None = None,
    limit: int = PAGE,
) -> ChatPage:
    """Newest first; `status` says which chats need a person, which are working and how the others ended.

    `before` is where the previous page ended; `search` finds words in titles, names and folders.
    """
    return await db.read(lambda connection: _page(connection, name, search, before, limit))


def _page(
    connection: sqlite3.Connection,
    name: str | None = None,
    search: str | None = None,
    before: str | None = None,
    limit: int = PAGE,
) -> ChatPage:
    wheres, parameters = ["c.deleted = 0"], list[Any]()
    if name is not None:
        wheres.append("c.name = ?")
        parameters.append(name)
    for word in (search or "").split():
        wheres.append(
            f"({_LIKE.format('c.title')} OR {_LIKE.format('c.name')} OR {_LIKE.format('c.workspace')})"
        )
        parameters += [f"%{_literal(word)}%"] * 3
    if before is not None:
        wheres.append("(c.updated_at, c.id) < (?, ?)")
        parameters += _place(before)
    sql = f"{_SUMMARY} WHERE {' AND '.join(wheres)} ORDER BY c.updated_at DESC, c.id DESC LIMIT ?"
    rows = connection.execute(sql, (*parameters, limit + 1)).fetchall()
    found = [_summary(row) for row in rows[:limit]]
    following = f"{found[-1]['updated_at']!r}-{found[-1]['id']}" if len(rows) > limit else None
    return ChatPage(found, following)


async def first_page(db: Database, followed: Iterable[str] = ()) -> ChatPage:
    """The newest chats; then, however old, those that are working or need a person, and those being
    followed."""
    ids = tuple(followed)
    return await db.read(lambda connection: _first_page(connection, ids))


def _first_page(connection: sqlite3.Connection, ids: tuple[str, ...]) -> ChatPage:
    page = _page(connection)
    if page.following is None:
        return page
    known = {chat["id"] for chat in page.chats}
    marks = ", ".join("?" * len(ids))
    rows = connection.execute(
        f"{_SUMMARY} WHERE c.deleted = 0 AND (c.id IN ({marks}) OR c.id IN ("
        "SELECT chat_id FROM questions WHERE state = 'open' "
        "UNION SELECT chat_id FROM turns WHERE state IN ('queued', 'running'))) "
        "ORDER BY c.updated_at DESC, c.id DESC",
        ids,
    )
    more = [chat for chat in map(_summary, rows) if chat["id"] not in known]
    return ChatPage([*page.chats, *more], page.following)


_LIKE = "{} LIKE ? ESCAPE '\\'"


def _literal(word: str) -> str:
    """A word as it is, for LIKE."""
    for sign in ("\\", "%", "_"):
        word = word.replace(sign, f"\\{sign}")
    return word


def _place(before: str) -> tuple[float, str]:
    at, _, chat_id = before.partition("-")
    try:
        return float(at), chat_id
    except ValueError:
        raise Invalid("Invalid page cursor.", "Use the `next` value of an earlier response.") from None


async def summary(db: Database, chat_id: str) -> Json | None:
    found = await db.rows(f"{_SUMMARY} WHERE c.id = ? AND c.deleted = 0", (chat_id,))
    return _summary(found[0]) if found else None


async def find_question(db: Database, chat_id: str, question_id: str) -> Question | None:
    found = await db.rows(
        tables.select(Question, f"id = ? AND chat_id = ? AND {_KEPT}"), (question_id, chat_id)
    )
    return tables.row_of(Question, found[0]) if found else None


async def chats_to_wake(db: Database) -> list[str]:
    """Chats with an agent that may still be running, or an open turn; the quickest to read first."""
    rows = await db.rows(
        "SELECT c.id FROM chats c LEFT JOIN folds f ON f.chat_id = c.id WHERE c.deleted = 0 AND c.id IN ("
        "SELECT chat_id FROM agent_processes WHERE state != 'ended' "
        "UNION SELECT chat_id FROM turns WHERE state IN ('queued', 'running') "
        "UNION SELECT chat_id FROM acp_sessions WHERE wanted) "
        "ORDER BY c.last_seq - coalesce(f.seq, 0)"
    )
    return [chat_id for (chat_id,) in rows]


async def chat_with_session(db: Database, agent: str, acp_session_id: str) -> str | None:
    """The chat that uses this session of an agent."""
    sql = f"SELECT chat_id FROM acp_sessions WHERE agent = ? AND acp_session_id = ? AND {_KEPT}"
    found = await db.rows(sql, (agent, acp_session_id))
    return found[0][0] if found else None


@dataclass(frozen=True, slots=True)
class KnownSession:
    """What we know about a session of an agent."""

    chat: str
    title: str
    used_at: float
    """When it was last sent a prompt, or else when it was opened."""


async def known_sessions(db: Database, agent: str) -> dict[str, KnownSession]:
    """The sessions of this agent that chats use, by the agent's id."""
    sql = (
        "SELECT acp_session_id, chat_id, coalesce(title, ''), coalesce(used_at, created_at) "
        f"FROM acp_sessions WHERE agent = ? AND {_KEPT}"
    )
    return {id: KnownSession(*known) for id, *known in await db.rows(sql, (agent,))}


async def has_terminal(db: Database, chat_id: str, terminal_id: str) -> bool:
    """Whether such a command runs or ran in the chat."""
    sql = f"SELECT 1 FROM terminals WHERE chat_id = ? AND id = ? AND {_KEPT}"
    return bool(await db.rows(sql, (chat_id, terminal_id)))


async def live_processes(db: Database) -> list[Process]:
    sql = tables.select(Process, f"state != 'ended' AND {_KEPT}")
    return tables.rows_of(Process, await db.rows(sql, patient=True))


async def newest_processes(db: Database, chat_id: str, limit: int) -> list[Process]:
    """The newest agent processes of a chat, newest first."""
    sql = tables.select(Process, f"chat_id = ? AND {_KEPT} ORDER BY started_at DESC, id LIMIT ?")
    return tables.rows_of(Process, await db.rows(sql, (chat_id, limit)))


async def processes_of(db: Database, chat_id: str) -> list[str]:
    return [id for (id,) in await db.rows("SELECT id FROM agent_processes WHERE chat_id = ?", (chat_id,))]


def _summary(row: tuple[Any, ...]) -> Json:
    chat: Json = dict(zip(_NAMES, row, strict=True))
    chat["running"] = bool(chat["running"])
    if chat["needs_you"]:
        chat["status"] = "needs-you"
    elif chat["running"] or chat["queued"]:
        chat["status"] = "working"
    elif chat["last_turn"] in ("failed", "interrupted"):
        chat["status"] = "failed"
    else:
        chat["status"] = "ready" if chat["last_turn"] else "new"
    return chat


async def all_ids(db: Database) -> set[str]:
    """Every chat that exists, those that are being deleted included."""
    return {id for (id,) in await db.rows("SELECT id FROM chats", patient=True)}


async def is_a_root(db: Database, folder: str) -> bool:
    """Whether it is one of the folders of a chat."""
    sql = (
        "SELECT 1 FROM chats WHERE deleted = 0 AND (workspace = ? OR EXISTS "
        "(SELECT 1 FROM json_each(directories) WHERE value = ?)) LIMIT 1"
    )
    return bool(await db.rows(sql, (folder, folder)))


async def mentioned(db: Database, folder: str, most: int = 100) -> list[str]:
    """The files that were mentioned last in the chats of a folder, the newest first."""
    sql = (
        "SELECT json_extract(one.value, '$.path') FROM turns t JOIN chats c ON c.id = t.chat_id, "
        "json_each(t.attachments) one WHERE c.workspace = ? AND c.deleted = 0 AND "
        "length(t.attachments) BETWEEN 3 AND 20000 AND json_extract(one.value, '$.type') = 'file' "
        "ORDER BY t.created_at DESC LIMIT ?"
    )
    return [str(path) for (path,) in await db.rows(sql, (folder, most)) if path]
