"""OpenAI's chat completions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.fakes.llm.shapes import (
    CACHED_TOKENS,
    GIVEN_TOKENS,
    Asked,
    Call,
    Frame,
    Json,
    Reply,
    Said,
    Say,
    Think,
    new_id,
    text_in,
    thirds,
    words,
)


def read(body: Json) -> Asked:
    conversation = [
        Said(message["role"], text_in(message.get("content")))
        for message in body.get("messages", [])
        if message["role"] in ("user", "tool")
    ]
    tools: dict[str, Json | None] = {}
    for tool in body.get("tools") or []:
        if tool.get("type") == "function":
            tools[tool["function"]["name"]] = tool["function"].get("parameters") or {}
        elif tool.get("type") == "custom":
            tools[tool["custom"]["name"]] = None
    return Asked(body.get("model", ""), bool(body.get("stream")), tuple(conversation), tools)


def stream(reply: Reply, model: str) -> Iterator[Frame]:
    head = _head("chat.completion.chunk", model)

    def chunk(delta: Json, finish: str | None = None, pause: float = 0.0) -> Frame:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return Frame(None, {**head, "choices": [choice]}, pause)

    yield chunk({"role": "assistant", "content": ""})
    calls = 0
    for block in reply.blocks:
        match block:
            case Say(text, pause):
                yield from (chunk({"content": word}, pause=pause) for word in words(text))
            case Think(text, pause):
                yield from (chunk({"reasoning_content": word}, pause=pause) for word in words(text))
            case Call():
                for delta in _call_deltas(block, calls):
                    yield chunk({"tool_calls": [delta]})
                calls += 1
    yield chunk({}, _finish(reply))
    yield Frame(None, {**head, "choices": [], "usage": _usage(reply)})
    yield Frame(None, "[DONE]")


def whole(reply: Reply, model: str) -> Json:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": "".join(block.text for block in reply.blocks if isinstance(block, Say)),
    }
    if calls := [_whole_call(block) for block in reply.blocks if isinstance(block, Call)]:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return {**_head("chat.completion", model), "choices": [choice], "usage": _usage(reply)}


def failure(status: int, message: str) -> Json:
    return {"error": {"message": message, "type": "scripted_error", "code": str(status)}}


def _finish(reply: Reply) -> str:
    if reply.is_short:
        return "length"
    return "tool_calls" if reply.calls else "stop"


def _call_deltas(call: Call, index: int) -> Iterator[Json]:
    begun = {"name": call.name, "arguments": ""}
    yield {"index": index, "id": call.id, "type": "function", "function": begun}
    for part in thirds(_arguments(call)):
        yield {"index": index, "function": {"arguments": part}}


def _whole_call(call: Call) -> Json:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": _arguments(call)},
    }


def _arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _head(kind: str, model: str) -> Json:
    return {"id": new_id("chatcmpl"), "object": kind, "created": int(time.time()), "model": model}


def _usage(reply: Reply) -> Json:
    return {
        "prompt_tokens": GIVEN_TOKENS,
        "completion_tokens": reply.tokens,
        "total_tokens": GIVEN_TOKENS + reply.tokens,
        "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
    }
