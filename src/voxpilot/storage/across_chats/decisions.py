"""Past decisions: what was asked, and who decided what and when.

Lives here: reading them back, newest first. Lives elsewhere: making them
(runtime/step/decisions.py); the rows are those of the questions.
"""

from __future__ import annotations

from typing import Any

import orjson

from voxpilot.chat.events import Json
from voxpilot.storage.database.sqlite import Database

_NAMES = (
    "id", "chat", "chat_title", "turn", "agent", "type", "purpose", "title", "detail", "options", "asked_at",
    "at", "outcome", "option_id", "by", "where", "reason", "policy",
)  # fmt: skip
_SELECT = """
SELECT q.id, q.chat_id, c.title, q.turn, coalesce(s.agent, t.agent), q.type, q.purpose, q.title, q.detail,
  q.options, q.asked_at, q.decided_at, q.outcome, q.option_id, q.decided_by, q.decided_where, q.reason,
  q.policy
FROM questions q JOIN chats c ON c.id = q.chat_id
  LEFT JOIN acp_sessions s ON s.id = q.session_id LEFT JOIN turns t ON t.id = q.turn
WHERE q.state = 'decided' AND c.deleted = 0
"""
_BEFORE = " AND (q.decided_at, q.id) < (SELECT b.decided_at, b.id FROM questions b WHERE b.id = ?)"


async def list_decisions(db: Database, chat: str | None, before: str | None, limit: int) -> list[Json]:
    """Decisions before the one with this id, newest first; in one chat, or in all."""
    sql, values = _SELECT, []
    if chat is not None:
        sql += " AND q.chat_id = ?"
        values.append(chat)
    if before is not None:
        sql += _BEFORE
        values.append(before)
    found = await db.rows(f"{sql} ORDER BY q.decided_at DESC, q.id DESC LIMIT ?", (*values, limit))
    return [_decision(row) for row in found]


async def find_decision(db: Database, id: str) -> Json | None:
    found = await db.rows(f"{_SELECT} AND q.id = ?", (id,))
    return _decision(found[0]) if found else None


def _decision(row: tuple[Any, ...]) -> Json:
    decision: Json = dict(zip(_NAMES, row, strict=True))
    decision["detail"] = orjson.loads(decision["detail"])
    decision["options"] = orjson.loads(decision["options"])
    return decision
