"""A chat whose assistant is the scripted model.

Lives here: settings for it, the chat, and lines of the model's script. Lives elsewhere: the model
(tests/fakes/llm), the agents it delegates to (tests/fakes).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess


def assistant(llm: ScriptedLlm, wire: str = "openai", **more: Any) -> dict[str, Any]:
    """Settings that make the assistant use this model."""
    where = (
        {"provider": "anthropic", "base_url": llm.url}
        if wire == "anthropic"
        else {"provider": "compatible", "base_url": llm.openai}
    )
    return {"assistant": {**where, "model": "fake-model", "api_key": "k", **more}}


@asynccontextmanager
async def chatting(
    server: ServerProcess, workspace: Path, agent: str | None = "scripted", chat: str | None = None
) -> AsyncIterator[Talk]:
    async with talking(server, workspace, agent, chat, mode="llm") as talk:
        yield talk


def delegate(prompt: str, name: str = "work", agent: str | None = None) -> str:
    """A line of the model's script: delegate this to an agent."""
    arguments = {"prompt": prompt, "session_name": name} | ({"agent": agent} if agent else {})
    return f"call copilot_agent {json.dumps(arguments)}"


def call(tool: str, **arguments: Any) -> str:
    return f"call {tool} {json.dumps(arguments)}"


def delegated_text(events: list[Any], call: str) -> str:
    """What the agent said within one call, according to these rows or events."""
    return "".join(
        event.data["content"]
        for event in events
        if event.kind == "copilot-delta" and event.data["tool_call_id"] == call
    )


def assert_valid(body: dict[str, Any]) -> None:
    """Every call in a request to the model, in either wire format, has exactly one result right after it."""
    waiting: list[str] = []
    for message in body["messages"]:
        content = message["content"] if isinstance(message.get("content"), list) else []
        results = [part["tool_use_id"] for part in content if part.get("type") == "tool_result"]
        if message["role"] == "tool":
            results.append(message["tool_call_id"])
        for result in results:
            assert result in waiting, f"a result that nobody waits for: {result}"
            waiting.remove(result)
        if not results:
            assert not waiting, f"calls without a result: {waiting}"
        waiting += [part["id"] for part in content if part.get("type") == "tool_use"]
        waiting += [called["id"] for called in message.get("tool_calls") or ()]
    assert not waiting, f"calls without a result: {waiting}"
