"""Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
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

_SIGNATURE = "c2NyaXB0ZWQ="


def read(body: Json) -> Asked:
    conversation = []
    for message in body.get("messages", []):
        if message["role"] == "user":
            conversation += _said(message["content"])
    tools: dict[str, Json | None] = {
        tool["name"]: tool.get("input_schema") or {} for tool in body.get("tools") or []
    }
    return Asked(body.get("model", ""), bool(body.get("stream")), tuple(conversation), tools)


def stream(reply: Reply, model: str) -> Iterator[Frame]:
    yield _told("message_start", message={**_head(model), "content": [], "usage": _usage(1)})
    for index, block in enumerate(reply.blocks):
        yield _told("content_block_start", index=index, content_block=_begun(block))
        pause = 0.0 if isinstance(block, Call) else block.pause
        for delta in _deltas(block):
            yield _told("content_block_delta", pause, index=index, delta=delta)
        yield _told("content_block_stop", index=index)
    delta = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    yield _told("message_delta", delta=delta, usage=_usage(reply.tokens))
    yield _told("message_stop")


def whole(reply: Reply, model: str) -> Json:
    content = [_finished(block) for block in reply.blocks]
    usage = _usage(reply.tokens)
    return {**_head(model), "content": content, "stop_reason": _stop_reason(reply), "usage": usage}


def failure(status: int, message: str) -> Json:
    kind = "invalid_request_error" if status == 400 else "api_error"
    return {"type": "error", "error": {"type": kind, "message": message}}


def _said(content: Any) -> list[Said]:
    if isinstance(content, str):
        return [Said("user", content)]
    results = [
        Said("tool", text_in(part.get("content"))) for part in content if part["type"] == "tool_result"
    ]
    texts = [part["text"] for part in content if part["type"] == "text"]
    return [
        *results,
        *(
            Said("user", text, beside_result=bool(results), follows=number > 0)
            for number, text in enumerate(texts)
        ),
    ]


def _begun(block: Block) -> Json:
    match block:
        case Say():
            return {"type": "text", "text": ""}
        case Think():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case Call():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": {}}


def _finished(block: Block) -> Json:
    match block:
        case Say(text):
            return {"type": "text", "text": text}
        case Think(text):
            return {"type": "thinking", "thinking": text, "signature": _SIGNATURE}
        case Call():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.arguments}


def _deltas(block: Block) -> Iterator[Json]:
    match block:
        case Say(text):
            yield from ({"type": "text_delta", "text": word} for word in words(text))
        case Think(text):
            yield from ({"type": "thinking_delta", "thinking": word} for word in words(text))
            yield {"type": "signature_delta", "signature": _SIGNATURE}
        case Call():
            given = block.arguments
            for part in thirds(given if isinstance(given, str) else json.dumps(given)):
                yield {"type": "input_json_delta", "partial_json": part}


def _told(kind: str, pause: float = 0.0, **fields: Any) -> Frame:
    return Frame(kind, {"type": kind, **fields}, pause)


def _head(model: str) -> Json:
    named = {"id": new_id("msg"), "type": "message", "role": "assistant", "model": model}
    return named | {"stop_reason": None, "stop_sequence": None}


def _stop_reason(reply: Reply) -> str:
    if reply.is_short:
        return "max_tokens"
    return "tool_use" if reply.calls else "end_turn"


def _usage(tokens: int) -> Json:
    return {
        "input_tokens": GIVEN_TOKENS,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": CACHED_TOKENS,
        "output_tokens": tokens,
    }
