"""The same key acts once and gets the same answer, however it comes again (F34, F71, F72)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest

from tests.fakes.script import ALLOW, REJECT, ask, say, script, silent
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api, ApiError, new_key
from tests.kit.proxy import Proxy
from tests.kit.sse import Viewer
from tests.kit.waiting import until
from tests.web.house import House


async def at_once(count: int, act: Callable[[], Awaitable[Any]]) -> list[Any]:
    """The replies of so many at the same moment."""
    replies = []

    async def one() -> None:
        replies.append(await act())

    async with anyio.create_task_group() as tasks:
        for _ in range(count):
            tasks.start_soon(one)
    return replies


def all_equal(replies: list[Any]) -> bool:
    return all(reply == replies[0] for reply in replies)


async def test_ten_posts_of_one_message_are_one_message(house: House) -> None:
    chat, key = await house.new_chat(), new_key()
    async with Viewer(house.server.url, house.server.token, chat) as viewer:
        replies = await at_once(10, lambda: house.api.prompt(chat, "say once", key))
        assert all_equal(replies)
        await house.seen_all(chat, viewer)
        assert await house.api.prompt(chat, "say once", key) == replies[0]
        messages = [event for event in viewer.events if event.kind == "message"]
    assert house.sql("SELECT message_id FROM turns WHERE chat_id = ?", chat) == [(replies[0]["message_id"],)]
    assert [event.data["id"] for event in messages] == [replies[0]["message_id"]]


async def test_the_key_holds_when_the_server_was_killed_in_between(house: House) -> None:
    chat, key = await house.new_chat(), new_key()
    first = await house.api.prompt(chat, "say once", key)
    await house.server.restart()
    assert await house.api.prompt(chat, "say once", key) == first
    assert house.sql("SELECT count(*) FROM turns WHERE chat_id = ?", chat) == [(1,)]


async def test_keys_are_forgotten_after_a_week(house: House) -> None:
    chat, old, young = await house.new_chat(), new_key(), new_key()
    for key in (old, young):
        await house.api.prompt(chat, "say once", key)
    for key, days in ((old, 7.1), (young, 6.9)):
        age = "UPDATE idempotency_keys SET at = at - ? WHERE key LIKE ? RETURNING 1"
        assert house.sql(age, days * 86_400, f"%{key}%") == [(1,)]
    await house.server.restart()

    def kept(key: str) -> bool:
        return bool(house.sql("SELECT 1 FROM idempotency_keys WHERE key LIKE ?", f"%{key}%"))

    await until(lambda: not kept(old), 10)
    assert kept(young)


async def test_ten_creations_with_one_key_are_one_chat(house: House) -> None:
    key = new_key()
    replies = await at_once(10, lambda: house.api.create_chat(house.folder, key=key))
    assert all_equal(replies)
    kept = [chat for chat in (await house.api.chats())["chats"] if chat["workspace"] == str(house.folder)]
    assert [chat["id"] for chat in kept] == [replies[0]["id"]]


async def test_ten_answers_with_one_key_are_one_decision(house: House) -> None:
    chat, key = await house.new_chat(), new_key()
    log = AgentLog(house.folder / "agent.jsonl")
    before = len(log.decisions())
    async with Viewer(house.server.url, house.server.token, chat) as viewer:
        await house.api.prompt(chat, script(ask()))
        question = (await viewer.read_until("question"))[-1].data["id"]
        replies = await at_once(10, lambda: house.api.answer(chat, question, ALLOW, key))
        assert all_equal(replies)
        for _ in range(2):
            with pytest.raises(ApiError) as other:
                await house.api.answer(chat, question, REJECT)
            assert other.value.status == 409
        assert await house.api.answer(chat, question, ALLOW, key) == replies[0]
        await viewer.read_turns()
    assert log.decisions()[before:] == [ALLOW]


async def test_stopping_twice_with_one_key_stops_one_turn(house: House) -> None:
    chat, key = await house.new_chat(), new_key()
    async with Viewer(house.server.url, house.server.token, chat) as viewer:
        first = await house.api.prompt(chat, script(silent()))
        await viewer.read_until("turn-started")
        replies = await at_once(10, lambda: house.api.cancel(chat, key))
        assert replies == [{"turn": first["turn"]}] * 10
        await viewer.read_turns(1)
        second = await house.api.prompt(chat, script(silent()))
        await viewer.read_until(lambda event: event.data.get("turn") == second["turn"])
        assert await house.api.cancel(chat, key) == {"turn": first["turn"]}
        assert (await house.api.chat(chat))["running"]
        assert await house.api.cancel(chat) == {"turn": second["turn"]}
        await viewer.read_turns(2)


async def test_a_key_counts_for_one_action_on_one_thing(house: House) -> None:
    """The same word for another action must neither be taken for done nor get another's answer."""
    chat, key = await house.new_chat(), new_key()
    other = await house.new_chat(key=key)
    async with Viewer(house.server.url, house.server.token, chat) as viewer:
        posted = await house.api.prompt(chat, script(ask(), silent()), key)
        question = (await viewer.read_until("question"))[-1].data["id"]
        assert (await house.api.answer(chat, question, ALLOW, key))["question_id"] == question
        queued = await house.api.prompt(chat, "say never")
        edit = {"text": "say changed", "key": key}
        edited = await house.api.call("PATCH", f"/api/chats/{chat}/queue/{queued['message_id']}", edit)
        assert edited == queued
        await house.api.remove_queued(chat, queued["message_id"])
        assert (await house.api.cancel(chat, key)) == {"turn": posted["turn"]}
        await viewer.read_turns(1)
    assert await house.api.prompt(other, "say elsewhere", key) != posted
    assert (await house.api.create_chat(house.folder, key=f"{chat}/{key}"))["id"] not in (chat, other)


LOSSES = ["POST /api/chats ", "POST /api/chats/{chat}/messages ", "POST /api/chats/{chat}/questions"]


@pytest.mark.parametrize("lost", [*LOSSES, "POST /api/chats/{chat}/cancel "])
async def test_a_reply_that_was_lost_is_given_again(house: House, lost: str) -> None:
    """The server did act, but its answer never came; the client asks again with the same key."""
    chat = await house.new_chat()
    keys = {name: new_key() for name in ("chat", "message", "answer", "cancel")}
    async with (
        Proxy(house.server.port) as network,
        Api(network.url, house.server.token) as api,
        Viewer(house.server.url, house.server.token, chat) as viewer,
    ):

        async def insist(act: Callable[[], Awaitable[Any]]) -> Any:
            try:
                return await act()
            except httpx2.TransportError:
                await network.reply_lost()
                return await act()

        network.lose_next_reply(lost.format(chat=chat).encode())
        made = await insist(lambda: api.create_chat(house.folder, key=keys["chat"]))
        posted = await insist(lambda: api.prompt(chat, script(ask(), silent()), keys["message"]))
        question = (await viewer.read_until("question"))[-1].data["id"]
        await insist(lambda: api.answer(chat, question, ALLOW, keys["answer"]))
        assert await insist(lambda: api.cancel(chat, keys["cancel"])) == {"turn": posted["turn"]}
        await viewer.read_turns()
        await network.reply_lost()
        assert made == await api.create_chat(house.folder, key=keys["chat"])
    kinds = [event.kind for event in viewer.events]
    assert [kinds.count(kind) for kind in ("message", "turn-started", "answer", "turn-ended")] == [1, 1, 1, 1]


async def test_a_refused_request_does_not_use_its_key_up(house: House) -> None:
    chat, key = await house.new_chat(), new_key()
    with pytest.raises(ApiError):
        await house.api.cancel(chat, key)
    async with Viewer(house.server.url, house.server.token, chat) as viewer:
        posted = await house.api.prompt(chat, script(say("a"), silent()))
        await viewer.read_until("text-delta")
        assert await house.api.cancel(chat, key) == {"turn": posted["turn"]}
        await viewer.read_turns()
