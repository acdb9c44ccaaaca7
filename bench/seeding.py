"""Long chats, created with the product's own code.

Lives here: finished turns of mixed kinds, written to a database without a server. Lives elsewhere: opening
them (replay.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from voxpilot.chat.events import (
    ChatInfoChanged,
    Event,
    MessagePosted,
    PlanMade,
    TextSpoken,
    ThoughtSpoken,
    ToolCallChanged,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from voxpilot.chat.transcript import Transcript
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.rows import Chat, Turn
from voxpilot.storage.database.sqlite import Database
from voxpilot.storage.database.states import TurnState
from voxpilot.storage.directory.data_dir import prepare

EVENTS_A_TURN = 50
_TOOLS = 5
_NOW = 1_750_000_000.0
_WORDS = "and here it says something about the change it is going to make next, "


async def seed(data_dir: Path, chats: dict[str, int]) -> None:
    """Create chats with these ids and numbers of events: one single event, the rest in whole turns."""
    prepare(data_dir)
    path = data_dir / "voxpilot.db"
    migrate(path)
    async with Database(path) as db:
        for chat_id, events in chats.items():
            await _seed_chat(db, chat_id, events)


async def _seed_chat(db: Database, chat_id: str, events: int) -> None:
    row = Chat(
        id=chat_id, title="A long chat", workspace="/", mode="agent", agent="bench", policy="ask",
        created_at=_NOW, updated_at=_NOW,
    )  # fmt: skip
    ledger = Ledger(row, Transcript())
    ledger.save(row)
    for number in range(1, events // EVENTS_A_TURN + 1):
        turn = Turn(
            id=f"t-{chat_id}-{number}", chat_id=chat_id, number=number, message_id=f"m-{number}",
            text="Continue.", state=TurnState.DONE, agent="bench", created_at=_NOW, stop_reason="end_turn",
        )  # fmt: skip
        ledger.save(turn)
        for event in _turn(turn):
            ledger.emit(event, _NOW + number)
        await db.commit(ledger.take(_NOW + number).batch)
        ledger.committed()


def _turn(turn: Turn) -> Iterator[Event]:
    """Fifty events: a message, thoughts, a plan, tool calls and text between them, an end."""
    yield MessagePosted(id=turn.message_id, role="user", text=turn.text, queued=True)
    yield TurnStarted(turn=turn.id, by="agent", message_id=turn.message_id, agent="bench")
    for _ in range(5):
        yield ThoughtSpoken(turn=turn.id, message_id=f"{turn.id}-thought", content=_WORDS)
    yield PlanMade(turn=turn.id, entries=({"content": "Do it", "priority": "high", "status": "pending"},))
    for number in range(_TOOLS):
        for _ in range(4):
            yield TextSpoken(turn=turn.id, message_id=f"{turn.id}-{number}", content=_WORDS)
        yield from _tool(turn, f"{turn.id}-call-{number}")
    yield UsageReported(usage={"used": 1000, "size": 200_000})
    for _ in range(4):
        yield TextSpoken(turn=turn.id, message_id=f"{turn.id}-last", content=_WORDS)
    yield ChatInfoChanged(title=f"A long chat, turn {turn.number}")
    yield TurnEnded(turn=turn.id, stop_reason="end_turn")


def _tool(turn: Turn, call: str) -> Iterator[Event]:
    yield ToolCallStarted(
        turn=turn.id, id=call, title="Edit src/app.py", tool_kind="edit", status="pending",
        input={"path": "src/app.py"}, locations=({"path": "src/app.py", "line": 12},),
    )  # fmt: skip
    yield ToolCallChanged(turn=turn.id, id=call, status="in_progress")
    diff = {"type": "diff", "path": "src/app.py", "oldText": _WORDS, "newText": _WORDS * 2}
    yield ToolCallChanged(turn=turn.id, id=call, status="completed", content=(diff,))
