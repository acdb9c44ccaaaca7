"""Many chats on one connection: places as a vector, the list of chats, coming back, adding a chat."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import pytest

from tests.fakes.script import ALLOW, ask, chunks, say, script, silent, spoken_by, text
from tests.kit.client import ApiError
from tests.kit.oracle import judge
from tests.kit.sse import Event, EventStream, StreamEnded, connect, kinds
from tests.web.house import House
from tests.web.page import Page


@asynccontextmanager
async def shared(house: House, chats: str, **more: Any) -> AsyncIterator[EventStream]:
    async with connect(house.server.url, f"/api/stream?chats={chats}", house.server.token, **more) as stream:
        yield stream


async def until_ready(stream: EventStream, count: int) -> list[Event]:
    events: list[Event] = []
    while kinds(events).count("ready") < count:
        events += await stream.read_until("ready", within=20)
    return events


async def read_turn_ends(stream: EventStream, count: int) -> list[Event]:
    """Until so many turns have ended and the last word of each agent has come."""
    events: list[Event] = []
    with anyio.fail_after(30):
        while kinds(events).count("turn-ended") < count:
            events.append(await stream.next())
    return events


def of_chat(events: list[Event], chat: str) -> list[Event]:
    """What a stream of this chat alone would have carried."""
    found = []
    for event in events:
        name = "chat_id" if event.kind == "snapshot" else "chat"
        if event.kind in ("chats", "chat-changed", "chat-removed", "ping") or event.data.get(name) != chat:
            continue
        found.append(Event(event.kind, None, {key: event.data[key] for key in event.data if key != name}))
    return found


def places(id: str) -> dict[str, int]:
    return {chat: int(place) for chat, _, place in (part.partition(":") for part in id.split(","))}


async def test_the_list_then_a_snapshot_of_each_chat_then_ready_of_each(house: House) -> None:
    one, two = await house.new_chat(), await house.new_chat()
    async with shared(house, f"{one},{two}:0") as stream:
        events = await until_ready(stream, 2)
        assert events[0].kind == "chats"
        assert events[0].id is None
        listed = {chat["id"]: chat for chat in events[0].data["chats"]}
        assert {one, two} <= set(listed)
        assert listed[one] == await house.api.chat(one)
        assert [event.data["chat_id"] for event in events if event.kind == "snapshot"] == [one]
        assert [event.kind for event in of_chat(events, two)] == ["chat-info", "ready"]
        assert [event.data["chat"] for event in events if event.kind == "ready"] == [one, two]


async def test_each_event_carries_its_chat_and_the_places_in_all(house: House) -> None:
    chats = [await house.new_chat() for _ in range(3)]
    async with shared(house, ",".join(f"{chat}:0" for chat in chats)) as stream:
        before = await until_ready(stream, 3)
        for chat in chats:
            await house.api.prompt(chat, script(chunks(30, every_ms=1)))
        events = before + await read_turn_ends(stream, 3)
        for chat in chats:
            await house.seen_all(chat)
        with anyio.fail_after(20):
            while any(reached(events, chat) < last(house, chat) for chat in chats):
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
        judge(house.server.database, chat, of_chat(events, chat), text=spoken_by(script(chunks(30))))


def last(house: House, chat: str) -> int:
    return int(house.sql("SELECT max(seq) FROM events WHERE chat_id = ?", chat)[0][0])


@pytest.mark.parametrize("asked", ["{0},{1},{2}", "{0}:0,{1}:0,{2}", "{0}:tail,{1}:0,{2}:0"])
async def test_cut_at_any_byte_it_goes_on_from_the_last_id_with_nothing_lost_or_doubled(
    house: House, asked: str
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    luck = random.Random(seed)
    chats = [await house.new_chat() for _ in range(3)]
    prompts = [script(chunks(150, every_ms=2)), script(text(40, 3000), ask(), say("!")), script(say("short"))]
    for chat, prompt in zip(chats, prompts, strict=True):
        await house.api.prompt(chat, prompt)
    cuts = 0
    with anyio.fail_after(60):
        while cuts < 20:
            events, more = await read_with_cuts(house, chats, asked.format(*chats), luck)
            check(house, chats, prompts, events)
            cuts += more


async def read_with_cuts(
    house: House, chats: list[str], where: str, luck: random.Random
) -> tuple[list[Event], int]:
    """Everything there is and will be, and how often the connection was cut on the way."""
    events: list[Event] = []
    for cuts in range(1000):
        # As a browser does: the same address again, and the id of the last event that had one.
        seen = next((event.id for event in reversed(events) if event.id is not None), None)
        cut_after = int(luck.lognormvariate(9, 1.5)) + 1
        try:
            async with shared(house, where, last_event_id=seen, cut_after=cut_after) as stream:
                while not is_complete(house, chats, events):
                    events.append(await stream.next())
                    await answer_what_is_asked(house, events[-1])
                return events, cuts
        except StreamEnded:
            continue
    raise AssertionError("it never came to an end")


async def answer_what_is_asked(house: House, event: Event) -> None:
    """In a later round the question was answered long ago."""
    chat, asked = event.data.get("chat"), [event.data.get("id")] if event.kind == "question" else []
    if event.kind == "snapshot":
        chat, asked = event.data["chat_id"], event.data["chat"]["questions"]
    for question in asked:
        with suppress(ApiError):
            await house.api.answer(chat, question, ALLOW)


def is_complete(house: House, chats: list[str], events: list[Event]) -> bool:
    if not events or not (events[-1].is_stored or events[-1].kind == "snapshot"):
        return False
    # In this order: what ends the last turn also writes its last events.
    open_turns = "SELECT count(*) FROM turns WHERE state IN ('queued', 'running') AND chat_id IN (?, ?, ?)"
    if house.sql(open_turns, *chats) != [(0,)]:
        return False
    return all(reached(events, chat) == last(house, chat) for chat in chats)


def reached(events: list[Event], chat: str) -> int:
    return max((event.seq for event in of_chat(events, chat) if event.kind != "ready"), default=0)


def check(house: House, chats: list[str], prompts: list[str], events: list[Event]) -> None:
    for chat, prompt in zip(chats, prompts, strict=True):
        mine = of_chat(events, chat)
        judge(house.server.database, chat, mine, text=spoken_by(prompt, answers=[ALLOW]))
        assert "".join(Page().take(mine).texts.values()) == spoken_by(prompt, answers=[ALLOW])


async def test_a_chat_whose_beginning_was_never_received_is_not_forgotten(house: House) -> None:
    """Cut after the first chat's snapshot, the last id names only that one."""
    one, two = await house.new_chat(), await house.new_chat()
    async with shared(house, f"{one},{two}") as stream:
        first = (await stream.read_until("snapshot"))[-1]
        assert first.id is not None
    async with shared(house, f"{one},{two}", last_event_id=f"{one}:{first.seq}") as stream:
        events = await until_ready(stream, 2)
        assert [event.data["chat_id"] for event in events if event.kind == "snapshot"] == [two]
        await house.api.prompt(two, script(say("heard")))
        await stream.read_until(lambda event: event.data.get("content") == "heard")


async def test_a_chat_is_added_by_opening_the_new_stream_before_closing_the_old(house: House) -> None:
    one, two = await house.new_chat(), await house.new_chat()
    async with shared(house, f"{one}:0") as old:
        events = await until_ready(old, 1)
        await house.api.prompt(one, script(chunks(200, every_ms=2)))
        events += await old.read_until("text-delta")
        place = places(events[-1].id or "")[one]
        async with shared(house, f"{one}:{place},{two}") as new:
            await old.cut()
            events += await until_ready(new, 2)
            await house.api.prompt(two, script(say("two")))
            events += await read_turn_ends(new, 2)
            await house.seen_all(one)
            with anyio.fail_after(20):
                while reached(events, one) < last(house, one):
                    events.append(await new.next())
    judge(house.server.database, one, of_chat(events, one), text=spoken_by(script(chunks(200))))
    assert "text-delta" in kinds(of_chat(events, two))


async def test_news_of_the_list_come_without_asking_for_any_chat(house: House) -> None:
    async with shared(house, "") as stream:
        await stream.read_until("chats")
        chat = await house.new_chat()
        made = (await stream.read_until("chat-changed"))[-1]
        assert (made.data["id"], made.id) == (chat, None)
        await house.api.change_chat(chat, title="A new name")
        await stream.read_until(lambda event: event.data.get("title") == "A new name")
        await house.api.prompt(chat, script(ask(), silent()))
        asked = (await stream.read_until(lambda event: event.data.get("needs_you") == 1))[-1]
        assert asked.data["status"] == "needs-you"
        question = house.sql("SELECT id FROM questions WHERE chat_id = ?", chat)[0][0]
        await house.api.answer(chat, question, ALLOW)
        await stream.read_until(lambda event: event.data.get("status") == "working")
        await house.api.cancel(chat)
        await stream.read_until(lambda event: event.data.get("status") == "ready")
        await house.api.delete_chat(chat)
        gone = (await stream.read_until("chat-removed"))[-1]
        assert (gone.data, gone.id) == ({"chat": chat}, None)
        assert "text-delta" not in kinds(stream.received)


async def test_a_chat_that_goes_takes_nothing_else_with_it(house: House) -> None:
    stays, goes = await house.new_chat(), await house.new_chat()
    async with shared(house, f"{stays}:0,{goes}:0,abcdef:3") as stream:
        events = await until_ready(stream, 2)
        assert [event.data for event in events if event.kind == "chat-removed"] == [{"chat": "abcdef"}]
        await house.api.delete_chat(goes)
        await stream.read_until("chat-removed")
        await house.api.prompt(stays, script(say("still here")))
        events = await stream.read_until("turn-ended")
        assert set(places(events[-1].id or "")) == {stays}


async def test_two_hundred_chats_and_no_more(house: House) -> None:
    known = await house.new_chat()
    many = [known, *(f"{number:x}" for number in range(0xF000, 0xF000 + 199))]
    async with shared(house, ",".join(f"{chat}:0" for chat in many)) as stream:
        await until_ready(stream, 1)
        assert kinds(stream.received).count("chat-removed") == 199
    reply = await house.ask("GET /api/stream?chats=" + ",".join([*many, "f"]), house.bearer)
    assert reply.status == 422
