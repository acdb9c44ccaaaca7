"""The scripted agent does what its script says, according to the protocol."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.fakes.script import (
    ALLOW,
    REJECT,
    ask,
    ask_many,
    cancel_race,
    chunks,
    commands,
    die,
    diff,
    env,
    error,
    flood,
    late,
    leave,
    mode,
    notify,
    plan,
    raw,
    request,
    say,
    script,
    silent,
    sleep,
    spoken_by,
    stderr,
    stderr_flood,
    stop,
    text,
    think,
    title,
    tool,
    tool_update,
    touch,
    update,
    usage,
    wait_file,
)
from tests.kit.peers.agent_log import AgentLog
from tests.kit_tests.pipe_client import PipeClient

pytestmark = pytest.mark.usefixtures("mark")


def test_it_starts_fast() -> None:
    def start() -> float:
        began = time.monotonic()
        with PipeClient() as agent:
            agent.call("initialize", protocolVersion=1)
            return time.monotonic() - began

    # Five times the 60 ms it may take: machines are noisy.
    assert min(start() for _ in range(3)) < 0.3


def test_it_says_exactly_what_its_script_says() -> None:
    prompt = (
        script(say("one"), say(" two\nlines "), chunks(20), text(3, 50), flood(2500), say("")) + "\nbogus"
    )
    with PipeClient() as agent:
        session = agent.start()
        assert agent.run(session, f"Some words first.\n{prompt}") == "end_turn"
        assert agent.said() == spoken_by(prompt)
        assert agent.said().startswith("one two\nlines [000000][000001]")
        assert agent.said().endswith("<unknown:bogus>")
        assert agent.finish() == 0


def test_every_kind_of_update_is_valid() -> None:
    prompt = script(
        think("hm"),
        plan("first", "second"),
        tool("t1", "edit", "Edit a file"),
        diff("t1", "a.txt"),
        tool_update("t1", "completed", "done"),
        commands("web", "test"),
        mode("plan"),
        usage(10, 100),
        title("A title"),
        update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "raw"}}),
    )
    with PipeClient() as agent:
        session = agent.start("/some folder")
        agent.run(session, prompt)
        assert [update["sessionUpdate"] for update in agent.updates()] == [
            "agent_thought_chunk",
            "plan",
            "tool_call",
            "tool_call_update",
            "tool_call_update",
            "available_commands_update",
            "current_mode_update",
            "usage_update",
            "session_info_update",
            "agent_message_chunk",
        ]
        assert agent.updates("tool_call")[0]["title"] == "Edit a file"
        assert agent.updates("tool_call_update")[0]["content"][0]["path"] == "/some folder/a.txt"


@pytest.mark.parametrize(("option", "answer"), [(ALLOW, ALLOW), (REJECT, REJECT), (None, "cancelled")])
def test_it_asks_waits_and_repeats_the_answer(option: str | None, answer: str) -> None:
    prompt = script(say("before "), ask("t1", "May I edit?"), say(" after"))
    with PipeClient() as agent:
        running = agent.prompt(agent.start(), prompt)
        asked = agent.request_from_agent()
        assert asked["id"] == 0
        assert asked["params"]["toolCall"]["title"] == "May I edit?"
        assert agent.said() == "before "
        agent.decide(asked, option)
        agent.answer_to(running)
        assert agent.said() == spoken_by(prompt, [answer])


def test_it_asks_many_things_at_once_and_keeps_the_answers_apart() -> None:
    prompt = script(ask_many(5))
    with PipeClient() as agent:
        running = agent.prompt(agent.start(), prompt)
        asked = [agent.request_from_agent() for _ in range(5)]
        for question in reversed(asked):
            agent.decide(question, ALLOW if question["id"] % 2 else REJECT)
        agent.answer_to(running)
        assert agent.said() == spoken_by(prompt, [REJECT, ALLOW, REJECT, ALLOW, REJECT])


def test_its_ids_can_be_uuids_and_come_last() -> None:
    with PipeClient(options=("--ids", "uuid")) as agent:
        running = agent.prompt(agent.start(), script(ask()))
        asked = agent.request_from_agent()
        assert len(asked["id"]) == 36
        assert list(asked)[-1] == "id"
        agent.decide(asked, ALLOW)
        agent.answer_to(running)


def test_message_ids_change_when_something_comes_between() -> None:
    prompt = script(say("a"), say("b"), think("c"), say("d"), tool("t1"), say("e"))
    with PipeClient(options=("--message-ids",)) as agent:
        agent.run(agent.start(), prompt)
        ids = [update["messageId"][-2:] for update in agent.updates() if "messageId" in update]
        assert ids == ["m1", "m1", "m2", "m3", "m4"]


def test_a_request_is_answered_and_its_result_can_be_used() -> None:
    prompt = script(
        request("terminal/create", {"command": "ls"}),
        request("terminal/output", {"terminalId": "$terminalId"}),
        notify("_scripted/hello", {"n": 1}),
    )
    with PipeClient() as agent:
        running = agent.prompt(agent.start(), prompt)
        created = agent.request_from_agent()
        agent.send({"jsonrpc": "2.0", "id": created["id"], "result": {"terminalId": "T7"}})
        output = agent.request_from_agent()
        assert output["params"]["terminalId"] == "T7"
        agent.send({"jsonrpc": "2.0", "id": output["id"], "error": {"code": -32601, "message": "no"}})
        agent.answer_to(running)
        assert agent.said() == '<result:{"terminalId":"T7"}><error:-32601>'
        assert [frame["method"] for frame in agent.frames if "method" in frame][-1] == "_scripted/hello"


def test_a_turn_ends_as_the_script_wants() -> None:
    with PipeClient() as agent:
        session = agent.start()
        assert agent.run(session, script(stop("max_tokens"), say("not said"))) == "max_tokens"
        refused = agent.answer_to(agent.prompt(session, script(error(-32603, "The model is gone"))))
        assert refused["error"] == {"code": -32603, "message": "The model is gone"}
        nonsense = agent.answer_to(agent.prompt(session, "chunks many"))
        assert nonsense["error"]["code"] == -32603
        assert agent.said() == ""
        assert agent.run(session, script(say("alive"))) == "end_turn"


def test_late_words_come_after_the_answer() -> None:
    prompt = script(say("in time"), late("too late"))
    with PipeClient() as agent:
        agent.run(agent.start(), prompt)
        assert agent.said() == "in time"
        agent.read()
        assert agent.said() == spoken_by(prompt)


@pytest.mark.parametrize("waiting", [silent(), sleep(100), wait_file("never"), cancel_race(100_000), ask()])
def test_a_cancel_is_noticed_while_it_waits(waiting: str) -> None:
    with PipeClient() as agent:
        session = agent.start()
        running = agent.prompt(session, script(say("begun"), waiting, say("not said")))
        while agent.said() != "begun":
            agent.read()
        agent.cancel(session)
        assert agent.answer_to(running)["result"] == {"stopReason": "cancelled"}
        assert agent.said() == "begun"
        assert agent.run(session, script(say(" again"))) == "end_turn"


@pytest.mark.parametrize("streaming", [chunks(10_000_000), flood(10_000_000), stderr_flood(10_000)])
def test_a_cancel_is_noticed_while_it_streams(streaming: str) -> None:
    with PipeClient(checked=False) as agent:
        session = agent.start()
        running = agent.prompt(session, script(say("begun"), streaming))
        while not agent.said():
            agent.read()
        agent.cancel(session)
        assert agent.answer_to(running)["result"] == {"stopReason": "cancelled"}


def test_a_cancel_in_the_same_breath_as_the_prompt_cancels_it() -> None:
    with PipeClient() as agent:
        session = agent.start()
        text = [{"type": "text", "text": script(silent())}]
        prompt = agent.request("session/prompt", sessionId=session, prompt=text)
        cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}
        agent.send(prompt, cancel)
        assert agent.answer_to(prompt["id"])["result"] == {"stopReason": "cancelled"}
        assert agent.run(session, script(say("free again"))) == "end_turn"


def test_a_race_with_a_cancel_has_one_end() -> None:
    with PipeClient() as agent:
        session = agent.start()
        assert agent.run(session, script(cancel_race(1))) == "end_turn"
        agent.cancel(session)
        assert agent.run(session, script(say("next"))) == "end_turn"


def test_a_cancelled_request_is_still_answered() -> None:
    with PipeClient("slow-new=100") as agent:
        agent.call("initialize", protocolVersion=1)
        request_id = agent.ask("session/new", cwd="/", mcpServers=[])
        agent.send({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": request_id}})
        assert agent.answer_to(request_id)["error"]["code"] == -32800


def test_two_sessions_run_side_by_side(tmp_path: Path) -> None:
    with PipeClient() as agent:
        one = agent.start(str(tmp_path))
        two = agent.call("session/new", cwd=str(tmp_path), mcpServers=[])["sessionId"]
        first = agent.prompt(one, script(wait_file("go"), say("one")))
        second = agent.prompt(two, script(say("two"), touch("go")))
        agent.answer_to(second)
        agent.answer_to(first)
        assert (agent.said(one), agent.said(two)) == ("one", "two")


def test_a_second_prompt_waits_for_the_first(tmp_path: Path) -> None:
    with PipeClient() as agent:
        session = agent.start(str(tmp_path))
        agent.prompt(session, script(wait_file("go"), say("first ")))
        second = agent.prompt(session, script(say("second")))
        (tmp_path / "go").touch()
        agent.answer_to(second)
        assert agent.said() == "first second"


def test_it_leaves_as_told() -> None:
    for last, code in ((leave(7), 7), (die("KILL"), -9), (die("15"), -15)):
        with PipeClient() as agent:
            agent.prompt(agent.start(), script(say("bye"), last))
            assert agent.process.wait(10) == code


def test_raw_lines_and_stderr_pass_as_they_are() -> None:
    with PipeClient(checked=False) as agent:
        session = agent.start()
        agent.run(session, script(raw(b"\xff\xfe"), raw("42"), stderr("watch out")) + '\nraw {"a": 1}')
        assert agent.frames[-4:-1] == [b"\xff\xfe\n", 42, {"a": 1}]
        agent.finish()
    assert agent.stderr == b"watch out\n"


def test_it_tells_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", "canary")
    with PipeClient() as agent:
        agent.run(agent.start(), script(env()))
        assert json.loads(agent.said())["PLANTED"] == "canary"


def test_modes_and_options_can_be_set() -> None:
    with PipeClient() as agent:
        session = agent.start()
        agent.call("session/set_mode", sessionId=session, modeId="plan")
        assert agent.updates("current_mode_update")[0]["currentModeId"] == "plan"
        agent.call("session/set_config_option", sessionId=session, configId="model", value="scripted-2")
        options = agent.call(
            "session/set_config_option", sessionId=session, configId="verbose", type="boolean", value=True
        )["configOptions"]
        assert {option["id"]: option["currentValue"] for option in options} == {
            "mode": "plan",
            "model": "scripted-2",
            "verbose": True,
        }


def test_a_session_survives_its_process(tmp_path: Path) -> None:
    kept = ("--store", str(tmp_path / "kept"))
    with PipeClient(options=kept) as agent:
        session = agent.start()
        agent.run(session, script(say("remember")))
        agent.prompt(session, script(say("half"), leave()))
        agent.process.wait(10)
    with PipeClient(options=kept) as agent:
        initialized = agent.call("initialize", protocolVersion=1)
        assert initialized["agentCapabilities"]["loadSession"] is True
        listed = agent.call("session/list")["sessions"]
        assert [entry["sessionId"] for entry in listed] == [session]
        agent.call("session/load", sessionId=session, cwd="/tmp", mcpServers=[])
        assert [update["sessionUpdate"] for update in agent.updates()] == [
            "user_message_chunk",
            "agent_message_chunk",
            "user_message_chunk",
        ]
        assert agent.said() == "remember"
        agent.call("session/resume", sessionId=session, cwd="/tmp")
        agent.call("session/close", sessionId=session)
        agent.call("session/delete", sessionId=session)
        assert agent.call("session/list")["sessions"] == []


def test_what_it_cannot_read_or_do_is_answered() -> None:
    with PipeClient() as agent:
        agent.send_bytes(b"{nonsense\n")
        assert agent.read()["error"]["code"] == -32700
        assert agent.answer_to(agent.ask("session/fly"))["error"]["code"] == -32601
        assert agent.answer_to(agent.prompt("nobody", "say x"))["error"]["code"] == -32602


def test_its_log_tells_what_it_received_and_sent(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "agent.jsonl")
    with PipeClient(log=log.path) as agent:
        running = agent.prompt(agent.start(), script(ask(), flood(3)))
        agent.decide(agent.request_from_agent(), ALLOW)
        agent.answer_to(running)
        pid = agent.process.pid
    assert log.starts() == [pid]
    assert [frame.get("method") for frame in log.received()] == [
        "initialize",
        "session/new",
        "session/prompt",
        None,
    ]
    assert log.prompts() == [script(ask(), flood(3))]
    assert log.decisions() == [ALLOW]
    sent = log.sent()
    assert sent == agent.frames
    with PipeClient(log=log.path, options=("--no-log-out",)) as agent:
        agent.start()
    assert log.sent() == sent
    assert len(log.received("initialize")) == 2
    assert len(log.starts()) == 2


def test_a_misspelt_directive_is_refused_when_composed() -> None:
    with pytest.raises(ValueError, match="not a directive"):
        script("sya hello")
    with pytest.raises(ValueError, match="nobody can know"):
        spoken_by(script(env()))
