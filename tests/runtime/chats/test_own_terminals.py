"""An agent that runs commands by itself and lets us watch, as Codex does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import script, update
from tests.kit.clients.driver import talking
from tests.kit.servers.running import Server
from voxpilot.chat.blocks import KEPT_BLOCKS

pytestmark = pytest.mark.in_memory


async def test_what_such_a_command_prints_is_shown_in_its_tool_call(server: Server, workspace: Path) -> None:
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


async def test_a_name_used_again_once_its_command_has_ended_is_another_command(
    server: Server, workspace: Path
) -> None:
    """R97: in the same turn or a later one, in one piece or several; late output goes to its own one."""
    last = [told("c", "terminal_output", data="3"), told("c", "terminal_exit", exit_code=3)]
    first_turn = script(
        *run("a", "one", "1"),
        told("a", "terminal_exit", exit_code=1),  # again: still the same one
        *run("b", "two", "2")[:2],
        told("other", "terminal_output", data="+"),  # it is still running: not a new one
        told("b", "terminal_exit", exit_code=2),
        *last,
    )
    async with talking(server, workspace) as talk:
        await talk.run(first_turn)
        await server.restart()
        await talk.run(script(*run("a", "four", "4")))
        await talk.judge()
        blocks = (await talk.api.blocks(talk.id))["blocks"]
    terminals = {block["terminal_id"]: block for block in blocks if block["kind"] == "terminal"}
    assert [(b["text"], b["exit"]["exit_code"]) for b in terminals.values()] == [
        ("1", 1),
        ("2+", 2),
        ("3", 3),
        ("4", 4),
    ]
    tools = [block for block in blocks if block["kind"] == "tool" and block.get("content")]
    shown = [terminals[tool["content"][0]["terminalId"]] for tool in tools]
    assert [(t["command"], t["text"]) for t in shown] == [("one", "1"), ("two", "2+"), ("four", "4")]


async def test_a_name_used_again_long_after_is_another_command(server: Server, workspace: Path) -> None:
    """R97: although the server no longer has the first one in memory, viewers still do."""
    others = [{"sessionUpdate": "tool_call", "toolCallId": f"n{n}", "title": "x"} for n in range(KEPT_BLOCKS)]
    async with talking(server, workspace) as talk:
        await talk.run(script(*run("a", "one", "1")))
        await talk.run(script(*map(update, others)))
        await talk.run(script(*run("b", "two", "2")))
        await server.restart()
        await talk.run(script(*run("c", "three", "3")))
        await talk.judge()
        opened = [row["terminal_id"] for row in talk.of_kind("terminal")]
        printed = {row["terminal_id"]: row["data"] for row in talk.of_kind("terminal-output")}
    assert len(set(opened)) == 3
    assert [printed[name] for name in opened] == ["1", "2", "3"]


def run(call: str, command: str, prints: str) -> list[str]:
    """A command of an agent that calls all its terminals `t`."""
    opened = {
        "sessionUpdate": "tool_call",
        "toolCallId": call,
        "title": command,
        "content": [{"type": "terminal", "terminalId": "t"}],
        "_meta": {"terminal_info": {"terminal_id": "t"}},
    }
    printed = told(call, "terminal_output_delta", data=prints)
    return [update(opened), printed, told(call, "terminal_exit", exit_code=int(prints))]


def told(call: str, word: str, **more: Any) -> str:
    meta = {word: {"terminal_id": "t", **more}}
    return update({"sessionUpdate": "tool_call_update", "toolCallId": call, "_meta": meta})
