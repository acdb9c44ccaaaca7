"""A stream read in short polls, for readers behind a proxy that holds streams back."""

from __future__ import annotations

import time

import anyio

from tests.fakes.script import chunks, say, script, spoken_by
from tests.kit.clients.sse import Event, connect, kinds
from tests.kit.servers.shared_server import SharedServer


async def poll(shared_server: SharedServer, chats: str, seconds: float) -> tuple[list[Event], float]:
    """The events of one request, and how long it took."""
    started = time.monotonic()
    path = f"/api/stream?chats={chats}&poll={seconds}"
    with anyio.fail_after(20):
        async with connect(shared_server.server.url, path, shared_server.server.token) as stream:
            events = [event async for event in stream]
    return events, time.monotonic() - started


async def test_it_ends_at_once_with_what_there_is(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    events, seconds = await poll(shared_server, chat, 15)
    assert kinds(events)[:2] == ["chats", "snapshot"]
    assert seconds < 10
    await shared_server.api.prompt(chat, script(say("hello")))
    events, seconds = await poll(shared_server, f"{chat}:{events[1].data['seq']}", 15)
    assert any(event.is_stored for event in events)
    assert seconds < 10


async def test_without_news_it_ends_in_time(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    events, _ = await poll(shared_server, chat, 0)
    seq = events[1].data["seq"]
    while True:
        events, seconds = await poll(shared_server, f"{chat}:{seq}", 0.5)
        if "chat-changed" not in kinds(events):  # the new chat is also reported
            break
    assert not [event for event in events if event.is_stored]
    assert seconds >= 0.5


async def test_many_sips_are_the_whole_stream(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    prompt = script(chunks(100, 10))
    await shared_server.api.prompt(chat, prompt)
    said, seq, has_ended = "", 0, False
    while not has_ended:
        events, _ = await poll(shared_server, f"{chat}:{seq}", 2)
        for event in [event for event in events if event.is_stored]:
            assert event.first_seq == seq + 1
            seq = event.seq
            said += event.data["content"] if event.kind == "text-delta" else ""
            has_ended = has_ended or event.kind == "turn-ended"
    assert said == spoken_by(prompt)
