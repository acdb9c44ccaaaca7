"""The description of the interface says what the interface does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ALLOW,
    ask,
    bigline,
    chunks,
    commands,
    diff,
    late,
    leave,
    mode,
    plan,
    raw,
    say,
    script,
    silent,
    stderr,
    think,
    title,
    tool,
    tool_update,
    update,
    usage,
)
from tests.kit.clients.sse import Event, Viewer, connect
from tests.kit.servers.shared_server import SharedServer, routes
from tests.web.requests.schema import complaints, resolve
from voxpilot.chat.events import EVENT_TYPES

GOLDEN = Path(__file__).parents[2] / "golden"
NOT_DESCRIBED = {"/", "/shell.js", "/api/openapi.json"}


WITHOUT_BODY = {
    "/api/logout",
    "/api/devices/{device_id}/confirm",
    "/api/links",
    "/api/agents/{agent_id}/check",
}
CAUSED_OTHERWISE = {
    "copilot-delta", "copilot-done", "tool-result", "superseded", "context",
    "terminal", "terminal-output", "terminal-exit",
}  # fmt: skip
"""Kinds of events that only the assistant, a command run for an agent, or something sent along causes."""


@pytest.fixture(scope="module")
async def document(shared_server: SharedServer) -> Any:
    return await shared_server.api.call("GET", "/api/openapi.json")


def operations(document: Any) -> list[tuple[str, str, Any]]:
    return [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


async def test_every_route_is_described(document: Any) -> None:
    described = {(method, path) for method, path, _ in operations(document)}
    served = {(method, path.replace(":path", "")) for method, path in routes() if path not in NOT_DESCRIBED}
    assert described == served


async def test_every_route_says_what_it_takes_and_gives_and_how_it_fails(document: Any) -> None:
    for method, path, operation in operations(document):
        answers = dict(operation["responses"])
        error = answers.pop("default")["content"]["application/json"]["schema"]
        assert error == {"$ref": "#/components/schemas/ErrorAnswer"}, path
        assert len(answers) == 1, (path, "another answer than success and our error")
        (status, answer), *_ = answers.items()
        assert status.startswith("2"), path
        if status != "204":
            (schema,) = [content["schema"] for content in answer["content"].values()]
            assert resolve_all(document, schema), path
        takes_body = method in ("POST", "PUT", "PATCH") and path not in WITHOUT_BODY
        assert ("requestBody" in operation) == takes_body, (method, path)


def resolve_all(document: Any, schema: Any) -> bool:
    """Follow every reference; a KeyError means that one is invalid."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            return bool(resolve(document, schema["$ref"]))
        assert schema != {}, "an empty schema says nothing"
        return all(
            resolve_all(document, inner) for inner in schema.values() if isinstance(inner, dict | list)
        )
    return all(resolve_all(document, inner) for inner in schema if isinstance(inner, dict | list))


async def test_references_lead_somewhere(document: Any) -> None:
    for name, schema in document["components"]["schemas"].items():
        properties = schema.get("properties", {})
        for inner in properties.values():
            if "$ref" in inner:
                assert resolve(document, inner["$ref"]), name


async def test_every_kind_of_event_has_a_shape(document: Any) -> None:
    shapes = document["components"]["schemas"]["StreamEvents"]
    stored = {event.kind for event in EVENT_TYPES}
    made_up = {"snapshot", "ready", "ping", "chats", "chat-changed", "chat-removed"}
    assert set(shapes["properties"]) == set(shapes["required"]) == stored | made_up
    assert len(document["components"]["schemas"]["StoredEvent"]["anyOf"]) == len(stored)
    for path in ("/api/stream", "/api/chats/{chat_id}/stream"):
        content = document["paths"][path]["get"]["responses"]["200"]["content"]
        assert content == {"text/event-stream": {"schema": {"$ref": "#/components/schemas/StreamEvents"}}}


async def test_every_kind_of_block_is_named(document: Any) -> None:
    golden = [json.loads(path.read_text(encoding="utf-8")) for path in GOLDEN.glob("*.json")]
    kinds = {block["kind"] for told in golden for block in told["blocks"]}
    assert set(document["components"]["schemas"]["Block"]["properties"]["kind"]["enum"]) == kinds


def check(document: Any, events: list[Event]) -> set[str]:
    shapes = document["components"]["schemas"]["StreamEvents"]["properties"]
    for event in events:
        assert complaints(document, shapes[event.kind], event.data) == [], event
    return {event.kind for event in events}


EVERYTHING = script(
    say("hello"),
    think("hmm"),
    plan("one", "two"),
    tool("t1", "edit", "Edit a file"),
    tool_update("t1", "in_progress", "working"),
    diff("t1", "a.txt"),
    tool_update("t1", "completed"),
    update(
        {"sessionUpdate": "tool_call", "toolCallId": "t2", "title": "Big", "rawInput": {"x": "y" * 90_000}}
    ),
    update(
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "t2",
            "rawOutput": [["z" * 50] * 50] * 50,
            "_meta": {"a": 1},
            "locations": [{"path": "/x", "line": 3}],
        }
    ),
    update(
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "", "mimeType": "i"}}
    ),
    update(
        {"sessionUpdate": "agent_message_chunk", "messageId": "m1", "content": {"type": "text", "text": "a"}}
    ),
    update({"sessionUpdate": "something_new", "x": [1, None, {"y": 2.5}]}),
    update({"sessionUpdate": "plan", "entries": "nonsense"}),
    commands("plan", "test"),
    mode("code"),
    usage(10, 100),
    title("A title"),
    raw(b"\xff\xfe not JSON"),
    stderr("a complaint"),
    bigline(0.1),
    ask("t3", "May I?"),
    late("too late"),
    chunks(20),
)


async def test_every_event_the_agent_can_cause_has_its_shape(
    shared_server: SharedServer, document: Any
) -> None:
    seen: set[str] = set()
    chat = await shared_server.new_chat()
    shared = connect(shared_server.server.url, f"/api/stream?chats={chat}", shared_server.server.token)
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer, shared as many:
        await shared_server.api.prompt(chat, EVERYTHING)
        question = (await viewer.read_until("question"))[-1].data["id"]
        waiting = await shared_server.api.prompt(chat, "say later")
        await shared_server.api.edit_queued(chat, waiting["message_id"], "say even later")
        await shared_server.api.remove_queued(chat, waiting["message_id"])
        await shared_server.api.answer(chat, question, ALLOW, reason="why not")
        await viewer.read_turns(1)
        second = len(viewer.events)
        silenced = await shared_server.api.prompt(chat, script(silent()))
        await viewer.read_until("turn-started", since=second)
        await shared_server.api.cancel(chat, turn=silenced["turn"])
        await viewer.read_turns(2)
        await shared_server.api.prompt(chat, script(leave(3)))
        await viewer.read_turns(3)
        await shared_server.api.change_chat(chat, title="Renamed")
        await shared_server.seen_all(chat, viewer)
        async with connect(
            shared_server.server.url, f"/api/chats/{chat}/stream", shared_server.server.token, tail=500
        ) as tail:
            seen |= check(document, await tail.read_until("ready"))
        await shared_server.api.delete_chat(chat)
        seen |= check(document, await many.read_until("chat-removed"))
        seen |= check(document, viewer.events)
    assert any(event.data.get("cut") for event in viewer.events)
    missing = set(document["components"]["schemas"]["StreamEvents"]["required"]) - seen
    assert missing == {"ping"} | CAUSED_OTHERWISE


def test_every_event_of_the_assistant_and_of_commands_has_its_shape(document: Any) -> None:
    shapes = document["components"]["schemas"]["StreamEvents"]["properties"]
    told = [
        (kind, body)
        for path in (Path(__file__).parents[2] / "golden").glob("*.json")
        for kind, body in json.loads(path.read_text())["events"]
        if kind in CAUSED_OTHERWISE
    ]
    assert {kind for kind, _ in told} == CAUSED_OTHERWISE
    for kind, body in told:
        assert complaints(document, shapes[kind], body) == [], (kind, body)


@pytest.mark.parametrize(
    "fault", ["exit-at-spawn", "auth-on-new", "auth-on-prompt", "future", "garbage", "empty"]
)
async def test_what_goes_wrong_with_an_agent_has_its_shape_too(
    shared_server: SharedServer, document: Any, fault: str
) -> None:
    chat = await shared_server.new_chat(agent=f"scripted-{fault}")
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, "say hello")
        if fault.startswith("auth"):
            await viewer.read_until("question")  # the sign-in question, which stays open
            await shared_server.api.cancel(chat)
        await viewer.read_turns(within=30)
        await shared_server.seen_all(chat, viewer)
    check(document, viewer.events)


async def test_a_message_that_comes_as_a_preview_has_its_shape(
    shared_server: SharedServer, document: Any
) -> None:
    chat = await shared_server.new_chat()
    picture = {"type": "image", "mimeType": "image/png", "data": "A" * 100_000}
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        await shared_server.api.prompt(chat, "say hello", attachments=[picture])
        await viewer.read_turns()
    (message,) = (event.data for event in viewer.events if event.kind == "message")
    assert message["cut_at"] == {"attachments": message["seq"]}
    check(document, viewer.events)


async def test_answers_have_the_shapes_that_were_promised(shared_server: SharedServer, document: Any) -> None:
    chat = await shared_server.new_chat()
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer:
        posted = await shared_server.api.prompt(chat, EVERYTHING)
        question = (await viewer.read_until("question"))[-1].data["id"]
        answered = await shared_server.api.answer(chat, question, ALLOW)
        await shared_server.seen_all(chat, viewer)
    given: dict[tuple[str, str], Any] = {
        ("get", "/api/chats"): await shared_server.api.chats(),
        ("get", "/api/chats/{chat_id}"): await shared_server.api.chat(chat),
        ("get", "/api/chats/{chat_id}/blocks"): await shared_server.api.blocks(chat),
        ("get", "/api/agents"): await shared_server.api.agents(),
        ("get", "/api/me"): await shared_server.api.me(),
        ("get", "/api/devices"): await shared_server.api.call("GET", "/api/devices"),
        ("get", "/api/health"): await shared_server.api.health(),
        ("post", "/api/links"): await shared_server.api.call("POST", "/api/links"),
        ("post", "/api/chats/{chat_id}/messages"): posted,
        ("post", "/api/chats/{chat_id}/questions/{question_id}"): answered,
    }
    for (method, path), answer in given.items():
        assert promised(document, method, path, answer) == [], path
    for row in range(1, viewer.last_seq + 1):
        whole = await shared_server.api.event(chat, row)
        assert promised(document, "get", "/api/chats/{chat_id}/events/{seq}", whole) == []


def promised(document: Any, method: str, path: str, answer: Any) -> list[str]:
    responses = document["paths"][path][method]["responses"]
    (content,) = [response["content"] for status, response in responses.items() if status.startswith("2")]
    return complaints(document, content["application/json"]["schema"], answer)


def test_the_checker_can_fail() -> None:
    document = {"components": {"schemas": {"A": {"type": "object", "required": ["x"], "properties": {}}}}}
    reference = {"$ref": "#/components/schemas/A"}
    assert complaints(document, reference, {"x": 1}) == []
    assert complaints(document, reference, {}) == ["$: x is missing"]
    assert complaints(document, {"anyOf": [reference, {"type": "null"}]}, 1)
    assert complaints(document, {"type": "integer"}, True)
    assert complaints(document, {"type": "object", "additionalProperties": False}, {"y": 1})
    assert complaints(document, {"items": {"const": 1}}, [1, 2])
    assert complaints(document, {"oneOf": []}, 1)
