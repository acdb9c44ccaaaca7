"""A chat opened at its end shows the same as reading all events (design: snapshot = fold of the events)."""

from __future__ import annotations

import anyio

from tests.fakes.script import ALLOW, ask, chunks, plan, say, script, think, tool, tool_update, wait_file
from tests.kit.clients.sse import Viewer
from tests.kit.oracles.oracle import judge
from tests.kit.servers.shared_server import ON, SharedServer
from tests.web.page import Page
from voxpilot.chat.blocks import KEPT_BLOCKS

RICH = script(
    say("one "),
    think("hmm"),
    tool("t1", "edit", "Edit"),
    tool_update("t1", "in_progress", "half"),
    chunks(40, every_ms=3),
    ask("t1", "May I?"),
    tool_update("t1", "completed", "done"),
    plan("x", "y"),
    tool("t2", "read", "Read"),
    chunks(40, every_ms=3),
    tool("t3", "read", "Left open"),
)


async def test_a_snapshot_and_what_follows_is_the_same_as_everything(shared_server: SharedServer) -> None:
    """Readers connect all the time; each starts with a snapshot of that moment."""
    chat = await shared_server.new_chat()
    await shared_server.talk(chat, script(say("earlier"), tool("t0", "read", "Earlier")))
    viewers: list[Viewer] = []
    async with anyio.create_task_group() as tasks:

        async def stay(viewer: Viewer, done: anyio.Event) -> None:
            async with viewer:
                await done.wait()

        done = anyio.Event()
        first = Viewer(shared_server.server.url, shared_server.server.token, chat)
        tasks.start_soon(stay, first, done)
        await shared_server.api.prompt(chat, RICH)
        waiting = await shared_server.api.prompt(chat, script(say("second")))
        await shared_server.api.edit_queued(chat, waiting["message_id"], script(say("changed")))
        while not any(event.kind == "question" for event in first.events):
            viewers.append(Viewer(shared_server.server.url, shared_server.server.token, chat, tail=1000))
            tasks.start_soon(stay, viewers[-1], done)
            await anyio.sleep(0.02)
        await shared_server.api.answer(chat, first.events[-1].data["id"], ALLOW)
        while len(Page().take(first.events).ends) < 3:
            viewers.append(Viewer(shared_server.server.url, shared_server.server.token, chat, tail=1000))
            tasks.start_soon(stay, viewers[-1], done)
            await anyio.sleep(0.02)
        await shared_server.seen_all(chat, first, *viewers)
        done.set()
    whole = Page().take(first.events)
    assert len(viewers) > 8
    assert len({viewer.events[0].seq for viewer in viewers}) > 5, "all came at one moment"
    assert whole.running is None
    assert whole.tools["t3"]["status"] == "cancelled"
    judge(shared_server.server.database, chat, first.events, *(viewer.events for viewer in viewers))
    for viewer in viewers:
        assert viewer.events[0].kind == "snapshot"
        assert Page().take(viewer.events) == whole
    assert Page().take(await shared_server.read_past(chat, tail=1000)) == whole
    await shared_server.server.restart()
    assert Page().take(await shared_server.read_past(chat, tail=1000)) == whole


async def test_older_blocks_paged_upward_make_up_the_whole(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    for number in range(4):
        await shared_server.talk(chat, script(say(f"{number}"), tool(f"t{number}"), think("x"), say("end")))
    everything = (await shared_server.read_past(chat, tail=1000))[0].data["blocks"]
    last_turn = sum(block.get("turn") == everything[-1]["turn"] for block in everything)
    assert len(everything) >= 20
    for tail, limit in ((0, 1), (1, 3), (5, 7), (len(everything), 50)):
        newest = (await shared_server.read_past(chat, tail=tail))[0].data
        assert len(newest["blocks"]) == (max(tail, last_turn) if tail else 0)
        assert newest["has_older"] == (len(newest["blocks"]) < len(everything))
        blocks = newest["blocks"]
        while True:
            before = {"before": blocks[0]["pos"]} if blocks else {}
            path = f"/api/chats/{chat}/blocks"
            older = (await shared_server.api.call("GET", path, query={"limit": limit, **before}))["blocks"]
            assert len(older) <= limit
            if not older:
                break
            blocks = older + blocks
        assert blocks == everything
        page, whole = Page().begin(newest["chat"], blocks), Page().take(await shared_server.read_past(chat))
        assert page == whole


async def test_blocks_of_a_turn_that_still_runs_can_be_paged_too(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    await shared_server.talk(chat, script(say("a"), tool("t1")))
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(say("b"), tool("t2"), say("c"), wait_file(ON), say("d")))
        await viewer.read_until(lambda event: event.data.get("content") == "c")
        blocks = (await shared_server.api.blocks(chat))["blocks"]
        head = (await shared_server.read_past(chat, tail=1000))[0].data
        assert blocks == head["blocks"]
        assert Page().begin(head["chat"], blocks) == Page().take(viewer.events)
        await shared_server.go_on(chat)
        await viewer.read_turns(2)


async def test_a_turn_that_still_runs_comes_whole_however_few_blocks_are_asked_for(
    shared_server: SharedServer,
) -> None:
    chat = await shared_server.new_chat()
    await shared_server.talk(chat, script(say("a"), tool("t0")))
    calls = [tool(f"t{number}", "read", f"Read {number}") for number in range(1, 80)]
    last = [tool_update(f"t{number}", "completed", "read") for number in range(1, 80)]
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(*calls, say("b"), wait_file(ON), *last))
        await viewer.read_until(lambda event: event.data.get("content") == "b")
        small = await shared_server.read_past(chat, tail=5)
        turn = small[0].data["chat"]["turn"]["id"]
        assert {block.get("turn") for block in small[0].data["blocks"]} == {turn}
        assert len(small[0].data["blocks"]) == 81, "the message, the calls and the words"
        assert (await shared_server.read_past(chat, tail=0))[0].data["blocks"] == []
        wide = (await shared_server.read_past(chat, tail=200))[0].data["blocks"]
        assert wide[-81:] == small[0].data["blocks"]
        assert len(wide) > 81, "and earlier turns if that is not enough"
        await shared_server.go_on(chat)
        await viewer.read_turns(2)
    page = Page().take([small[0], *(await shared_server.read_past(chat, after=small[0].seq))])
    assert list(page.tools) == [f"t{number}" for number in range(1, 80)]
    assert {call["status"] for call in page.tools.values()} == {"completed"}
    ended = (await shared_server.read_past(chat, tail=5))[0].data["blocks"]
    assert len(ended) == 82, "all of it also when it has ended"


async def test_a_snapshot_says_whether_there_is_more_also_of_what_is_only_kept(
    shared_server: SharedServer,
) -> None:
    """A turn so long that earlier blocks are no longer in memory, with and without earlier blocks."""
    long = script(*(tool(f"t{number}") for number in range(KEPT_BLOCKS + 1)))
    for before in (0, 1):
        chat = await shared_server.new_chat()
        for _ in range(before):
            await shared_server.talk(chat, script(say("before")))
        await shared_server.talk(chat, long)
        await shared_server.server.restart()
        (newest,) = [
            event.data for event in await shared_server.read_past(chat, tail=5) if event.kind == "snapshot"
        ]
        assert len(newest["blocks"]) > KEPT_BLOCKS
        assert newest["has_older"] == bool(before)
