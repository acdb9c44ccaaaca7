"""What agents say at odd moments, and that all we say to them is what the protocol allows.

What needs processes: tests/faults/agents/test_conversation.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ask_many,
    chunks,
    error,
    late,
    notify,
    raw,
    request,
    say,
    script,
    spoken_by,
    stop,
    touch,
    update,
    wait_file,
)
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory


async def test_the_first_frame_says_who_we_are_and_promises_nothing_we_do_not_do(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F6, R6, C11: first the number 1 and our name; every announced capability works."""
    async with talking(server, workspace) as talk:
        abilities = ["fs/read_text_file", "fs/write_text_file", "terminal/create", "elicitation/create"]
        await talk.run(script(*(request(method) for method in abilities)))
        (first,) = agent_log.received("initialize")
        assert first["params"]["protocolVersion"] == 1
        assert type(first["params"]["protocolVersion"]) is int
        assert {"name", "title", "version"} <= first["params"]["clientInfo"].keys()
        assert first["params"]["clientInfo"]["name"] == "voxpilot"
        wire = [line for line in agent_log.lines() if line.get("dir") in ("in", "out")]
        assert [line["dir"] for line in wire[:3]] == ["in", "out", "in"]  # nothing before it was answered
        assert (wire[0]["frame"], wire[1]["frame"]["id"]) == (first, first["id"])
        said = first["params"]["clientCapabilities"]
        offered = [
            (said.get("fs") or {}).get("readTextFile", False),
            (said.get("fs") or {}).get("writeTextFile", False),
            said.get("terminal", False),
            bool(said.get("elicitation")),
        ]
        refused = [f["error"]["code"] == -32601 for f in agent_log.received() if "error" in f]
        assert refused == [not ability for ability in offered]


async def test_a_prompt_is_the_message_and_nothing_else(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R134, R135, R141: the fifth prompt is as short as the first, and the message is stored as written."""
    messages = [script(say(f"answer {number}")) for number in range(5)]
    async with talking(server, workspace) as talk:
        for message in messages:
            await talk.run(message)
        prompts = [frame["params"]["prompt"] for frame in agent_log.received("session/prompt")]
        assert prompts == [[{"type": "text", "text": message}] for message in messages]
        assert [row.data["text"] for row in talk.rows() if row.kind == "message"] == messages


async def test_requests_nobody_knows_are_refused_and_the_turn_goes_on(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F20: -32601 each, with ids that start at 0 or are names; unknown notifications get no response."""
    named = scripted(log=agent_log.path, options=["--ids", "uuid"])
    server = await start_server(agents={"named": named})
    prompt = script(
        say("a"),
        request("_vendor/unknown", {"x": 1}),
        notify("_vendor/news", {"x": 1}),
        request("session/update", {"update": {}}),
        request("initialize"),
        say("b"),
    )
    for agent in ("scripted", "named"):
        async with talking(server, workspace, agent) as talk:
            assert (await talk.run(prompt))["stop_reason"] == "end_turn"
            await talk.judge(text="a" + "<error:-32601>" * 3 + "b")
    asked = [frame["id"] for frame in agent_log.sent() if "method" in frame and "id" in frame]
    answered = [frame["id"] for frame in agent_log.received() if "error" in frame]
    assert answered == asked
    assert asked[:3] == [0, 1, 2]
    assert all(isinstance(id, str) for id in asked[3:])


async def test_words_after_the_answer_belong_to_the_turn_they_end(
    start_server: StartServer, workspace: Path
) -> None:
    """F12, §9: also when the next message is already queued; it is sent after them."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "1.5"})
    async with talking(server, workspace, "scripted-late-chunks") as talk:
        first = await talk.send(script(wait_file("go"), say("a"), late("b")))
        second = await talk.send(script(say("c")))
        (workspace / "go").touch()
        await talk.ended(second)
        rows = await talk.judge()
        places = {
            (row.kind, row.data["turn"]): row.seq
            for row in rows
            if row.kind in ("turn-started", "turn-ended")
        }
        words = [row for row in rows if row.kind == "text-delta" and row.data["turn"] == first]
        assert "".join(row.data["content"] for row in words) == "ab<late>"
        assert words[-1].seq > places["turn-ended", first]
        assert words[-1].seq < places["turn-started", second]
        await talk.says("c<late>")
        assert talk.text() == "ab<late>c<late>"


async def test_a_late_word_alone_is_not_lost(server: Server, workspace: Path) -> None:
    """F19: text that arrives after the answer still belongs to the right turn."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(late("afterwards")))
        await talk.ended(turn)
        await talk.says("afterwards")
        assert {row.data["turn"] for row in talk.rows() if row.kind == "text-delta"} == {turn}
        await talk.judge(text="afterwards")


async def test_updates_for_a_session_that_is_only_being_opened_are_kept(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """§10: they arrive before the response that names the session, and are shown once it has arrived."""
    early = scripted("early-updates", "slow-new=0.2", log=agent_log.path)
    server = await start_server(agents={"early": early})
    async with talking(server, workspace, "early") as talk:
        await talk.run(script(say("a")))
        rows = await talk.judge(text="a")
        (commands,) = [row.data["commands"] for row in rows if row.kind == "commands"]
        assert [command["name"] for command in commands] == ["early"]
        assert not [row for row in rows if row.kind == "unknown"]


async def test_an_update_for_a_session_nobody_opened_is_kept_raw(server: Server, workspace: Path) -> None:
    """F20: and does not appear in another session's text."""
    stray = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "stray"}}
    frame = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "other", "update": stray}}
    async with talking(server, workspace) as talk:
        await talk.run(script(say("a"), raw(json.dumps(frame)), say("b")))
        await talk.run(script(say("c")))
        rows = await talk.judge(text="abc")
        assert [row.data["raw"] for row in rows if row.kind == "unknown"] == [frame["params"]]


async def test_every_way_a_prompt_can_be_answered_is_told(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """K7, §11, R74: reasons unchanged, errors as text, and an error after a stop counts as a stop."""
    async with talking(server, workspace) as talk:
        for reason in ("max_tokens", "max_turn_requests", "refusal", "a_new_reason"):
            assert (await talk.run(script(say("x"), stop(reason))))["stop_reason"] == reason
        failed = await talk.run(script(say("x"), error(-32603, "It broke.")))
        assert failed["stop_reason"] == "error"
        assert "It broke." in failed["error"]["message"]
        assert talk.states() == ["done"] * 4 + ["failed"]
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        turn = await talk.send(script(touch("said"), wait_file("go"), error(-32800, "Cancelled.")))
        await until((workspace / "said").exists, 30)
        await talk.cancel()
        await until(lambda: len(agent_log.received("session/cancel")) == 1, 10)
        (workspace / "go").touch()
        ended = await talk.ended(turn)
        assert (ended["stop_reason"], ended.get("error")) == ("cancelled", None)
        assert talk.states() == ["cancelled"]


@pytest.mark.parametrize("code", [-32700, -32600, -32601, -32602, -32603, -32002, -32800, -1])
async def test_every_error_is_told_in_words_and_the_agent_stays(
    server: Server, workspace: Path, agent_log: AgentLog, code: int
) -> None:
    """R69, R74: with the agent's own message, never as an object; the same process continues."""
    async with talking(server, workspace) as talk:
        failed = await talk.run(script(error(code, "The file is locked.")))
        said = failed["error"]["message"]
        assert said.endswith(" It says: The file is locked.")
        assert not set("{}[]'") & set(said)
        assert talk.of_kind("agent-status")[-1]["status"] == "connected"
        assert (await talk.run(script(say("on"))))["stop_reason"] == "end_turn"
        assert len(agent_log.starts()) == 1


async def test_stopping_answers_every_open_permission(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R84, C8: each with the cancelled outcome, none with an option."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(ask_many(3), say("never")))
        await talk.question(3)
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert agent_log.decisions() == ["cancelled"] * 3
        assert {answer["by"] for answer in talk.of_kind("answer")} == {"cancelled"}


async def test_tools_run_in_the_agent_and_are_only_shown(server: Server, workspace: Path) -> None:
    """R112: we execute neither the command nor the change that a tool call describes."""
    changed = {"type": "diff", "path": str(workspace / "made.txt"), "oldText": None, "newText": "x\n"}
    call: dict[str, Any] = {
        "sessionUpdate": "tool_call",
        "toolCallId": "c",
        "title": "Make",
        "kind": "execute",
    }
    call |= {"status": "completed", "rawInput": {"command": f"touch {workspace}/ran"}, "content": [changed]}
    async with talking(server, workspace) as talk:
        await talk.run(script(update(call), say("done")))
        (shown,) = talk.of_kind("tool-call")
        assert shown["content"] == [changed]
        assert list(workspace.iterdir()) == []


async def test_a_prompt_answered_with_nonsense_ends_once(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F12: whatever the answer contains, and even if the same prompt is answered again."""
    answers: list[dict[str, Any]] = [
        {"result": None},
        {"result": []},
        {"result": {"stopReason": 5}},
        {"result": "end_turn"},
        {"error": "a plain string"},
        {"error": {"code": "x", "message": None, "data": {"deep": [1]}}},
        {"error": {}},
    ]
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        for answer in answers:
            number = int(agent_log.received("session/prompt")[-1]["id"]) + 1
            line = json.dumps({"jsonrpc": "2.0", "id": number, **answer})
            ended = await talk.run(script(say("x"), raw(line), say("y")))
            assert ended["stop_reason"] == ("error" if "error" in answer else "end_turn")
            if "error" in answer:
                assert ended["error"]["message"]
        await talk.run(script(say("z")))
        assert talk.states() == ["done"] * 5 + ["failed"] * 3 + ["done"]
        await talk.judge(text="x" + "xy" * len(answers) + "z")


async def test_a_turn_goes_on_after_an_answer_to_nobody(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F12: answers to requests we never sent, the same answer twice, errors without an id."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("a")))
        answered = agent_log.received("session/prompt")[0]["id"]
        lines = [
            {"jsonrpc": "2.0", "id": answered, "result": {"stopReason": "end_turn"}},
            {"jsonrpc": "2.0", "id": "never asked", "result": {}},
            {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}},
            {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}},
        ]
        prompt = script(chunks(3), *(raw(json.dumps(line)) for line in lines), say("b"))
        assert (await talk.run(prompt))["stop_reason"] == "end_turn"
        await talk.judge(text="a" + spoken_by(prompt))
