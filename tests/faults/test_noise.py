"""Agents that send too much, nothing, or what nobody can read."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    bigline,
    chunks,
    flood,
    raw,
    say,
    script,
    silent,
    spoken_by,
    stderr,
    stderr_flood,
    touch,
    update,
    wait_file,
)
from tests.fakes.scripted.faults import BAD_IDS, EMPTY_HINT, FUTURE_UPDATES, GARBAGE, NON_OBJECTS
from tests.faults.driver import LONG_SECONDS, NIGHTLY, SLACK, Talk, keeper_of, percentile, talking
from tests.kit.agent_log import AgentLog
from tests.kit.config import scripted
from tests.kit.oracle import spoken
from tests.kit.processes import sampling
from tests.kit.server import ServerProcess
from tests.kit.waiting import until

MB = 2**20
EXTRA_BYTES = 64 * MB
"""How much more memory bad input may cost, server and keeper together."""
UPDATES = 200_000
MANY_UPDATES = 1_000_000 if NIGHTLY else UPDATES


async def test_unreadable_lines_are_counted_and_the_turn_goes_on(
    server: ServerProcess, workspace: Path
) -> None:
    """F12: one note a turn; everything before, between and after the lines is there."""
    # One of the bad ids is a good id, only that nobody has asked: such an answer is dropped.
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
    """F12: half an emoji, bytes that are no text, bare tabs, NaN and numbers too large for the log."""
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
    """A line as an agent writes it, with lists in lists where the frame says `DEEP`."""
    return raw(json.dumps(frame).replace(f'"{DEEP}"', "[" * depth + "]" * depth))


async def test_a_request_nested_too_deep_is_answered_with_an_error(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F12: wherever its id stands, and whatever it asks for; nobody waits for ever, and the chat says so."""
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
    server: ServerProcess, workspace: Path, agent_log: AgentLog, where: str
) -> None:
    """F12: the turn ends with an error that says so, and the chat can be gone on with."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        next_id = agent_log.received("session/prompt")[0]["id"] + 1
        line = nested(3000, jsonrpc="2.0", id=next_id, **{where: {"stopReason": DEEP}})
        ended = await talk.run(script(say("y"), line, silent()))
        assert ended["stop_reason"] == "error"
        assert "nested too deep" in ended["error"]["message"]
        await talk.judge(text="xy")


async def test_a_line_of_100_mb_is_skipped_and_costs_little(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F13, K10: one clear note, the turn goes on, and a second chat stays quick."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    prompt = script(say("before"), bigline(100), say("after"), wait_file("done"))
    async with talking(server, workspace) as talk, talking(server, workspace) as other:
        await talk.run(script(say("begin.")))
        keeper = keeper_of(agent_log.starts()[0])
        await other.run(script(say("x")))
        quiet = [await round_trip(other) for _ in range(10)]
        async with sampling(server.pid, keeper, every=0.01) as usage:
            turn = await talk.send(prompt)
            busy = []
            while "after" not in spoken(talk.viewer.events):
                busy.append(await round_trip(other))
        (workspace / "done").touch()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert usage.growth_bytes <= EXTRA_BYTES
        assert busy, "the line was over too soon to tell"
        assert [note["text"] for note in talk.notices("line-too-long")] == [
            "The agent sent a message that is too large (105 MB); it was skipped."
        ]
        assert percentile(busy, 0.95) <= max(percentile(quiet, 0.95), 0.1) * SLACK
        await talk.judge(text="begin.beforeafter")


async def round_trip(talk: Talk) -> float:
    begun = time.monotonic()
    await talk.run(script(say("x")))
    return time.monotonic() - begun


async def test_a_line_just_short_of_the_limit_comes_whole(server: ServerProcess, workspace: Path) -> None:
    """K10: 15 MB of text in one line, character by character."""
    prompt = script(say("a"), bigline(15), say("b"))
    async with talking(server, workspace) as talk:
        await talk.run(prompt, within=60)
        await talk.judge(text=spoken_by(prompt))


async def test_a_gigabyte_on_stderr_holds_nothing_up(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F15, K10: the turn finishes, at most a megabyte of it is kept."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("begin.")))
        keeper = keeper_of(agent_log.starts()[0])
        async with sampling(server.pid, keeper, every=0.05) as usage:
            ended = await talk.run(script(say("a"), stderr_flood(1024), say("b")), within=100)
        assert ended["stop_reason"] == "end_turn"
        assert usage.growth_bytes <= EXTRA_BYTES
        kept = sum(path.stat().st_size for path in (server.data_dir / "keepers").rglob("*") if path.is_file())
        assert kept <= 1 * MB
        await talk.judge(text="begin.ab")


async def test_a_flood_is_stored_whole_and_can_be_stopped(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F16: "stopping" is seen at once in the middle of it, the text is exact, memory stays."""
    deaf = scripted("ignore-cancel", log=agent_log.path, options=["--no-log-out"])
    server = await start_server(agents={"loud": deaf}, env={"VOXPILOT_CANCEL_TIMEOUT": "600"})
    prompt = script(flood(UPDATES // 2), touch("half"), flood(UPDATES // 2))
    async with talking(server, workspace, "loud") as talk:
        await talk.run(script(say("begin.")))
        keeper = keeper_of(agent_log.starts()[0])
        async with sampling(server.pid, keeper, every=0.05) as usage:
            turn = await talk.send(prompt)
            await until((workspace / "half").exists, 60)
            begun = time.monotonic()
            await talk.cancel()
            await talk.notice("stopping")
            took = time.monotonic() - begun
            assert talk.of_kind("turn-ended")[1:] == [], "the flood was over before it could be stopped"
            ended = await talk.ended(turn, 60 * SLACK)
        assert took <= 0.1 * SLACK
        assert ended["stop_reason"] == "cancelled"
        assert usage.growth_bytes <= EXTRA_BYTES
        await talk.judge(text="begin." + spoken_by(prompt))


@pytest.mark.timeout(LONG_SECONDS)
async def test_a_flood_leaves_room_for_others(start_server: StartServer, workspace: Path) -> None:
    """F16: while one chat is flooded, the routes of another answer and its turns go on."""
    loud = scripted(options=["--no-log-out"])
    server = await start_server(agents={"loud": loud}, env={"VOXPILOT_QUIET_TIME": "0"})
    async with talking(server, workspace, "loud") as talk, talking(server, workspace) as other:
        await talk.run(script(say("begin.")))
        await other.run(script(say("x")))
        turn = await talk.send(script(flood(MANY_UPDATES)))
        await talk.says("[000999]")
        times = []
        while not any(end["turn"] == turn for end in talk.of_kind("turn-ended")):
            times.append(await round_trip(other))
        assert times, "the flood was over too soon to tell"
        assert percentile(times, 0.95) <= 0.5 * SLACK
        await talk.judge(text="begin." + spoken_by(script(flood(MANY_UPDATES))))


async def test_an_empty_answer_is_told(server: ServerProcess, workspace: Path) -> None:
    """F19: "the agent returned nothing", once a turn, and not when it did say something."""
    async with talking(server, workspace, "scripted-empty") as talk:
        assert (await talk.run(script(say("never"))))["stop_reason"] == "end_turn"
        notices = talk.notices("empty-answer")
        assert [notice["text"] for notice in notices] == ["The agent returned nothing."]
        assert talk.states() == ["done"]
        await talk.judge(text="")
    async with talking(server, workspace) as talk:
        await talk.run(script(stderr("a warning"), say("something")))
        await talk.run(script(say("more")))
        assert talk.notices("empty-answer") == talk.notices("agent-stderr") == []


async def test_what_an_agent_wrote_to_stderr_follows_an_empty_answer(
    server: ServerProcess, workspace: Path
) -> None:
    """F19, R75: its own words are the hint."""
    async with talking(server, workspace, "scripted-empty") as talk:
        await talk.run(script(say("never")))
        hint = await talk.notice("agent-stderr", 5)
        assert hint["detail"] == EMPTY_HINT
        assert hint["turn"] == talk.of_kind("turn-ended")[0]["turn"]
        await talk.judge(text="")


async def test_what_nobody_knows_yet_is_kept_and_shown(server: ServerProcess, workspace: Path) -> None:
    """F20: unknown updates raw, unknown kinds and states of tools and unknown content as they are."""
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


async def test_an_empty_thought_is_not_shown_and_cuts_nothing_in_two(
    server: ServerProcess, workspace: Path
) -> None:
    nothing = {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": ""}}
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one "), update(nothing), update(nothing), say("two")))
        deltas = [row for row in talk.rows() if row.kind in ("text-delta", "thought-delta")]
        assert spoken(deltas) == "one two"
        assert len({delta.data["message_id"] for delta in deltas}) == 1
