"""OpenAI's responses."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.fakes.llm.shapes import (
    CACHED_TOKENS,
    GIVEN_TOKENS,
    Asked,
    Block,
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

_Tell = Callable[..., Frame]
_ASKED_ANYWAY = "`approval_policy` is `unless-trusted`"


def read(body: Json) -> Asked:
    given = body.get("input") or []
    items: list[Json] = [{"role": "user", "content": given}] if isinstance(given, str) else given
    conversation = []
    for item in items:
        if item.get("role") == "user":
            conversation.append(Said("user", text_in(item.get("content"))))
        elif str(item.get("type", "")).endswith("_output"):
            conversation.append(Said("tool", str(item.get("output"))))
    tools = {
        tool["name"]: (tool.get("parameters") or {}) if tool["type"] == "function" else None
        for tool in body.get("tools") or []
        if tool.get("type") in ("function", "custom")
    }
    told = [text_in(item.get("content")) for item in items if item.get("role") == "developer"]
    may_want_rights = not any(_ASKED_ANYWAY in text for text in told)
    return Asked(body.get("model", ""), bool(body.get("stream")), tuple(conversation), tools, may_want_rights)


def stream(reply: Reply, model: str) -> Iterator[Frame]:
    numbers = itertools.count()

    def tell(kind: str, pause: float = 0.0, **fields: Any) -> Frame:
        kind = f"response.{kind}"
        return Frame(kind, {"type": kind, "sequence_number": next(numbers), **fields}, pause)

    head = _head(model)
    yield tell("created", response=head)
    for index, block in enumerate(reply.blocks):
        yield from _streamed(tell, block, index, new_id("item"))
    yield tell("completed", response=whole(reply, model) | {"id": head["id"]})


def whole(reply: Reply, model: str) -> Json:
    output = [_item(block, new_id("item"), "completed") for block in reply.blocks]
    usage = {
        "input_tokens": GIVEN_TOKENS,
        "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
        "output_tokens": reply.tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": GIVEN_TOKENS + reply.tokens,
    }
    return {**_head(model), "status": "completed", "output": output, "usage": usage}


def failure(status: int, message: str) -> Json:
    return {"error": {"message": message, "type": "scripted_error", "code": str(status)}}


def _streamed(tell: _Tell, block: Block, index: int, item_id: str) -> Iterator[Frame]:
    yield tell("output_item.added", output_index=index, item=_item(block, item_id, "in_progress"))
    where = {"item_id": item_id, "output_index": index}
    match block:
        case Say(text, pause):
            yield from _text(tell, "output_text", "content_part", text, pause, where | {"content_index": 0})
        case Think(text, pause):
            where |= {"summary_index": 0}
            yield from _text(tell, "reasoning_summary_text", "reasoning_summary_part", text, pause, where)
        case Call():
            yield from _call(tell, block, where)
    yield tell("output_item.done", output_index=index, item=_item(block, item_id, "completed"))


def _text(tell: _Tell, kind: str, part: str, text: str, pause: float, where: Json) -> Iterator[Frame]:
    yield tell(f"{part}.added", part=_part(kind, ""), **where)
    for word in words(text):
        yield tell(f"{kind}.delta", pause, delta=word, **where)
    yield tell(f"{kind}.done", text=text, **where)
    yield tell(f"{part}.done", part=_part(kind, text), **where)


def _part(kind: str, text: str) -> Json:
    if kind == "output_text":
        return {"type": "output_text", "text": text, "annotations": []}
    return {"type": "summary_text", "text": text}


def _call(tell: _Tell, call: Call, where: Json) -> Iterator[Frame]:
    plain = isinstance(call.arguments, str)
    kind, field = ("custom_tool_call_input", "input") if plain else ("function_call_arguments", "arguments")
    text = _arguments(call)
    for part in thirds(text):
        yield tell(f"{kind}.delta", delta=part, **where)
    yield tell(f"{kind}.done", **{field: text}, **where)


def _item(block: Block, item_id: str, status: str) -> Json:
    done = status == "completed"
    match block:
        case Say(text):
            content = [_part("output_text", text)] if done else []
            return {
                "type": "message",
                "id": item_id,
                "role": "assistant",
                "status": status,
                "content": content,
            }
        case Think(text):
            summary = [_part("reasoning_summary_text", text)] if done else []
            return {"type": "reasoning", "id": item_id, "summary": summary}
        case Call():
            plain = isinstance(block.arguments, str)
            kind, field = ("custom_tool_call", "input") if plain else ("function_call", "arguments")
            named = {"type": kind, "id": item_id, "call_id": block.id, "name": block.name, "status": status}
            return named | {field: _arguments(block) if done else ""}


def _arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _head(model: str) -> Json:
    return {
        "id": new_id("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "model": model,
        "status": "in_progress",
        "output": [],
        "usage": None,
        "error": None,
    }
