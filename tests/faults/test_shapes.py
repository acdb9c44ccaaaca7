"""Updates in odd shapes and at odd times: nothing of them is put where it does not belong, or lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.fakes.script import request, script, tool, tool_update, update
from tests.faults.driver import Talk, talking
from tests.kit.server import ServerProcess

OPTIONS = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]


async def blocks(talk: Talk, kind: str) -> list[dict[str, Any]]:
    return [block for block in (await talk.api.blocks(talk.id))["blocks"] if block["kind"] == kind]


async def test_names_that_agents_use_again_in_the_next_turn_are_new_ones(
    server: ServerProcess, workspace: Path
) -> None:
    """R2, R105: messages and calls counted from one; a permission shows nothing of an earlier turn's call."""
    async with talking(server, workspace) as talk:
        for word in ("one", "two"):
            spoken = {"sessionUpdate": "agent_message_chunk", "messageId": "1"}
            await talk.run(script(update({**spoken, "content": {"type": "text", "text": word}})))
        assert [block["text"] for block in await blocks(talk, "text")] == ["one", "two"]
        earlier = {"toolCallId": "1", "title": "Run", "kind": "execute", "rawInput": {"command": "ls"}}
        await talk.run(script(update({"sessionUpdate": "tool_call", "status": "completed", **earlier})))
        params = {"toolCall": {"toolCallId": "1"}, "options": OPTIONS}
        turn = await talk.send(script(request("session/request_permission", params)))
        question = await talk.question()
        assert "input" not in question["detail"]
        assert question["title"] != "Run"
        await talk.answer(question, "yes")
        await talk.ended(turn)
        assert [block["status"] for block in await blocks(talk, "tool")] == ["completed", "cancelled"]


async def test_a_call_that_we_have_closed_is_not_opened_again(server: ServerProcess, workspace: Path) -> None:
    """R105: not by a word that comes too late; how it really ended is still taken in."""
    async with talking(server, workspace) as talk:
        await talk.run(script(tool("left", "execute", "Left open"), tool("other", "execute", "Other")))
        await talk.run(script(tool_update("left", "in_progress"), tool_update("other", "failed")))
        assert [block["status"] for block in await blocks(talk, "tool")] == ["cancelled", "failed"]


async def test_a_field_of_the_wrong_shape_costs_only_itself(server: ServerProcess, workspace: Path) -> None:
    """R2, R105: the rest of a call's update counts, and what can be read of it is shown."""
    odd: list[dict[str, Any]] = [
        {"content": {"type": "content", "content": {"type": "text", "text": "alone"}}},
        {"content": "bare"},
        {"content": 5, "locations": "here", "title": 7, "kind": [], "_meta": "x"},
    ]
    async with talking(server, workspace) as talk:
        started = [tool(str(n), "execute", "A call") for n in range(len(odd))]
        changed = {"sessionUpdate": "tool_call_update", "status": "completed"}
        ends = [update({**changed, "toolCallId": str(n), **more}) for n, more in enumerate(odd)]
        await talk.run(script(*started, *ends))
        shown = await blocks(talk, "tool")
        assert [block["status"] for block in shown] == ["completed"] * 3
        assert [part["content"]["text"] for block in shown for part in block["content"]] == ["alone", "bare"]
        call = {"toolCallId": "9", "title": "Run", "rawInput": {"command": "ls"}, "locations": "here"}
        params = {"toolCall": call, "options": OPTIONS}
        turn = await talk.send(script(request("session/request_permission", params)))
        question = await talk.question()
        assert question["title"] == "Run"
        assert question["detail"]["input"] == {"command": "ls"}
        await talk.answer(question, "yes")
        await talk.ended(turn)
