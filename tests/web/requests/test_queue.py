"""Messages that wait behind a running turn can be seen, changed and removed, and keep their order."""

from __future__ import annotations

import anyio
import pytest

from tests.fakes.script import say, script, wait_file
from tests.kit.clients.client import ApiError
from tests.kit.clients.sse import Viewer, connect
from tests.kit.oracles.oracle import judge
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.shared_server import ON, SharedServer


async def test_messages_posted_meanwhile_wait_in_order_and_can_be_changed(
    shared_server: SharedServer,
) -> None:
    chat = await shared_server.new_chat()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(say("first"), wait_file(ON)))
        await viewer.read_until("text-delta")
        ids = {}
        for name in ("second", "third", "fourth", "fifth"):
            ids[name] = (await shared_server.api.prompt(chat, script(say(name))))["message_id"]
        assert (await shared_server.api.chat(chat))["queued"] == 4
        await shared_server.api.edit_queued(chat, ids["third"], script(say("changed")))
        await shared_server.api.remove_queued(chat, ids["fourth"])
        async with connect(
            shared_server.server.url, f"/api/chats/{chat}/stream", shared_server.server.token, tail=10
        ) as tail:
            head = (await tail.read_until("snapshot"))[-1].data["chat"]
        assert [message["id"] for message in head["queue"]] == [ids["second"], ids["third"], ids["fifth"]]
        assert head["queue"][1]["text"] == script(say("changed"))
        for message in (ids["fourth"], "nope"):
            with pytest.raises(ApiError) as gone:
                await shared_server.api.edit_queued(chat, message, "say nothing")
            assert gone.value.status == 404
        await shared_server.go_on(chat)
        await viewer.read_turns(4)
        await shared_server.seen_all(chat, viewer)
        judge(shared_server.server.database, chat, viewer.events, text="firstsecondchangedfifth")
        started = [event.data["message_id"] for event in viewer.events if event.kind == "turn-started"]
        assert started[1:] == [ids["second"], ids["third"], ids["fifth"]]
        with pytest.raises(ApiError):
            await shared_server.api.remove_queued(chat, ids["second"])
    assert [say("changed")] == [
        prompt for prompt in AgentLog(shared_server.folder / "agent.jsonl").prompts() if "changed" in prompt
    ]


async def test_a_message_posted_by_many_at_once_is_not_lost_nor_doubled(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    posted = []

    async def post(number: int) -> None:
        posted.append((await shared_server.api.prompt(chat, script(say(f"<{number}>"))))["message_id"])

    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(post, number)
        await viewer.read_turns(8)
        await shared_server.seen_all(chat, viewer)
        rows = judge(shared_server.server.database, chat, viewer.events)
    assert len(set(posted)) == 8
    assert sorted(row.data["id"] for row in rows if row.kind == "message") == sorted(posted)
    assert sorted(event.data["content"] for event in rows if event.kind == "text-delta") == sorted(
        f"<{number}>" for number in range(8)
    )


async def test_stopping_a_turn_lets_the_next_one_begin(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        first = await shared_server.api.prompt(chat, script(say("a"), "silent"))
        second = await shared_server.api.prompt(chat, script(say("b")))
        await viewer.read_until("text-delta")
        assert await shared_server.api.cancel(chat) == {"turn": first["turn"]}
        await viewer.read_turns(2)
        ends = {e.data["turn"]: e.data["stop_reason"] for e in viewer.events if e.kind == "turn-ended"}
    assert ends == {first["turn"]: "cancelled", second["turn"]: "end_turn"}


async def test_deleting_a_chat_twice_at_once_deletes_it_once(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(say("a"), "silent"))
        await viewer.read_until("text-delta")
        statuses = []

        async def delete() -> None:
            statuses.append((await shared_server.api.request("DELETE", f"/api/chats/{chat}")).status_code)

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(delete)
    assert 204 in statuses
    assert set(statuses) <= {204, 404}
    assert (await shared_server.api.request("GET", f"/api/chats/{chat}")).status_code == 404
