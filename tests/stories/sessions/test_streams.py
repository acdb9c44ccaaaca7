"""However often and wherever a connection breaks, everyone sees everything once (K2; F63, F64, F65)."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import anyio
import pytest

from tests.fakes.script import (
    ALLOW,
    ask,
    chunks,
    plan,
    say,
    script,
    spoken_by,
    text,
    think,
    tool,
    tool_update,
)
from tests.kit.clients.client import Api
from tests.kit.clients.proxy import Proxy
from tests.kit.clients.sse import Event, EventStream, Viewer, connect
from tests.kit.oracles.oracle import check_received, judge, spoken, stored
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from tests.web.page import Page
from tests.web.streams.reader import Reader, fold_of, luck_of_today

READERS = 10
CUTS = 10_000 if os.environ.get("VOXPILOT_NIGHTLY") else 1_000
LONG = script(
    text(200, 4000),
    think("so far"),
    tool("t1", "edit", "Edit a file"),
    chunks(1600, every_ms=3),
    ask("t1", "May I?"),
    text(200, 4000),
    tool_update("t1", "completed"),
    plan("one", "two"),
    chunks(1600, every_ms=3),
    say("end"),
)


@pytest.mark.timeout(1200 if os.environ.get("VOXPILOT_NIGHTLY") else 120)
async def test_a_thousand_cuts_lose_nothing_and_repeat_nothing(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    luck = luck_of_today()
    chat = (await api.create_chat(workspace))["id"]
    readers = [Reader(server, chat, random.Random(luck.random())) for _ in range(READERS)]
    started = time.monotonic()
    async with anyio.create_task_group() as tasks, Viewer(server.url, server.token, chat) as person:
        await api.prompt(chat, LONG)
        for reader in readers:
            tasks.start_soon(reader.read, CUTS // READERS)
        question = (await person.read_until("question", within=60))[-1]
        await api.answer(chat, question.data["id"], ALLOW)
        await person.read_turns(within=60)
        live = sum(reader.cuts for reader in readers)
    seconds = time.monotonic() - started
    said = spoken_by(LONG, answers=[ALLOW])
    rows = judge(server.database, chat, text=said)
    readings = [reading for reader in readers for reading in reader.readings]
    for reading in readings:
        check_received(reading.events, rows, complete=reading.is_whole)
        page = Page().take(reading.events)
        if reading.shows_all and reading.events:
            assert page == fold_of(rows, page.seq)
        if reading.tail is None and reading.is_whole:
            assert spoken(reading.events) == said
    cuts = sum(reader.cuts for reader in readers)
    events = [event for reading in readings for event in reading.events]
    joined = sum(event.is_stored and event.first_seq < event.seq for event in events)
    snapshots = sum(event.kind == "snapshot" for event in events)
    print(
        f"{cuts} cuts in {seconds:.0f} s, {live} of them while the agent spoke; {len(rows)} events were read"
    )
    print(f"{len(readings)} times, {snapshots} times from a snapshot, with {joined} joined deltas")
    assert cuts >= CUTS
    assert joined > 0
    assert snapshots > 0


async def test_twenty_refreshes_at_any_moment_show_what_there_is(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    """F63: each time a new page, from a snapshot; each time it is the fold of the log up to there."""
    luck = luck_of_today()
    chat = (await api.create_chat(workspace))["id"]
    shown: list[Page] = []
    async with Viewer(server.url, server.token, chat) as person:
        await api.prompt(
            chat, script(chunks(1200, every_ms=2), tool("t1"), ask("t1"), chunks(300, every_ms=2))
        )
        await person.read_until("text-delta", within=30)
        while len(shown) < 20:
            path = f"/api/chats/{chat}/stream?tail=1000"
            async with connect(server.url, path, server.token) as stream:
                shown.append(Page().take(await read_some(stream, luck.randrange(60))))
            if len(shown) == 10:
                question = (await person.read_until("question", within=30))[-1]
                await api.answer(chat, question.data["id"], ALLOW)
        await person.read_turns(within=30)
    rows = judge(server.database, chat, person.events, complete=False)
    for page in shown:
        assert page == fold_of(rows, page.seq)
    assert len({page.seq for page in shown}) > 10


async def read_some(stream: EventStream, count: int) -> list[Event]:
    """The snapshot, and this many events after it if they arrive soon."""
    await stream.read_until("snapshot")
    with anyio.move_on_after(0.1):
        for _ in range(count):
            await stream.next()
    return stream.received


async def test_twenty_cuts_of_a_bad_network_go_unnoticed_but_for_the_time(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    """F64: closed normally and reset, live and while catching up."""
    luck = luck_of_today()
    chat = (await api.create_chat(workspace))["id"]
    prompt = script(chunks(1500, every_ms=2), ask(), text(200, 2000))
    async with Proxy(server.port) as network:
        viewers = [Viewer(network.url, server.token, chat), Viewer(network.url, server.token, chat, tail=20)]
        async with viewers[0], viewers[1], Viewer(server.url, server.token, chat) as person:
            await until(lambda: all(viewer.connections for viewer in viewers))
            await api.prompt(chat, prompt)
            for number in range(20):
                await until(lambda: all(viewer.connections > number for viewer in viewers))  # noqa: B023
                await anyio.sleep(luck.uniform(0, 0.1))
                network.reset() if number % 2 else network.drop()
            question = (await person.read_until("question", within=30))[-1]
            network.refuses = True
            network.drop()
            await api.answer(chat, question.data["id"], ALLOW)
            await person.read_turns(within=30)
            network.refuses = False
            last = stored(server.database, chat)[-1].seq
            await until(lambda: all(viewer.last_seq == last for viewer in viewers), 20)
    assert all(viewer.connections > 20 for viewer in viewers)
    said = spoken_by(prompt, answers=[ALLOW])
    judge(server.database, chat, *(viewer.events for viewer in viewers), text=said)


async def test_a_half_open_connection_holds_nobody_up_and_loses_nothing(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    """F65: nothing passes and nobody is told; the others continue, and so does this one when it can."""
    chat = (await api.create_chat(workspace))["id"]
    prompt = script(text(400, 10_000), say("end"))
    async with Proxy(server.port) as network:
        async with (
            Viewer(network.url, server.token, chat) as cut_off,
            Viewer(server.url, server.token, chat) as other,
        ):
            await cut_off.read_until("ready")
            await other.read_until("ready")
            network.pause()
            await api.prompt(chat, prompt)
            await other.read_turns(within=30)
            assert len([event for event in cut_off.events if event.is_stored]) == 1
            network.resume()
            await cut_off.read_turns(within=30)
            last = stored(server.database, chat)[-1].seq
            await until(lambda: cut_off.last_seq == other.last_seq == last, 10)
            assert cut_off.connections == 1
    judge(server.database, chat, cut_off.events, other.events, text=spoken_by(prompt))
