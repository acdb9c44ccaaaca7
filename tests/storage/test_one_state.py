"""A read with several statements sees one state of the database, whatever is committed meanwhile."""

from __future__ import annotations

import ast
import sqlite3
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.runtime.replay import CHAT, Replay
from voxpilot import storage
from voxpilot.chat.events import TextSpoken
from voxpilot.chat.transcript import Transcript
from voxpilot.runtime.readers import snapshot
from voxpilot.storage.chats import chat_list, folds
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.sqlite import Batch, Database

ADD_CHAT = (
    "INSERT INTO chats "
    "(id, title, workspace, mode, agent, policy, created_at, updated_at, last_seq, crashes) "
    "VALUES (?, '', '/', 'agent', 'demo', 'ask', 1, ?, 0, '[]')"
)
ADD_TURN = (
    "INSERT INTO turns "
    "(id, chat_id, number, message_id, text, attachments, state, agent, session_name, created_at) "
    "VALUES ('t', 'old', 1, 'm', '', '[]', 'running', 'demo', 'main', 1)"
)
END_TURN = "UPDATE turns SET state = 'done'"
TOUCH = "UPDATE chats SET updated_at = 900 WHERE id = 'old'"


async def test_text_that_is_committed_between_two_statements_of_a_read_shows_once(tmp_path: Path) -> None:
    """B9: it used to read the old head and the new blocks, and apply the events between them again."""
    replay = Replay(tmp_path, "x")
    speak(replay, "one")

    def speak_on() -> None:
        speak(replay, " two")

    async with Database(tmp_path / "x.db") as db:
        loaded = await db.read(lambda connection: during(connection, "FROM blocks", speak_on, folds.load))
        stored = await db.read(lambda connection: snapshot.stored(connection, CHAT, 50))
    assert [block["text"] for block in loaded.blocks] == ["one"]
    assert [block["text"] for block in orjson.loads(stored[1])["blocks"]] == ["one two"]
    replay.close()


async def test_a_snapshot_from_memory_takes_no_blocks_of_a_later_state(tmp_path: Path) -> None:
    replay = Replay(tmp_path, "x")
    speak(replay, "one")
    taken = snapshot.Taken(replay.ledger.transcript, 50)
    speak(replay, " two")
    async with Database(tmp_path / "x.db") as db:
        assert taken.lacks
        assert await db.read(lambda connection: snapshot.completed(connection, CHAT, taken)) is None
    replay.close()


class Interrupted(Database):
    """Something happens after the first read."""

    def __init__(self, path: Path, happens: Callable[[Database], Awaitable[None]]) -> None:
        super().__init__(path)
        self._happens: Callable[[Database], Awaitable[None]] | None = happens

    async def read(self, *arguments: Any, **named: Any) -> Any:
        found = await super().read(*arguments, **named)
        if self._happens is not None:
            happens, self._happens = self._happens, None
            await happens(self)
        return found


async def end_the_turn(db: Database) -> None:
    await db.commit(Batch(statements=[(END_TURN, ()), (TOUCH, ())]))


async def test_a_chat_whose_turn_ends_while_the_list_is_read_is_in_it(tmp_path: Path) -> None:
    """B9: it was not among the newest before its turn ended, and no longer working after that."""
    migrate(tmp_path / "voxpilot.db")
    chats: list[tuple[Any, ...]] = [
        ("old", 2.0),
        *((f"chat-{n}", 1000.0 + n) for n in range(chat_list.PAGE + 1)),
    ]
    async with Database(tmp_path / "voxpilot.db") as db:
        await db.commit(Batch(many=[(ADD_CHAT, chats), (ADD_TURN, [()])]))
    async with Interrupted(tmp_path / "voxpilot.db", end_the_turn) as db:
        page = await chat_list.first_page(db)
    assert "old" in [chat["id"] for chat in page.chats]


def test_what_only_reads_reads_once() -> None:
    """Two reads may see two states; several statements belong into one `Database.read`."""
    assert [name for name, text in async_functions().items() if reads(text) > 1 and not writes(text)] == []


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("return await db.rows(a)", 1),
        ("one = await db.rows(a)\n    two = await db.read(b)", 2),
        ("for one in many:\n        await db.rows(one)", 2),
        ("page = await list_chats(db)\n    return await db.rows(a)", 2),
    ],
)
def test_a_second_read_is_noticed(body: str, count: int) -> None:
    assert reads(f"async def f(db):\n    {body}") == count


@cache
def async_functions() -> dict[str, str]:
    """The functions of storage that take a database, by name."""
    return {
        node.name: ast.unparse(node)
        for path in Path(storage.__path__[0]).rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.AsyncFunctionDef)
    }


def reads(text: str) -> int:
    """How often a function reads, itself or through another one; in a loop it counts as two."""
    known = {"rows", "read", *async_functions()}
    tree = ast.parse(text)
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While | ast.AsyncFor)]
    repeated = {id(found) for loop in loops for step in loop.body for found in awaited(step, known)}
    return sum(2 if id(found) in repeated else 1 for found in awaited(tree, known))


def writes(text: str) -> bool:
    """Whether a function commits something, itself or through another one."""
    others = awaited(ast.parse(text), set(async_functions()))
    return "commit" in text or any("commit" in async_functions()[called(one.func)] for one in others)


def awaited(tree: ast.AST, known: set[str]) -> list[ast.Call]:
    calls = [node.value for node in ast.walk(tree) if isinstance(node, ast.Await)]
    return [call for call in calls if isinstance(call, ast.Call) and called(call.func) in known]


def called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def speak(replay: Replay, text: str) -> None:
    """Text of one message, stored unchanged because no turn is open."""
    replay.ledger.emit(TextSpoken(message_id="m", content=text), 0)
    replay.commit(0)


def during(
    connection: sqlite3.Connection,
    words: str,
    act: Callable[[], None],
    read: Callable[[sqlite3.Connection, str], Transcript],
) -> Transcript:
    """Read, and act just before the statement that contains these words."""
    acted: list[str] = []

    def notice(sql: str) -> None:
        if words in sql and not acted:
            acted.append(sql)
            act()

    connection.set_trace_callback(notice)
    try:
        return read(connection, CHAT)
    finally:
        connection.set_trace_callback(None)
        assert acted, "nothing happened between the statements"
