"""An agent that runs commands by itself and lets us watch, as Codex does."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.script import script, update
from tests.faults.driver import talking
from tests.kit.server import ServerProcess


async def test_what_such_a_command_prints_is_shown_in_its_tool_call(
    server: ServerProcess, workspace: Path
) -> None:
    call = {"toolCallId": "c1", "sessionUpdate": "tool_call_update"}
    opened = {
        **call,
        "sessionUpdate": "tool_call",
        "title": "make",
        "kind": "execute",
        "status": "in_progress",
        "content": [{"type": "terminal", "terminalId": "c1"}],
        "rawInput": {"command": "make", "cwd": "/x"},
        "_meta": {"terminal_info": {"cwd": "/x", "terminal_id": "c1"}},
    }
    first = {**call, "_meta": {"terminal_output_delta": {"data": "one\n", "terminal_id": "c1"}}}
    last = {
        **call,
        "status": "failed",
        "_meta": {
            "terminal_output_delta": {"data": "two\n" * 5000, "terminal_id": "c1"},
            "terminal_exit": {"exit_code": 3, "signal": None, "terminal_id": "c1"},
            "other": 1,
        },
    }
    async with talking(server, workspace) as talk:
        await talk.run(script(update(opened), update(first), update(last)))
        await talk.judge()
        blocks = (await talk.api.blocks(talk.id))["blocks"]
        [terminal] = [block for block in blocks if block["kind"] == "terminal"]
        [tool] = [block for block in blocks if block["kind"] == "tool"]
    assert terminal["terminal_id"] == tool["content"][0]["terminalId"]
    assert (terminal["command"], terminal["cwd"], terminal["exit"]["exit_code"]) == ("make", "/x", 3)
    assert terminal["text"] == "one\n" + "two\n" * 5000
    assert (tool["status"], tool["meta"]) == ("failed", {"other": 1})
