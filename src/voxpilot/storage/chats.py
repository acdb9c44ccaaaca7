"""Chats as a list, and finding what only the database still knows of them.

Lives here: the questions asked across chats. Lives elsewhere: one awake chat
(ledger.py), its events (event_log.py).
"""

from __future__ import annotations

from typing import Any

from voxpilot.chat.events import Json
from voxpilot.storage import tables
from voxpilot.storage.database import Batch, Database
from voxpilot.storage.rows import Process, Question

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


async def list_chats(db: Database, name: str | None = None) -> list[Json]:
    """Newest first; `status` says who needs a person, who works and how the rest ended."""
    where, parameters = ("WHERE c.name = ?", (name,)) if name is not None else ("", ())
    return [
        _summary(row) for row in await db.rows(f"{_SUMMARY} {where} ORDER BY c.updated_at DESC", parameters)
    ]


async def summary(db: Database, chat_id: str) -> Json | None:
    found = await db.rows(f"{_SUMMARY} WHERE c.id = ?", (chat_id,))
    return _summary(found[0]) if found else None


async def find_question(db: Database, chat_id: str, question_id: str) -> Question | None:
    found = await db.rows(tables.select(Question, "id = ? AND chat_id = ?"), (question_id, chat_id))
    return tables.row_of(Question, found[0]) if found else None


async def chats_to_wake(db: Database) -> list[str]:
    """Chats with an agent that may still be there, or a turn that has not ended."""
    rows = await db.rows(
        "SELECT chat_id FROM agent_processes WHERE state != 'ended' "
        "UNION SELECT chat_id FROM turns WHERE state IN ('queued', 'running') "
        "UNION SELECT chat_id FROM acp_sessions WHERE wanted"
    )
    return [chat_id for (chat_id,) in rows]


async def chat_with_session(db: Database, agent: str, acp_session_id: str) -> str | None:
    """The chat that has this session of an agent."""
    sql = "SELECT chat_id FROM acp_sessions WHERE agent = ? AND acp_session_id = ?"
    found = await db.rows(sql, (agent, acp_session_id))
    return found[0][0] if found else None


async def chats_with_sessions(db: Database, agent: str) -> dict[str, str]:
    """By session of this agent, the chat that has it."""
    rows = await db.rows("SELECT acp_session_id, chat_id FROM acp_sessions WHERE agent = ?", (agent,))
    return dict(rows)


async def has_terminal(db: Database, chat_id: str, terminal_id: str) -> bool:
    """Whether such a command runs or ran in the chat."""
    sql = "SELECT 1 FROM terminals WHERE chat_id = ? AND id = ?"
    return bool(await db.rows(sql, (chat_id, terminal_id)))


async def live_processes(db: Database) -> list[Process]:
    return tables.rows_of(Process, await db.rows(tables.select(Process, "state != 'ended'")))


async def processes_of(db: Database, chat_id: str) -> list[str]:
    return [id for (id,) in await db.rows("SELECT id FROM agent_processes WHERE chat_id = ?", (chat_id,))]


async def delete_chat(db: Database, chat_id: str) -> None:
    """The chat and everything that hangs on it."""
    await db.commit(Batch(statements=[("DELETE FROM chats WHERE id = ?", (chat_id,))]))


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
