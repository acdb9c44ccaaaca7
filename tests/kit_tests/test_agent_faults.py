"""Each fault of the scripted agent is really there."""

from __future__ import annotations

import json
import os
import queue
import signal
import time
from pathlib import Path

import pytest

from tests.fakes.script import ALLOW, ask, bigline, chunks, say, script, silent, spawn, spoken_by
from tests.fakes.scripted.children import LIFETIME_SECONDS
from tests.fakes.scripted.faults import BAD_IDS, EMPTY_HINT, GARBAGE, NON_OBJECTS
from tests.kit.machine.processes import end_marked, is_alive, marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.waiting import until
from tests.kit_tests.pipe_client import PipeClient

pytestmark = pytest.mark.usefixtures("mark")


def test_exit_at_spawn_says_why() -> None:
    with PipeClient("exit-at-spawn") as agent:
        assert agent.process.wait(10) == 3
    assert b"licence file missing" in agent.stderr


def test_hang_init_never_answers() -> None:
    with PipeClient("hang-init") as agent:
        agent.ask("initialize", protocolVersion=1)
        with pytest.raises(queue.Empty):
            agent.read(within=0.1)


@pytest.mark.parametrize(("fault", "version"), [("version=2", 2), ('version="1"', "1")])
def test_version_is_another_one(fault: str, version: object) -> None:
    with PipeClient(fault, checked=False) as agent:
        assert agent.call("initialize", protocolVersion=1)["protocolVersion"] == version


@pytest.mark.parametrize("fault", ["slow-init=0.2", "slow-new=0.2"])
def test_slow_answers_come_late_but_come(fault: str) -> None:
    with PipeClient(fault) as agent:
        began = time.monotonic()
        agent.start()
        assert time.monotonic() - began >= 0.2


def test_sessions_want_a_sign_in_first() -> None:
    with PipeClient("auth-on-new") as agent:
        methods = agent.call("initialize", protocolVersion=1)["authMethods"]
        refused = agent.answer_to(agent.ask("session/new", cwd="/", mcpServers=[]))
        assert refused["error"]["code"] == -32000
        agent.call("authenticate", methodId=methods[0]["id"])
        assert agent.run(agent.start(), script(say("in"))) == "end_turn"


def test_prompts_want_a_sign_in_first_which_a_terminal_can_give(tmp_path: Path) -> None:
    signed_in = ("--signed-in-file", str(tmp_path / "yes"))
    with PipeClient("auth-on-prompt", options=signed_in) as agent:
        session = agent.start()
        assert agent.answer_to(agent.prompt(session, "say x"))["error"]["code"] == -32000
        with PipeClient(options=(*signed_in, "--login"), checked=False) as login:
            login.send_bytes(b"1234\n")
            assert login.process.wait(10) == 0
        assert agent.run(session, script(say("in"))) == "end_turn"


def test_signing_in_can_fail_and_hang() -> None:
    with PipeClient("auth-fail") as agent:
        assert "expired" in agent.answer_to(agent.ask("authenticate", methodId="x"))["error"]["message"]
    with PipeClient("auth-hang") as agent:
        agent.ask("authenticate", methodId="x")
        with pytest.raises(queue.Empty):
            agent.read(within=0.1)


@pytest.mark.parametrize(
    ("fault", "lines"), [("garbage", GARBAGE), ("nondict", NON_OBJECTS), ("badid", BAD_IDS)]
)
def test_garbage_is_mixed_into_the_turn_and_nothing_is_missing(fault: str, lines: list[bytes]) -> None:
    prompt = script(chunks(5))
    with PipeClient(fault, checked=False) as agent:
        session = agent.start()
        agent.run(session, prompt)
        assert agent.said() == spoken_by(prompt, faults=[fault])
        # The first two frames answer initialize and session/new, then come five chunks and the answer.
        assert len(agent.frames) == 2 + len(lines) + 5 + 1
        assert agent.frames[2] == _as_read(lines[0])
        assert agent.frames[-2] == _as_read(lines[-1])


def _as_read(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return line + b"\n"


def test_a_big_line_is_one_valid_frame() -> None:
    with PipeClient("bigline=3") as agent:
        agent.run(agent.start(), script(bigline(0.5)))
        assert [len(update["content"]["text"]) for update in agent.updates()] == [3 * 2**20, 2**19]


def test_floods_come_whole() -> None:
    with PipeClient("flood=5000", "stderr=2m") as agent:
        agent.run(agent.start(), script(say("end")))
        assert agent.said() == spoken_by(script(say("end")), faults=["flood=5000", "stderr=2m"])
        agent.finish()
    assert len(agent.stderr) == 100_000


def test_silent_says_nothing_until_cancelled() -> None:
    with PipeClient("silent") as agent:
        session = agent.start()
        running = agent.prompt(session, script(say("x")))
        with pytest.raises(queue.Empty):
            agent.read(within=0.1)
        agent.cancel(session)
        assert agent.answer_to(running)["result"] == {"stopReason": "cancelled"}
        assert agent.said() == ""


def test_empty_ends_without_a_word_but_hints() -> None:
    with PipeClient("empty") as agent:
        assert agent.run(agent.start(), script(say("x"))) == "end_turn"
        assert agent.updates() == []
        agent.finish()
    assert EMPTY_HINT.encode() in agent.stderr


def test_future_sends_what_nobody_knows_yet() -> None:
    with PipeClient("future", checked=False) as agent:
        agent.run(agent.start(), script(say("now")))
        assert [update["sessionUpdate"] for update in agent.updates()] == [
            "hologram_update",
            "tool_call",
            "tool_call_update",
            "agent_message_chunk",
            "agent_message_chunk",
        ]
        assert agent.said() == "now"


def test_exit_mid_leaves_after_some_chunks() -> None:
    with PipeClient("exit-mid=4") as agent:
        running = agent.prompt(agent.start(), script(say("never")))
        with pytest.raises(EOFError):
            agent.answer_to(running)
        assert agent.said() == spoken_by(script(say("never")), faults=["exit-mid=4"])
        assert agent.process.wait(10) == 0


def test_cancel_end_of_input_and_sigterm_can_be_ignored() -> None:
    with PipeClient("ignore-cancel", "ignore-eof", "ignore-term") as agent:
        session = agent.start()
        running = agent.prompt(session, script(say("a"), ask(), say("b")))
        asked = agent.request_from_agent()
        agent.cancel(session)
        agent.process.send_signal(signal.SIGTERM)
        agent.decide(asked, ALLOW)
        agent.answer_to(running)
        assert agent.said() == f"a<answer:{ALLOW}>b"
        agent.prompt(session, script(silent()))
        agent.close_input()
        with pytest.raises(queue.Empty):
            agent.read(within=0.2)
        assert agent.process.poll() is None


async def test_grandchildren_outlive_the_agent(mark: str, tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "log")
    with PipeClient("grandchildren", log=log.path) as agent:
        try:
            agent.run(agent.start(), script(say("x")))
            assert agent.said() == spoken_by(script(say("x")), faults=["grandchildren"])
            children = log.spawned()
            groups = [os.getpgid(child) == os.getpgid(agent.process.pid) for child in children]
            assert groups == [True, False, False, True]
            agent.process.kill()
            agent.process.wait()
            assert all(is_alive(child) for child in children)
            # A process shows its environment and command only after it has changed to the new program.
            sleeping = [(child, f"sleep {LIFETIME_SECONDS}") for child in sorted(children)]
            await until(lambda: sorted((found.pid, found.command) for found in marked(mark)) == sleeping)
        finally:
            end_marked(mark)


@pytest.mark.parametrize("way", ["plain", "setsid", "double", "nohup"])
async def test_each_way_to_spawn_can_be_ordered(mark: str, way: str) -> None:
    with PipeClient() as agent:
        agent.run(agent.start(), script(spawn(way)))
        try:
            await until(lambda: len(marked(mark)) == 2)  # its mark shows once it runs another program
        finally:
            end_marked(mark)


def test_early_updates_come_before_the_session_is_known() -> None:
    with PipeClient("early-updates") as agent:
        session = agent.start()
        assert agent.frames[1]["params"]["sessionId"] == session
        assert agent.frames[1]["params"]["update"]["sessionUpdate"] == "available_commands_update"
        assert agent.frames[2]["result"]["sessionId"] == session


def test_late_chunks_come_after_the_answer() -> None:
    with PipeClient("late-chunks") as agent:
        agent.run(agent.start(), script(say("a")))
        assert agent.said() == "a"
        agent.read()
        assert agent.said() == spoken_by(script(say("a")), faults=["late-chunks"])


def test_no_ask_acts_unasked() -> None:
    with PipeClient("no-ask") as agent:
        agent.run(agent.start(), script(ask("t1", "Edit")))
        assert agent.updates("tool_call")[0]["kind"] == "edit"
        assert agent.updates("tool_call_update")[0]["status"] == "completed"
        assert agent.said() == spoken_by(script(ask("t1", "Edit")), faults=["no-ask"])


def test_a_burst_of_permissions_opens_every_turn() -> None:
    with PipeClient("perm-burst=3") as agent:
        running = agent.prompt(agent.start(), script(say("done")))
        for asked in [agent.request_from_agent() for _ in range(3)]:
            agent.decide(asked, ALLOW)
        agent.answer_to(running)
        assert agent.said() == spoken_by(script(say("done")), [ALLOW] * 3, ["perm-burst=3"])


def test_abilities_can_be_taken_away(tmp_path: Path) -> None:
    with PipeClient("caps-off", options=("--store", str(tmp_path))) as agent:
        assert agent.call("initialize", protocolVersion=1)["agentCapabilities"] == {}
        assert set(agent.call("session/new", cwd="/", mcpServers=[])) == {"sessionId"}
    with PipeClient("no-load", "no-resume", options=("--store", str(tmp_path))) as agent:
        able = agent.call("initialize", protocolVersion=1)["agentCapabilities"]
        assert able["loadSession"] is False
        assert "resume" not in able["sessionCapabilities"]


def test_loading_can_fail_in_every_way(tmp_path: Path) -> None:
    kept = ("--store", str(tmp_path))
    with PipeClient(options=kept) as agent:
        session = agent.start()
        agent.run(session, script(say("kept")))
    load = {"sessionId": session, "cwd": "/", "mcpServers": []}
    for fault, code in (("load-notfound", -32002), ("load-error", -32603)):
        with PipeClient(fault, options=kept) as agent:
            assert agent.answer_to(agent.ask("session/load", **load))["error"]["code"] == code
    with PipeClient("load-empty", options=kept) as agent:
        agent.call("session/load", **load)
        assert agent.updates() == []
    with PipeClient("replay=1m", options=kept) as agent:
        agent.call("session/load", **load)
        assert len(agent.said()) == len("kept") + 2**20
    with PipeClient("replay-hang", options=kept) as agent:
        agent.ask("session/load", **load)
        with pytest.raises(queue.Empty):
            agent.read(within=0.1)
