"""A stream of one chat: history, `ready`, live events; the same result from any position, in any form."""

from __future__ import annotations

from pathlib import Path

import anyio

from tests.conftest import StartServer
from tests.fakes.script import (
    chunks,
    flood,
    plan,
    say,
    script,
    spoken_by,
    text,
    think,
    tool,
    tool_update,
    update,
)
from tests.kit.clients.client import Api
from tests.kit.clients.sse import Viewer, connect, kinds
from tests.kit.machine.processes import is_alive
from tests.kit.oracles.oracle import check_received, judge, stored
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.shared_server import SharedServer
from tests.kit.waiting import until

SLACK = 5


async def test_the_past_then_ready_then_what_happens(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    await shared_server.talk(chat, script(say("before")))
    before = stored(shared_server.server.database, chat)
    async with connect(
        shared_server.server.url, f"/api/chats/{chat}/stream", shared_server.server.token
    ) as stream:
        past = await stream.read_until("ready")
        assert [event.seq for event in past[:-1]] == [row.seq for row in before]
        ready = past[-1]
        assert ready.id is None
        version = (await shared_server.api.health())["version"]
        assert ready.data == {"chat": chat, "version": version, "history": ready.data["history"]}
        await shared_server.api.prompt(chat, script(say("after")))
        live = await stream.read_until("turn-ended")
        assert "ready" not in kinds(live)
        assert live[0].seq == before[-1].seq + 1
    check_received(past + live, stored(shared_server.server.database, chat))


async def test_every_event_says_its_number_as_its_id_and_when_it_was(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    await shared_server.talk(chat, script(say("a"), plan("b"), tool("c")))
    for event in (await shared_server.read_past(chat))[:-1]:
        assert event.id == str(event.seq)
        assert event.data["at"] > 1_700_000_000
        if event.kind in ("text-delta", "plan", "tool-call", "turn-started", "turn-ended"):
            assert event.data["turn"]


async def test_a_browser_is_told_to_come_back_soon(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    for path in (f"/api/chats/{chat}/stream", "/api/stream"):
        head = "\r\n".join(
            [f"GET {path} HTTP/1.1", f"Host: {shared_server.host}", "{}: {}".format(*shared_server.bearer)]
        )
        async with await anyio.connect_tcp("127.0.0.1", shared_server.server.port) as connection:
            await connection.send(f"{head}\r\n\r\n".encode())
            received = b""
            with anyio.fail_after(10):
                while b"\nevent:" not in received:
                    received += await connection.receive()
        retry = received.partition(b"retry: ")[2].partition(b"\n")[0]
        assert 0 < int(retry) <= 1000


async def test_a_reader_may_begin_anywhere_also_inside_a_run_of_deltas(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    await shared_server.talk(chat, script(chunks(60, every_ms=2), think("x"), chunks(60, every_ms=2)))
    rows = stored(shared_server.server.database, chat)
    # Events read from the log are joined; a new server has nothing else to read from.
    await shared_server.server.restart()
    everything = await shared_server.read_past(chat)
    joined = [event for event in everything if event.is_stored and event.first_seq < event.seq]
    assert joined
    assert all(event.kind == "text-delta" for event in joined)
    assert len(everything) < len(rows)
    check_received(everything, rows, complete=True)
    places = [*range(0, len(rows) + 1, 3), len(rows)]
    for place in places:
        for where in ({"after": place}, {"last_event_id": place}, {"last_event_id": place, "after": 7}):
            events = await shared_server.read_past(chat, **where)
            check_received(events, rows, after=place, complete=True)
    # Live again, events that were already sent are not joined.
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(say("more")))
        await shared_server.seen_all(chat, viewer)
        judge(shared_server.server.database, chat, viewer.events)


async def test_a_number_not_reached_yet_is_of_another_history_and_starts_over(
    shared_server: SharedServer,
) -> None:
    """B8: a page that was open while a backup was restored."""
    chat = await shared_server.new_chat()
    async with connect(
        shared_server.server.url, f"/api/chats/{chat}/stream", shared_server.server.token, after=3
    ) as stream:
        snapshot, ready = await stream.read_until("ready")
        assert (snapshot.kind, ready.kind) == ("snapshot", "ready")
        await shared_server.api.prompt(chat, script(say("a")))
        events = await stream.read_until("turn-ended")
        assert events[0].seq == snapshot.data["seq"] + 1


async def test_a_large_body_streams_as_a_preview_and_can_be_had_whole(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    content = [{"type": "content", "content": {"type": "text", "text": "ä€𝄞\n" * 50_000}}]
    call = {"sessionUpdate": "tool_call", "toolCallId": "big", "title": "Big", "content": content}
    await shared_server.talk(chat, script(update(call), tool_update("big", "completed")))
    shown = next(event for event in await shared_server.read_past(chat) if event.kind == "tool-call")
    assert shown.data["cut"] is True
    assert shown.data["title"] == "Big"
    whole = await shared_server.api.event(chat, shown.seq)
    assert whole["content"] == content
    assert shown.data["size"] > 64_000
    assert "cut" not in whole
    assert {name: whole[name] for name in ("seq", "at", "turn", "id")} == {
        name: shown.data[name] for name in ("seq", "at", "turn", "id")
    }
    small = await shared_server.api.event(chat, 1)
    assert small == stored(shared_server.server.database, chat)[0].data


async def test_text_is_never_cut(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    long = "ä€𝄞 text " * 30_000
    prompt = script(say(long), text(5, 20_000))
    await shared_server.talk(chat, prompt)
    events = await shared_server.read_past(chat)
    rows = judge(shared_server.server.database, chat, events, text=spoken_by(prompt))
    deltas = [row for row in rows if row.kind == "text-delta"]
    assert len(deltas) > 15
    assert not any("cut" in row.data for row in deltas)
    blocks = (await shared_server.read_past(chat, tail=10))[0].data["blocks"]
    assert [block["text"] for block in blocks if block["kind"] == "text"] == [spoken_by(prompt)]


async def test_a_large_past_comes_without_a_pause(shared_server: SharedServer) -> None:
    """Wherever its pieces happen to end, the next one follows immediately."""
    chat = await shared_server.new_chat()
    await shared_server.talk(chat, script(text(150, 10_000)))
    rows = stored(shared_server.server.database, chat)
    for place in range(0, 60, 3):
        past = await shared_server.read_past(chat, after=place)
        assert "ping" not in kinds(past)
        check_received(past, rows, after=place, complete=True)


async def test_ready_comes_also_while_an_agent_never_stops_talking(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(flood(50_000)))
        await viewer.read_until("text-delta")
        seen = []
        while not any(event.kind == "turn-ended" for event in viewer.events):
            seen.append(kinds(await shared_server.read_past(chat)))
        await shared_server.seen_all(chat, viewer)
    assert len(seen) > 3
    assert sum("turn-ended" not in past for past in seen) > len(seen) / 2


async def test_ten_thousand_missed_events_are_caught_up_in_two_seconds(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    lines = [say(f"{number}") if number % 2 else think(f"{number}") for number in range(10_000)]
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(*lines))
        await shared_server.seen_all(chat, viewer, within=60)
    late = Viewer(shared_server.server.url, shared_server.server.token, chat)
    async with late:
        seconds = await until(lambda: late.last_seq >= viewer.last_seq, 2 * SLACK)
    rows = judge(shared_server.server.database, chat, late.events)
    assert len(rows) > 10_000
    print(f"caught up {len(rows)} events in {seconds:.2f} s")


async def test_the_connection_of_a_reader_that_leaves_is_closed(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    sockets = Path(f"/proc/{shared_server.server.pid}/fd")
    before = len(list(sockets.iterdir()))
    for _ in range(30):
        async with connect(
            shared_server.server.url, f"/api/chats/{chat}/stream", shared_server.server.token
        ) as stream:
            await stream.read_until("ready")
    await until(lambda: len(list(sockets.iterdir())) <= before + 3, why="connections are left open")


async def test_a_reader_that_leaves_is_forgotten(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """C4: an agent is kept while somebody is watching, and not for people who have left."""
    server = await start_server(env={"VOXPILOT_COPILOT_CONNECTION_TTL": "0.3"})
    async with Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace))["id"]
        async with Viewer(server.url, server.token, chat) as viewer:
            for _ in range(10):
                async with connect(server.url, f"/api/chats/{chat}/stream", server.token) as stream:
                    await stream.read_until("ready")
            await api.prompt(chat, script(say("x")))
            await viewer.read_turns(1)
            await anyio.sleep(1.5)
            [agent] = agent_log.starts()
            assert is_alive(agent)
        await until(lambda: not is_alive(agent), 20)


async def test_deleting_a_chat_ends_its_streams(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await viewer.read_until("ready")
        await shared_server.api.delete_chat(chat)
        await until(lambda: viewer.refused is not None)
        assert viewer.refused is not None
        assert viewer.refused.status == 404
