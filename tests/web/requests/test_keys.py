"""The same key acts once and gets the same answer, however it is repeated (F34, F71, F72)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest

from tests.fakes.script import ALLOW, REJECT, ask, say, script, silent
from tests.kit.clients.client import Api, ApiError, new_key
from tests.kit.clients.proxy import Proxy
from tests.kit.clients.sse import Viewer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.shared_server import SharedServer
from tests.kit.waiting import until


async def at_once(count: int, act: Callable[[], Awaitable[Any]]) -> list[Any]:
    """The replies to this many simultaneous requests."""
    replies = []

    async def one() -> None:
        replies.append(await act())

    async with anyio.create_task_group() as tasks:
        for _ in range(count):
            tasks.start_soon(one)
    return replies


def all_equal(replies: list[Any]) -> bool:
    return all(reply == replies[0] for reply in replies)


async def test_ten_posts_of_one_message_are_one_message(shared_server: SharedServer) -> None:
    chat, key = await shared_server.new_chat(), new_key()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        replies = await at_once(10, lambda: shared_server.api.prompt(chat, "say once", key))
        assert all_equal(replies)
        await shared_server.seen_all(chat, viewer)
        assert await shared_server.api.prompt(chat, "say once", key) == replies[0]
        messages = [event for event in viewer.events if event.kind == "message"]
    assert shared_server.sql("SELECT message_id FROM turns WHERE chat_id = ?", chat) == [
        (replies[0]["message_id"],)
    ]
    assert [event.data["id"] for event in messages] == [replies[0]["message_id"]]


async def test_the_key_holds_when_the_server_was_killed_in_between(shared_server: SharedServer) -> None:
    chat, key = await shared_server.new_chat(), new_key()
    first = await shared_server.api.prompt(chat, "say once", key)
    await shared_server.server.restart()
    assert await shared_server.api.prompt(chat, "say once", key) == first
    assert shared_server.sql("SELECT count(*) FROM turns WHERE chat_id = ?", chat) == [(1,)]


async def test_keys_are_forgotten_after_a_week(shared_server: SharedServer) -> None:
    chat, old, young = await shared_server.new_chat(), new_key(), new_key()
    for key in (old, young):
        await shared_server.api.prompt(chat, "say once", key)
    for key, days in ((old, 7.1), (young, 6.9)):
        age = "UPDATE idempotency_keys SET at = at - ? WHERE key LIKE ? RETURNING 1"
        assert shared_server.sql(age, days * 86_400, f"%{key}%") == [(1,)]
    await shared_server.server.restart()

    def kept(key: str) -> bool:
        return bool(shared_server.sql("SELECT 1 FROM idempotency_keys WHERE key LIKE ?", f"%{key}%"))

    await until(lambda: not kept(old), 10)
    assert kept(young)


async def test_ten_creations_with_one_key_are_one_chat(shared_server: SharedServer) -> None:
    key = new_key()
    replies = await at_once(10, lambda: shared_server.api.create_chat(shared_server.folder, key=key))
    assert all_equal(replies)
    kept = [
        chat
        for chat in (await shared_server.api.chats())["chats"]
        if chat["workspace"] == str(shared_server.folder)
    ]
    assert [chat["id"] for chat in kept] == [replies[0]["id"]]


async def test_ten_answers_with_one_key_are_one_decision(shared_server: SharedServer) -> None:
    chat, key = await shared_server.new_chat(), new_key()
    log = AgentLog(shared_server.folder / "agent.jsonl")
    before = len(log.decisions())
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(ask()))
        question = (await viewer.read_until("question"))[-1].data["id"]
        replies = await at_once(10, lambda: shared_server.api.answer(chat, question, ALLOW, key))
        assert all_equal(replies)
        for _ in range(2):
            with pytest.raises(ApiError) as other:
                await shared_server.api.answer(chat, question, REJECT)
            assert other.value.status == 409
        assert await shared_server.api.answer(chat, question, ALLOW, key) == replies[0]
        await viewer.read_turns()
    assert log.decisions()[before:] == [ALLOW]


async def test_a_stop_meant_for_a_turn_that_has_ended_does_not_stop_the_next(
    shared_server: SharedServer,
) -> None:
    """B10: it names no turn and has a new key; when repeated, it is refused again."""
    chat, key = await shared_server.new_chat(), new_key()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        first = await shared_server.api.prompt(chat, script(silent()))
        second = await shared_server.api.prompt(chat, script(silent()))
        await viewer.read_until("turn-started")
        assert await shared_server.api.cancel(chat) == {"turn": first["turn"]}
        await viewer.read_until(lambda e: e.kind == "turn-started" and e.data["turn"] == second["turn"])
        with pytest.raises(ApiError, match="409 conflict: The next turn has already started"):
            await shared_server.api.cancel(chat, key)
        named = second["turn"]
        assert await shared_server.api.cancel(chat, turn=named) == {"turn": named}
        await viewer.read_turns(2)
        third = await shared_server.api.prompt(chat, script(silent()))
        await viewer.read_until(lambda e: e.kind == "turn-started" and e.data["turn"] == third["turn"])
        for repeated in (key, new_key()):
            with pytest.raises(ApiError, match="409 conflict: The next turn has already started"):
                await shared_server.api.cancel(chat, repeated)
        named = third["turn"]
        assert await shared_server.api.cancel(chat, turn=named) == {"turn": named}
        await viewer.read_turns(3)


async def test_stopping_twice_with_one_key_stops_one_turn(shared_server: SharedServer) -> None:
    chat, key = await shared_server.new_chat(), new_key()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        first = await shared_server.api.prompt(chat, script(silent()))
        await viewer.read_until("turn-started")
        replies = await at_once(10, lambda: shared_server.api.cancel(chat, key))
        assert replies == [{"turn": first["turn"]}] * 10
        await viewer.read_turns(1)
        second = await shared_server.api.prompt(chat, script(silent()))
        await viewer.read_until(lambda event: event.data.get("turn") == second["turn"])
        assert await shared_server.api.cancel(chat, key) == {"turn": first["turn"]}
        assert (await shared_server.api.chat(chat))["running"]
        named = second["turn"]
        assert await shared_server.api.cancel(chat, turn=named) == {"turn": named}
        await viewer.read_turns(2)


async def test_a_key_counts_for_one_action_on_one_thing(shared_server: SharedServer) -> None:
    """The same key for another action must neither count as done nor get the other's answer."""
    chat, key = await shared_server.new_chat(), new_key()
    other = await shared_server.new_chat(key=key)
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        posted = await shared_server.api.prompt(chat, script(ask(), silent()), key)
        question = (await viewer.read_until("question"))[-1].data["id"]
        assert (await shared_server.api.answer(chat, question, ALLOW, key))["question_id"] == question
        queued = await shared_server.api.prompt(chat, "say never")
        edit = {"text": "say changed", "key": key}
        edited = await shared_server.api.call(
            "PATCH", f"/api/chats/{chat}/queue/{queued['message_id']}", edit
        )
        assert edited == queued
        await shared_server.api.remove_queued(chat, queued["message_id"])
        assert (await shared_server.api.cancel(chat, key)) == {"turn": posted["turn"]}
        await viewer.read_turns(1)
    assert await shared_server.api.prompt(other, "say elsewhere", key) != posted
    assert (await shared_server.api.create_chat(shared_server.folder, key=f"{chat}/{key}"))["id"] not in (
        chat,
        other,
    )


LOSSES = ["POST /api/chats ", "POST /api/chats/{chat}/messages ", "POST /api/chats/{chat}/questions"]


@pytest.mark.parametrize("lost", [*LOSSES, "POST /api/chats/{chat}/cancel "])
async def test_a_reply_that_was_lost_is_given_again(shared_server: SharedServer, lost: str) -> None:
    """The server acted, but its answer never arrived; the client repeats the request with the same key."""
    chat = await shared_server.new_chat()
    keys = {name: new_key() for name in ("chat", "message", "answer", "cancel")}
    async with (
        Proxy(shared_server.server.port) as network,
        Api(network.url, shared_server.server.token) as api,
        Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer,
    ):

        async def insist(act: Callable[[], Awaitable[Any]]) -> Any:
            try:
                return await act()
            except httpx2.TransportError:
                await network.reply_lost()
                return await act()

        network.lose_next_reply(lost.format(chat=chat).encode())
        made = await insist(lambda: api.create_chat(shared_server.folder, key=keys["chat"]))
        posted = await insist(lambda: api.prompt(chat, script(ask(), silent()), keys["message"]))
        question = (await viewer.read_until("question"))[-1].data["id"]
        await insist(lambda: api.answer(chat, question, ALLOW, keys["answer"]))
        assert await insist(lambda: api.cancel(chat, keys["cancel"])) == {"turn": posted["turn"]}
        await viewer.read_turns()
        await network.reply_lost()
        assert made == await api.create_chat(shared_server.folder, key=keys["chat"])
    kinds = [event.kind for event in viewer.events]
    assert [kinds.count(kind) for kind in ("message", "turn-started", "answer", "turn-ended")] == [1, 1, 1, 1]


async def test_a_refused_request_does_not_use_its_key_up(shared_server: SharedServer) -> None:
    chat, key = await shared_server.new_chat(), new_key()
    with pytest.raises(ApiError):
        await shared_server.api.cancel(chat, key)
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        posted = await shared_server.api.prompt(chat, script(say("a"), silent()))
        await viewer.read_until("text-delta")
        assert await shared_server.api.cancel(chat, key) == {"turn": posted["turn"]}
        await viewer.read_turns()
