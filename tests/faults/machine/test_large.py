"""B7: whatever one chat contains or does, the others are not slowed down."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest

from tests.conftest import NoteFigure, StartServer
from tests.faults.machine.hung_disk import alive
from tests.kit.clients.assistant import assert_valid, assistant, chatting
from tests.kit.clients.client import Api
from tests.kit.clients.driver import NIGHTLY, Talk, ask, talking
from tests.kit.machine.processes import rss_bytes
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.peers.raw_llm import called, chunk, raw_llm, says, stream
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.directory import data_dir

EVENTS = 1_000_000 if NIGHTLY else 300_000
AT_ONCE = 2.0
"""Seconds to the first text of an answer: the target is one, but the machine may be busy."""
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"


def seed(data: Path, sql: str, *parameters: object) -> None:
    """Insert rows into the database of a stopped server."""
    data_dir.prepare(data)
    migrate(data / "voxpilot.db")
    with closing(sqlite3.connect(data / "voxpilot.db")) as db:
        db.execute("PRAGMA synchronous = OFF")
        with db:
            db.execute(sql, parameters)


def seed_large(data: Path, chat: str, workspace: Path, is_open: bool) -> None:
    """A chat of very many events, in one turn."""
    seed(
        data,
        "INSERT INTO chats (id, title, workspace, mode, agent, policy, created_at, updated_at, last_seq, "
        "crashes) VALUES (?, 'Large', ?, 'agent', 'scripted', 'ask', 1.0, 1.0, ?, '[]')",
        chat, str(workspace), EVENTS,
    )  # fmt: skip
    if is_open:
        seed(
            data,
            "INSERT INTO turns (id, chat_id, number, message_id, text, attachments, state, agent, "
            "session_name, created_at, started_at) "
            "VALUES ('t1', ?, 1, 'm1', 'go', '[]', 'running', 'scripted', 'main', 1.0, 1.0)",
            chat,
        )
    words = '{"seq":%d,"at":1.0,"message_id":"m%d","content":"and so it goes, word by word ","turn":"t1"}'
    seed(
        data,
        f"{NUMBERS} INSERT INTO events (chat_id, seq, kind, body, at) "
        f"SELECT ?, i, 'text-delta', CAST(printf('{words}', i, i / 10) AS BLOB), 1.0 FROM n",
        EVENTS, chat,
    )  # fmt: skip


class Pace:
    """How long another chat takes to its first text, measured repeatedly."""

    def __init__(self) -> None:
        self.took: list[float] = []

    async def watch(self, talk: Talk) -> None:
        while True:
            number = len(self.took)
            began = time.monotonic()
            await talk.send(f"say first-{number}.")
            await talk.says(f"first-{number}.")
            self.took.append(time.monotonic() - began)
            await anyio.sleep(0.1)


@asynccontextmanager
async def another_chat(server: ServerProcess, workspace: Path) -> AsyncIterator[Pace]:
    """Somebody works in another chat within the block."""
    pace = Pace()
    async with talking(server, workspace) as talk:
        await talk.run("say ready")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pace.watch, talk)
            yield pace
            tasks.cancel_scope.cancel()


@pytest.mark.alone
async def test_deleting_a_large_chat_holds_up_nobody(
    start_server: StartServer, place: Path, workspace: Path, note_figure: NoteFigure
) -> None:
    seed_large(place / "data", "b19", workspace, is_open=False)
    server = await start_server()
    left = "SELECT count(*) FROM events WHERE chat_id = 'b19'"
    async with Api(server.url, server.token, timeout=100) as api:
        async with another_chat(server, workspace) as pace:
            await api.delete_chat("b19")
            assert "b19" not in {chat["id"] for chat in (await api.chats())["chats"]}
            done = len(pace.took)
            await until(lambda: len(pace.took) >= done + 3, 60, "the other chat is blocked")
        await server.kill()  # the rest is removed after a restart
        assert ask(server.database, left)[0][0] > 0
        await server.start()
        assert "b19" not in {chat["id"] for chat in (await api.chats())["chats"]}
        gone = "SELECT 1 FROM chats WHERE id = 'b19'"
        await until(lambda: not ask(server.database, gone), 90, "it was not removed")
        assert ask(server.database, left)[0][0] == 0
    note_figure(f"deleting {EVENTS:,} events: first words elsewhere after {max(pace.took):.2f} s at most")
    assert max(pace.took) < AT_ONCE


@pytest.mark.alone
async def test_waking_a_large_chat_holds_up_nobody(
    start_server: StartServer, place: Path, workspace: Path, note_figure: NoteFigure
) -> None:
    seed_large(place / "data", "b19", workspace, is_open=True)
    server = await start_server()
    async with another_chat(server, workspace) as pace:
        async with Api(server.url, server.token, timeout=100) as api:
            await api.blocks("b19")  # it is awake now
        await until(lambda: len(pace.took) >= 3, 60, "the other chat is blocked")
    note_figure(f"waking {EVENTS:,} events: first words elsewhere after {max(pace.took):.2f} s at most")
    assert max(pace.took) < AT_ONCE


@pytest.mark.alone
async def test_a_list_of_very_many_chats_comes_in_parts(
    start_server: StartServer, place: Path, workspace: Path, note_figure: NoteFigure
) -> None:
    seed(
        place / "data",
        f"{NUMBERS} INSERT INTO chats (id, title, workspace, mode, agent, policy, created_at, updated_at, "
        "last_seq, crashes) SELECT printf('%x', i), printf('Chat 100%% number %d', i), '/', 'agent', "
        "'scripted', 'ask', i, i, 1, '[]' FROM n",
        20_000,
    )
    server = await start_server()
    async with Api(server.url, server.token) as api:
        took = []
        for _ in range(5):
            began = time.monotonic()
            first = await api.chats()
            took.append(time.monotonic() - began)
        seen = [chat["id"] for chat in first["chats"]]
        assert seen[0] == f"{20_000:x}"
        following = first["next"]
        while following is not None:
            page = await api.call("GET", "/api/chats", query={"before": following, "limit": 1000})
            seen += [chat["id"] for chat in page["chats"]]
            following = page["next"]
        assert seen == [f"{number:x}" for number in range(20_000, 0, -1)]
        found = await api.call("GET", "/api/chats", query={"search": "100% 1777"})
        wanted = [*range(17_779, 17_769, -1), 11_777, 1_777]
        assert [chat["title"] for chat in found["chats"]] == [f"Chat 100% number {n}" for n in wanted]
    note_figure(f"first page of 20,000 chats: {1000 * min(took):.0f} ms")
    assert min(took) < 0.1 * 2


@pytest.mark.alone
async def test_an_answer_with_very_many_tool_calls_is_cut(
    start_server: StartServer, workspace: Path, note_figure: NoteFigure
) -> None:
    calls = [called("read_file", '{"path": "none"}', f"c{number}", number) for number in range(10_000)]
    async with raw_llm() as model:
        server = await start_server(settings=model.settings())
        model.will(stream(*calls, chunk("tool_calls")), says("That was all."))
        async with another_chat(server, workspace) as pace, chatting(server, workspace) as talk:
            assert (await talk.run("go", 100))["stop_reason"] == "end_turn"
            assert "more than 128" in (await talk.notice("too-many-calls"))["text"]
            results = talk.of_kind("tool-result")
            assert len(talk.of_kind("tool-call")) == len(results) == 128
            assert ["not run" in result["content"] for result in results].count(True) == 1
            assert_valid(model.asked[-1])
    note_figure(f"10,000 tool calls in an answer: first words elsewhere after {max(pace.took):.2f} s at most")
    assert max(pace.took) < AT_ONCE


@pytest.mark.alone
async def test_a_very_large_message_takes_little_more_memory_than_it_has(
    start_server: StartServer, workspace: Path, note_figure: NoteFigure
) -> None:
    server = await start_server()
    most = 0
    # Nobody views the large chat, because reading it would keep the measuring client busy.
    async with another_chat(server, workspace) as pace, Api(server.url, server.token) as api:
        before = rss_bytes(server.pid)
        async with anyio.create_task_group() as tasks:

            async def sample() -> None:
                nonlocal most
                while True:
                    most = max(most, rss_bytes(server.pid))
                    await anyio.sleep(0.01)

            tasks.start_soon(sample)
            chat = (await api.create_chat(workspace, "scripted"))["id"]
            await api.prompt(chat, "bigline 15")

            async def is_done() -> bool:
                return bool((await api.chat(chat))["status"] == "ready")

            await until(is_done, 60, "the large message did not arrive")
            done = len(pace.took)
            await until(lambda: len(pace.took) >= done + 2, 60, "the other chat is blocked")
            tasks.cancel_scope.cancel()
    grown = (most - before) / 1e6
    note_figure(
        f"a chunk of 15 MB: {grown:.0f} MB more at most, first words elsewhere {max(pace.took):.2f} s"
    )
    assert grown < 200
    assert max(pace.took) < AT_ONCE


def seed_long_talk(data: Path, chat: str, workspace: Path, turns: int, calls: int) -> None:
    """A chat with the assistant, with this many turns and calls in each."""
    seed(
        data,
        "INSERT INTO chats (id, title, workspace, mode, policy, created_at, updated_at, last_seq, crashes) "
        "VALUES (?, 'Long', ?, 'llm', 'ask', 1.0, 1.0, 0, '[]')",
        chat, str(workspace),
    )  # fmt: skip
    seed(
        data,
        f"{NUMBERS} INSERT INTO turns (id, chat_id, number, message_id, text, attachments, state, agent, "
        "session_name, created_at, started_at, ended_at) "
        "SELECT 't' || i, ?, i, 'm' || i, 'look', '[]', 'done', '', 'main', i, i, i FROM n",
        turns, chat,
    )  # fmt: skip
    seed(
        data,
        f"{NUMBERS} INSERT INTO model_steps (id, chat_id, turn, number, state, attempts, text, created_at, "
        "over) SELECT 's' || i, ?, 't' || i, 1, 'done', 1, 'I look.', i, 1 FROM n",
        turns, chat,
    )  # fmt: skip
    seed(
        data,
        f"{NUMBERS} INSERT INTO calls (id, chat_id, turn, step, number, provider_id, name, arguments, state, "
        "content, is_error, cut, created_at, ended_at, over) SELECT 'c' || i, ?, 't' || (1 + i % ?), "
        "'s' || (1 + i % ?), i, 'p' || i, 'read', '{}', 'done', hex(zeroblob(150)), 0, 0, i, i, 1 FROM n",
        turns * calls, chat, turns, turns,
    )  # fmt: skip


@pytest.mark.alone
async def test_a_long_conversation_holds_up_nobody_when_the_model_is_asked(
    start_server: StartServer, llm: ScriptedLlm, place: Path, workspace: Path
) -> None:
    seed_long_talk(place / "data", "b7", workspace, turns=800, calls=50)
    server = await start_server(settings=assistant(llm))
    async with chatting(server, workspace, chat="b7") as talk:
        async with alive(server, longest=0.7):
            await talk.run("say Hello", within=60)
