"""Agents that send too much, nothing, or what nobody can read.

What needs processes: tests/faults/agents/test_noise.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    chunks,
    raw,
    say,
    script,
    silent,
    spoken_by,
    stderr,
    update,
)
from tests.fakes.scripted.faults import BAD_IDS, EMPTY_HINT, FUTURE_UPDATES, GARBAGE, NON_OBJECTS
from tests.kit.clients.driver import talking
from tests.kit.oracles.oracle import spoken
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until
from voxpilot.storage.chats.ledger import Ledger

pytestmark = pytest.mark.in_memory


async def test_unreadable_lines_are_counted_and_the_turn_goes_on(server: Server, workspace: Path) -> None:
    """F12: one notice per turn; everything before, between and after the lines is there."""
    # One of the bad ids is valid, but nobody sent that request: such an answer is dropped.
    faults = {"nondict": len(NON_OBJECTS), "badid": len(BAD_IDS) - 1, "garbage": len(GARBAGE) - 1}
    prompt = script(chunks(5), say("end"))
    for fault, count in faults.items():
        async with talking(server, workspace, f"scripted-{fault}") as talk:
            for number in (1, 2):
                assert (await talk.run(prompt))["stop_reason"] == "end_turn"
                notes = [note["text"] for note in talk.notices("unreadable-lines")]
                assert notes == [f"The agent sent {count} unreadable lines."] * number
            assert talk.states() == ["done", "done"]
            rows = await talk.judge(text=spoken_by(prompt) * 2)
            assert not [row for row in rows if row.kind == "unknown"]


async def test_lines_with_broken_text_and_odd_numbers_are_read_as_far_as_they_go(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F12: half an emoji, bytes that are not text, bare tabs, NaN and numbers too large for the log."""
    server = await start_server()
    async with talking(server, workspace) as talk:
        await talk.run(script(say("first.")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        head = (
            b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%b","update":'
            % session.encode()
        )
        chunk = head + b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%b"}}}}'
        usage = head + b'{"sessionUpdate":"usage_update","used":%b,"size":10}}}'
        prompt = script(
            raw(chunk % b"\\ud83d."),
            raw(chunk % b"\xc3\x28."),
            raw(chunk % b"\\u0000."),
            raw(usage % b"1"),
            raw(chunk % b"a\tb."),
            raw(chunk % b"c\td."),
            raw(usage % b"NaN"),
            raw(usage % (b"9" * 400)),
            raw(usage % b"1e999"),
            raw(head + b"[" * 100_000 + b"]" * 100_000 + b"}}"),
            say("last."),
        )
        assert (await talk.run(prompt))["stop_reason"] == "end_turn"
        await talk.judge(text="first.\ufffd.\ufffd(.\0.a\tb.c\td.last.")
        assert "step failed" not in server.stderr


DEEP = "@deep@"


def nested(depth: int, **frame: Any) -> str:
    """A line as an agent writes it, with nested lists where the frame says `DEEP`."""
    return raw(json.dumps(frame).replace(f'"{DEEP}"', "[" * depth + "]" * depth))


async def test_a_request_nested_too_deep_is_answered_with_an_error(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F12: wherever its id is, and whatever it requests; nobody waits forever, and the chat says so."""
    asking = "session/request_permission"
    requests = [
        nested(3000, jsonrpc="2.0", id=70, method=asking, params={"sessionId": DEEP}),
        nested(3000, jsonrpc="2.0", method="fs/read_text_file", params={"path": DEEP}, id='a "}, "id": 1'),
        nested(300, params={"x": [DEEP]}, method="elicitation/create", jsonrpc="2.0", id=71),
        nested(4000, id=72, method="terminal/create", params={"command": DEEP}, _meta={"y": DEEP}),
    ]
    unanswerable = [
        nested(3000, jsonrpc="2.0", method="session/update", params={"update": DEEP}),
        nested(3000, jsonrpc="2.0", method="$/cancel_request", params={"requestId": DEEP}),
        nested(3000, jsonrpc="2.0", params={"id": 73, "a": DEEP, "b": '}, "id": 73}'}, method=asking),
        nested(3000, a=DEEP, id=74, method=asking, b=DEEP),
    ]
    async with talking(server, workspace) as talk:
        assert (await talk.run(script(*requests, *unanswerable, say("on"))))["stop_reason"] == "end_turn"
        await until(lambda: sum("error" in frame for frame in agent_log.received()) == len(requests), 10)
        errors = [(f["id"], f["error"]["code"]) for f in agent_log.received() if "error" in f]
        assert errors == [(70, -32600), ('a "}, "id": 1', -32600), (71, -32600), (72, -32600)]
        assert len(talk.notices("passed-over")) == len(requests)
        assert [n["text"] for n in talk.notices("unreadable-lines")] == ["The agent sent 4 unreadable lines."]
        await talk.judge(text="on")


@pytest.mark.parametrize("where", ["result", "error"])
async def test_an_answer_nested_too_deep_ends_what_waited_for_it(
    server: Server, workspace: Path, agent_log: AgentLog, where: str
) -> None:
    """F12: the turn ends with an error that says so, and the chat can be continued."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        next_id = agent_log.received("session/prompt")[0]["id"] + 1
        line = nested(3000, jsonrpc="2.0", id=next_id, **{where: {"stopReason": DEEP}})
        ended = await talk.run(script(say("y"), line, silent()))
        assert ended["stop_reason"] == "error"
        assert "nested too deep" in ended["error"]["message"]
        await talk.judge(text="xy")


async def test_an_empty_answer_is_told(server: Server, workspace: Path) -> None:
    """F19: "the agent returned nothing", once per turn, and not if it did send something."""
    async with talking(server, workspace, "scripted-empty") as talk:
        assert (await talk.run(script(say("never"))))["stop_reason"] == "end_turn"
        notices = talk.notices("empty-answer")
        assert [notice["text"] for notice in notices] == ["The agent returned an empty response."]
        assert talk.states() == ["done"]
        await talk.judge(text="")
    async with talking(server, workspace) as talk:
        await talk.run(script(stderr("a warning"), say("something")))
        await talk.run(script(say("more")))
        assert talk.notices("empty-answer") == talk.notices("agent-stderr") == []


async def test_what_an_agent_wrote_to_stderr_follows_an_empty_answer(server: Server, workspace: Path) -> None:
    """F19, R75: its own output is the hint."""
    async with talking(server, workspace, "scripted-empty") as talk:
        await talk.run(script(say("never")))
        hint = await talk.notice("agent-stderr", 5)
        assert hint["detail"] == EMPTY_HINT
        assert hint["turn"] == talk.of_kind("turn-ended")[0]["turn"]
        await talk.judge(text="")


async def test_what_nobody_knows_yet_is_kept_and_shown(server: Server, workspace: Path) -> None:
    """F20, R39: unknown updates raw; unknown tool kinds, states and content unchanged."""
    async with talking(server, workspace, "scripted-future") as talk:
        assert (await talk.run(script(say("now"))))["stop_reason"] == "end_turn"
        rows = await talk.judge(text="now")
        assert [row.data["raw"] for row in rows if row.kind == "unknown"] == [FUTURE_UPDATES[0]]
        call = next(row.data for row in rows if row.kind == "tool-call")
        assert (call["title"], call["tool_kind"]) == ("Teleport", "teleport")
        assert call["content"] == [{"type": "hologram", "data": "??"}]
        assert any(row.kind == "tool-update" and row.data["status"] == "entangled" for row in rows)
        block = next(row.data["block"] for row in rows if row.kind == "text-delta" and "block" in row.data)
        assert block == {"type": "hologram", "data": "??"}
        shown = (await talk.api.blocks(talk.id))["blocks"]
        assert [block["raw"] for block in shown if block["kind"] == "unknown"] == [FUTURE_UPDATES[0]]
        assert next(block for block in shown if block["kind"] == "tool")["tool_kind"] == "teleport"


async def test_an_empty_thought_is_not_shown_and_cuts_nothing_in_two(server: Server, workspace: Path) -> None:
    nothing = {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": ""}}
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one "), update(nothing), update(nothing), say("two")))
        deltas = [row for row in talk.rows() if row.kind in ("text-delta", "thought-delta")]
        assert spoken(deltas) == "one two"
        assert len({delta.data["message_id"] for delta in deltas}) == 1


async def test_a_program_other_than_an_agent_that_prints_without_end_costs_little(
    server: Server, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B7: others wait while a step is made, so thousands of lines must not be thousands of changes."""
    count, changes, change = 20_000, list[object](), Ledger.change

    def counted(self: Ledger, *given: Any, **more: Any) -> Any:
        changes.append(given)
        return change(self, *given, **more)

    async with talking(server, workspace) as talk:
        monkeypatch.setattr(Ledger, "change", counted)
        lines = b"y\n\n" * (count // 2) + b'{"x"\n' * (count // 2)
        await talk.run(script(say("one "), raw(lines), say("two")))
        assert [n["text"] for n in talk.notices("unreadable-lines")] == [
            f"The agent sent {count} unreadable lines."
        ]
        assert server.stderr.count("unreadable line") <= 1
        await talk.judge(text="one two")
    assert len(changes) < count // 2 + 200
