"""Many chats on one connection: positions as a vector, the list of chats, reconnecting, adding a chat."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from typing import Any

import anyio
import pytest

from tests.fakes.script import ALLOW, ask, chunks, say, script, silent, spoken_by, text
from tests.kit.clients.client import ApiError
from tests.kit.clients.sse import Event, EventStream, StreamEnded, connect, kinds
from tests.kit.oracles.oracle import judge
from tests.kit.servers.shared_server import SharedServer
from tests.web.page import Page


@asynccontextmanager
async def shared(shared_server: SharedServer, chats: str, **more: Any) -> AsyncIterator[EventStream]:
    async with connect(
        shared_server.server.url, f"/api/stream?chats={chats}", shared_server.server.token, **more
    ) as stream:
        yield stream


async def until_ready(stream: EventStream, count: int) -> list[Event]:
    events: list[Event] = []
    while kinds(events).count("ready") < count:
        events += await stream.read_until("ready", within=20)
    return events


async def read_turn_ends(stream: EventStream, count: int) -> list[Event]:
    """Until this many turns have ended and the last text of each agent has arrived."""
    events: list[Event] = []
    with anyio.fail_after(30):
        while kinds(events).count("turn-ended") < count:
            events.append(await stream.next())
    return events


def of_chat(events: list[Event], chat: str) -> list[Event]:
    """What a stream of this chat alone would have contained."""
    found = []
    for event in events:
        name = "chat_id" if event.kind == "snapshot" else "chat"
        if event.kind in ("chats", "chat-changed", "chat-removed", "ping") or event.data.get(name) != chat:
            continue
        found.append(Event(event.kind, None, {key: event.data[key] for key in event.data if key != name}))
    return found


def places(id: str) -> dict[str, int]:
    return {chat: int(place) for chat, _, place in (part.partition(":") for part in id.split(","))}


async def test_the_list_then_a_snapshot_of_each_chat_then_ready_of_each(shared_server: SharedServer) -> None:
    one, two = await shared_server.new_chat(), await shared_server.new_chat()
    async with shared(shared_server, f"{one},{two}:0") as stream:
        events = await until_ready(stream, 2)
        assert events[0].kind == "chats"
        assert events[0].id is None
        listed = {chat["id"]: chat for chat in events[0].data["chats"]}
        assert {one, two} <= set(listed)
        assert listed[one] == await shared_server.api.chat(one)
        assert [event.data["chat_id"] for event in events if event.kind == "snapshot"] == [one]
        assert [event.kind for event in of_chat(events, two)] == ["chat-info", "ready"]
        assert [event.data["chat"] for event in events if event.kind == "ready"] == [one, two]


async def test_each_event_carries_its_chat_and_the_places_in_all(shared_server: SharedServer) -> None:
    chats = [await shared_server.new_chat() for _ in range(3)]
    async with shared(shared_server, ",".join(f"{chat}:0" for chat in chats)) as stream:
        before = await until_ready(stream, 3)
        for chat in chats:
            await shared_server.api.prompt(chat, script(chunks(30, every_ms=1)))
        events = before + await read_turn_ends(stream, 3)
        for chat in chats:
            await shared_server.seen_all(chat)
        with anyio.fail_after(20):
            while any(reached(events, chat) < last(shared_server, chat) for chat in chats):
                events.append(await stream.next())
    so_far = dict.fromkeys(chats, 0)
    for event in events:
        if event.is_stored:
            so_far[event.data["chat"]] = event.seq
            assert event.id is not None
            assert places(event.id) == so_far
        else:
            assert event.id is None
    for chat in chats:
        judge(shared_server.server.database, chat, of_chat(events, chat), text=spoken_by(script(chunks(30))))


def last(shared_server: SharedServer, chat: str) -> int:
    return int(shared_server.sql("SELECT max(seq) FROM events WHERE chat_id = ?", chat)[0][0])


@pytest.mark.parametrize("asked", ["{0},{1},{2}", "{0}:0,{1}:0,{2}", "{0}:tail,{1}:0,{2}:0"])
async def test_cut_at_any_byte_it_goes_on_from_the_last_id_with_nothing_lost_or_doubled(
    shared_server: SharedServer, asked: str
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    luck = random.Random(seed)
    chats = [await shared_server.new_chat() for _ in range(3)]
    prompts = [script(chunks(150, every_ms=2)), script(text(40, 3000), ask(), say("!")), script(say("short"))]
    for chat, prompt in zip(chats, prompts, strict=True):
        await shared_server.api.prompt(chat, prompt)
    cuts = 0
    with anyio.fail_after(60):
        while cuts < 20:
            events, more = await read_with_cuts(shared_server, chats, asked.format(*chats), luck)
            check(shared_server, chats, prompts, events)
            cuts += more


async def read_with_cuts(
    shared_server: SharedServer, chats: list[str], where: str, luck: random.Random
) -> tuple[list[Event], int]:
    """All events until the end, and how often the connection was cut on the way."""
    events: list[Event] = []
    for cuts in range(1000):
        # Like a browser: the same address again, with the id of the last event that had one.
        seen = next((event.id for event in reversed(events) if event.id is not None), None)
        cut_after = int(luck.lognormvariate(9, 1.5)) + 1
        try:
            async with shared(shared_server, where, last_event_id=seen, cut_after=cut_after) as stream:
                while not is_complete(shared_server, chats, events):
                    events.append(await stream.next())
                    await answer_what_is_asked(shared_server, events[-1])
                return events, cuts
        except StreamEnded:
            continue
    raise AssertionError("it never came to an end")


async def answer_what_is_asked(shared_server: SharedServer, event: Event) -> None:
    """In a later round the question is already answered."""
    chat, asked = event.data.get("chat"), [event.data.get("id")] if event.kind == "question" else []
    if event.kind == "snapshot":
        chat, asked = event.data["chat_id"], event.data["chat"]["questions"]
    for question in asked:
        with suppress(ApiError):
            await shared_server.api.answer(chat, question, ALLOW)


def is_complete(shared_server: SharedServer, chats: list[str], events: list[Event]) -> bool:
    if not events or not (events[-1].is_stored or events[-1].kind == "snapshot"):
        return False
    # In this order, because the end of the last turn also writes its last events.
    open_turns = "SELECT count(*) FROM turns WHERE state IN ('queued', 'running') AND chat_id IN (?, ?, ?)"
    if shared_server.sql(open_turns, *chats) != [(0,)]:
        return False
    return all(reached(events, chat) == last(shared_server, chat) for chat in chats)


def reached(events: list[Event], chat: str) -> int:
    return max((event.seq for event in of_chat(events, chat) if event.kind != "ready"), default=0)


def check(shared_server: SharedServer, chats: list[str], prompts: list[str], events: list[Event]) -> None:
    for chat, prompt in zip(chats, prompts, strict=True):
        mine = of_chat(events, chat)
        judge(shared_server.server.database, chat, mine, text=spoken_by(prompt, answers=[ALLOW]))
        assert "".join(Page().take(mine).texts.values()) == spoken_by(prompt, answers=[ALLOW])


async def test_a_chat_whose_beginning_was_never_received_is_not_forgotten(
    shared_server: SharedServer,
) -> None:
    """Cut after the first chat's snapshot, the last id names only that one."""
    one, two = await shared_server.new_chat(), await shared_server.new_chat()
    async with shared(shared_server, f"{one},{two}") as stream:
        first = (await stream.read_until("snapshot"))[-1]
        assert first.id is not None
    async with shared(shared_server, f"{one},{two}", last_event_id=f"{one}:{first.seq}") as stream:
        events = await until_ready(stream, 2)
        assert [event.data["chat_id"] for event in events if event.kind == "snapshot"] == [two]
        await shared_server.api.prompt(two, script(say("heard")))
        await stream.read_until(lambda event: event.data.get("content") == "heard")


async def test_a_chat_is_added_by_opening_the_new_stream_before_closing_the_old(
    shared_server: SharedServer,
) -> None:
    one, two = await shared_server.new_chat(), await shared_server.new_chat()
    async with shared(shared_server, f"{one}:0") as old:
        events = await until_ready(old, 1)
        await shared_server.api.prompt(one, script(chunks(200, every_ms=2)))
        events += await old.read_until("text-delta")
        place = places(events[-1].id or "")[one]
        async with shared(shared_server, f"{one}:{place},{two}") as new:
            await old.cut()
            events += await until_ready(new, 2)
            await shared_server.api.prompt(two, script(say("two")))
            events += await read_turn_ends(new, 2)
            await shared_server.seen_all(one)
            with anyio.fail_after(20):
                while reached(events, one) < last(shared_server, one):
                    events.append(await new.next())
    judge(shared_server.server.database, one, of_chat(events, one), text=spoken_by(script(chunks(200))))
    assert "text-delta" in kinds(of_chat(events, two))


async def test_news_of_the_list_come_without_asking_for_any_chat(shared_server: SharedServer) -> None:
    async with shared(shared_server, "") as stream:
        await stream.read_until("chats")
        chat = await shared_server.new_chat()
        made = (await stream.read_until("chat-changed"))[-1]
        assert (made.data["id"], made.id) == (chat, None)
        await shared_server.api.change_chat(chat, title="A new name")
        await stream.read_until(lambda event: event.data.get("title") == "A new name")
        await shared_server.api.prompt(chat, script(ask(), silent()))
        asked = (await stream.read_until(lambda event: event.data.get("needs_you") == 1))[-1]
        assert asked.data["status"] == "needs-you"
        question = shared_server.sql("SELECT id FROM questions WHERE chat_id = ?", chat)[0][0]
        await shared_server.api.answer(chat, question, ALLOW)
        await stream.read_until(lambda event: event.data.get("status") == "working")
        await shared_server.api.cancel(chat)
        await stream.read_until(lambda event: event.data.get("status") == "ready")
        await shared_server.api.delete_chat(chat)
        gone = (await stream.read_until("chat-removed"))[-1]
        assert (gone.data, gone.id) == ({"chat": chat}, None)
        assert "text-delta" not in kinds(stream.received)


async def test_a_chat_that_goes_takes_nothing_else_with_it(shared_server: SharedServer) -> None:
    stays, goes = await shared_server.new_chat(), await shared_server.new_chat()
    async with shared(shared_server, f"{stays}:0,{goes}:0,abcdef:3") as stream:
        events = await until_ready(stream, 2)
        assert [event.data for event in events if event.kind == "chat-removed"] == [{"chat": "abcdef"}]
        await shared_server.api.delete_chat(goes)
        await stream.read_until("chat-removed")
        await shared_server.api.prompt(stays, script(say("still here")))
        events = await stream.read_until("turn-ended")
        assert set(places(events[-1].id or "")) == {stays}


async def test_two_hundred_chats_and_no_more(shared_server: SharedServer) -> None:
    known = await shared_server.new_chat()
    many = [known, *(f"{number:x}" for number in range(0xF000, 0xF000 + 199))]
    async with shared(shared_server, ",".join(f"{chat}:0" for chat in many)) as stream:
        await until_ready(stream, 1)
        assert kinds(stream.received).count("chat-removed") == 199
    reply = await shared_server.ask("GET /api/stream?chats=" + ",".join([*many, "f"]), shared_server.bearer)
    assert reply.status == 422


async def test_a_damaged_chat_says_so_and_takes_no_other_with_it(shared_server: SharedServer) -> None:
    stays = await shared_server.new_chat()
    copied = "title, workspace, mode, agent, policy, created_at, updated_at, last_seq, crashes, directories"
    with closing(sqlite3.connect(shared_server.server.database, timeout=10)) as db, db:
        for damaged in ("dead01", "dead02"):
            db.execute(
                f"INSERT INTO chats (id, {copied}) SELECT ?, {copied} FROM chats WHERE id = ?",
                (damaged, stays),
            )
        db.execute("UPDATE chats SET crashes = '{' WHERE id = 'dead01'")
        db.execute("UPDATE chats SET last_seq = 3 WHERE id = 'dead02'")
        for seq, kind, body in ((1, "text-delta", '{"seq":1'), (2, "notice", "[]"), (3, "text-delta", "{}")):
            db.execute(
                "INSERT INTO events (chat_id, seq, kind, body, at) VALUES ('dead02', ?, ?, ?, 1.0)",
                (seq, kind, body.encode()),
            )
    async with shared(shared_server, f"dead01,dead02:0,{stays}:0") as stream:
        events = await until_ready(stream, 2)
        told = next(event for event in events if event.kind == "snapshot")
        assert told.data["chat_id"] == "dead01"
        assert [block["code"] for block in told.data["blocks"]] == ["chat-unreadable"]
        assert kinds(of_chat(events, "dead02")) == ["unknown"] * 3 + ["ready"]
        await shared_server.api.prompt(stays, script(say("still here")))
        await stream.read_until("turn-ended")
    async with shared(shared_server, "dead02") as stream:
        shown = (await stream.read_until("snapshot"))[-1]
        assert [block["kind"] for block in shown.data["blocks"]] == ["unknown"] * 3
    with closing(sqlite3.connect(shared_server.server.database, timeout=10)) as db, db:
        db.execute("DELETE FROM chats WHERE id = 'dead01'")
