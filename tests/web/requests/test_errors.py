"""Every failure has the same format, and none reveals internals of the server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.script import ALLOW, ask, script
from tests.kit.clients.bare import Reply, is_error
from tests.kit.clients.client import ApiError
from tests.kit.clients.sse import Viewer
from tests.kit.servers.shared_server import SharedServer

JSON = ("Content-Type", "application/json")
INNARDS = (b"Traceback", b"line ", b"File ", b"<class", b"object at", b"pydantic", b"sqlite", b"None", b"{'")


def check(reply: Reply, *statuses: int) -> None:
    assert is_error(reply, *statuses), (reply.status, reply.body)
    assert not [word for word in INNARDS if word in reply.body], reply.body


async def post(shared_server: SharedServer, path: str, body: Any) -> Reply:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await shared_server.ask(f"POST {path}", shared_server.bearer, JSON, body=content)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"[]",
        b"42",
        b"null",
        b'"text"',
        b"{}{}",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"text":' * 50_000,
        b'{"text": "\\ud800", "key": "k"}',
        b'{"text": "a", "key": "\\udfff"}',
        b'{"text": 1, "key": "k"}',
        b'{"text": "", "key": "k"}',
        b'{"text": "a"}',
        b'{"text": "a", "key": ""}',
        b'{"text": "a", "key": "k", "more": 1}',
        b'{"text": "a", "key": "k", "attachments": {}}',
        b'{"text": "a", "key": "k", "attachments": [1]}',
        b'{"text": "a", "key": "k", "attachments": [{"type": "image", "data": "\\ud800"}]}',
        b'{"text": "a", "key": "k", "attachments": [{"n": 1e400, "m": 123456789012345678901234567890}]}',
        b'{"text": "a", "key": "' + b"k" * 201 + b'"}',
    ],
)
async def test_a_body_that_will_not_do_is_explained(shared_server: SharedServer, body: bytes) -> None:
    chat = await shared_server.new_chat()
    check(await post(shared_server, f"/api/chats/{chat}/messages", body), 400, 422)
    assert shared_server.sql("SELECT count(*) FROM turns WHERE chat_id = ?", chat) == [(0,)]
    assert (await shared_server.api.chat(chat))["status"] == "new"


async def test_the_first_wrong_field_is_named(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    reply = await post(shared_server, f"/api/chats/{chat}/messages", {"text": 1, "key": "k"})
    assert reply.json()["error"]["message"].startswith("text: ")
    reply = await shared_server.ask(f"GET /api/chats/{chat}/blocks?limit=0", shared_server.bearer)
    check(reply, 422)
    assert reply.json()["error"]["message"].startswith("limit: ")


@pytest.mark.parametrize(
    "query",
    ["after=-1", "after=x", "after=99999999999999999999999", "after=", "tail=-1", "tail=1001", "tail=x"],
)
async def test_a_stream_asked_for_in_a_way_that_makes_no_sense(
    shared_server: SharedServer, query: str
) -> None:
    chat = await shared_server.new_chat()
    check(await shared_server.ask(f"GET /api/chats/{chat}/stream?{query}", shared_server.bearer), 422)


@pytest.mark.parametrize(
    "chats", ["x", "a:b", "a:-1", "a:1:2", "..", "a:99999999999999999999", "%00", "a" * 41]
)
async def test_a_shared_stream_asked_for_in_a_way_that_makes_no_sense(
    shared_server: SharedServer, chats: str
) -> None:
    check(await shared_server.ask(f"GET /api/stream?chats={chats}", shared_server.bearer), 422)


@pytest.mark.parametrize("last", [b"\xb2", b"9" * 5000, b"-1", b"x", b"1.5", b"a:1,b:2", b"", "٣".encode()])
async def test_a_last_event_id_that_was_never_given_is_passed_over(
    shared_server: SharedServer, last: bytes
) -> None:
    chat = await shared_server.new_chat()
    for path in (f"/api/chats/{chat}/stream", "/api/stream"):
        reply = await shared_server.ask(f"GET {path}", shared_server.bearer, ("Last-Event-ID", last))
        assert reply.status == 200


async def test_what_is_not_there_is_not_found(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    for path in (
        "/api/chats/nope",
        "/api/chats/%00",
        "/api/chats/nope/stream",
        "/api/chats/nope/blocks",
        "/api/chats/nope/events/1",
        f"/api/chats/{chat}/events/0",
        f"/api/chats/{chat}/events/-1",
        f"/api/chats/{chat}/events/99999999999999999999999999",
        "/api/nothing",
        "/api/chats/",
    ):
        check(await shared_server.ask(f"GET {path}", shared_server.bearer), 404)
    for path in ("/api/chats/nope", "/api/devices/nope", f"/api/chats/{chat}/queue/nope"):
        check(await shared_server.ask(f"DELETE {path}", shared_server.bearer), 404)
    check(await post(shared_server, f"/api/chats/{chat}/questions/nope", {"option_id": "x"}), 404)
    check(
        await post(shared_server, "/api/chats", {"agent": "nobody", "workspace": str(shared_server.folder)}),
        404,
    )


async def test_a_wrong_method_says_which_are_right(shared_server: SharedServer) -> None:
    reply = await shared_server.ask("PUT /api/chats", shared_server.bearer)
    check(reply, 405)
    assert reply.all("allow")


@pytest.mark.parametrize(
    "workspace", ["/nowhere", "relative", "", "\0", "/etc/passwd", "x" * 5000, "/tmp\0x"]
)
async def test_a_workspace_that_is_none_is_refused(shared_server: SharedServer, workspace: str) -> None:
    body = {"agent": "scripted", "workspace": workspace}
    reply = await post(shared_server, "/api/chats", body)
    if workspace == "":
        assert reply.status == 201  # no session was named
    else:
        check(reply, 422)


async def test_too_late_and_not_now_are_conflicts(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    check(await shared_server.ask(f"POST /api/chats/{chat}/cancel", shared_server.bearer), 409)
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, script(ask()))
        question = (await viewer.read_until("question"))[-1].data["id"]
        check(
            await post(shared_server, f"/api/chats/{chat}/questions/{question}", {"option_id": "never"}), 422
        )
        await shared_server.api.answer(chat, question, ALLOW)
        with pytest.raises(ApiError) as late:
            await shared_server.api.answer(chat, question, ALLOW)
        assert (late.value.status, late.value.code) == (409, "already-decided")
        assert "a script" in late.value.message
        assert "Allow" in late.value.message
        await viewer.read_turns()


@pytest.mark.parametrize(
    "content", [b'{"a": "\\ud800"}', b'{"a": [123456789012345678901234567890]}', b"[]", b"1"]
)
async def test_a_form_filled_in_with_what_cannot_be_stored_is_refused(
    shared_server: SharedServer, content: bytes
) -> None:
    chat = await shared_server.new_chat()
    body = b'{"action": "accept", "content": ' + content + b"}"
    check(await post(shared_server, f"/api/chats/{chat}/questions/nope", body), 422)


async def test_other_characters_than_letters_are_kept_as_they_are(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    title = "Zeichen: äöü 漢字 🎉 \u2028 \x01 \0 <script> \\ \" '"
    assert (await shared_server.api.change_chat(chat, title=title))["title"] == title
    assert (await shared_server.api.chat(chat))["title"] == title
