"""How agents ask: ids of every kind, many at once, taken back, or in a way that cannot be answered.

What needs processes: tests/faults/agents/test_asking.py.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.fakes.script import (
    ALLOW,
    ALWAYS,
    CANCELLED,
    REJECT,
    ask,
    ask_many,
    chunks,
    notify,
    raw,
    say,
    script,
    spoken_by,
    wait_file,
)
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import MARK, scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until
from voxpilot.chat.permissions import decide
from voxpilot.runtime.step import policy

pytestmark = pytest.mark.in_memory

ASKING_AGENT = Path(__file__).parents[2] / "fakes" / "asking_agent.py"


async def test_two_permissions_at_once_are_decided_each_on_its_own(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    """K13: with ids that start at 0 or are names; the later question may be answered first."""
    logs = {"numbers": AgentLog(place / "numbers.jsonl"), "names": AgentLog(place / "names.jsonl")}
    numbers, names = (log.path for log in logs.values())
    agents = {"numbers": scripted(log=numbers), "names": scripted(log=names, options=["--ids", "uuid"])}
    server = await start_server(agents=agents)
    prompt = script(ask_many(2), ask("t3", "And this?"), say("end"))
    for agent, log in logs.items():
        async with talking(server, workspace, agent) as talk:
            turn = await talk.send(prompt)
            first, second = await talk.question(1), await talk.question(2)
            assert (await talk.api.chat(talk.id))["needs_you"] == 2
            await talk.answer(second, REJECT)
            await until(lambda log=log: log.decisions() == [REJECT], 10)  # type: ignore[misc]
            await talk.answer(first, ALLOW)
            await talk.answer(await talk.question(3), ALWAYS)
            assert (await talk.ended(turn))["stop_reason"] == "end_turn"
            ids = [frame["id"] for frame in log.sent("session/request_permission")]
            assert ids == [0, 1, 2] if agent == "numbers" else all(isinstance(id, str) for id in ids)
            await talk.judge(text=spoken_by(prompt, [ALLOW, REJECT, ALWAYS]))


async def test_ids_that_differ_only_in_type_are_two_questions(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """K13: 0, "0" and the ids of our own requests are all different."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        lines = [raw(json.dumps(permission(session, id))) for id in (0, "0", 1, 2, 3, 4)]
        turn = await talk.send(script(*lines, wait_file("go")))
        await talk.question(len(lines))
        for number, question in enumerate(talk.of_kind("question")):
            await talk.answer(question, ALLOW if number % 2 else REJECT)
        await until(lambda: len(agent_log.decisions()) == len(lines), 10)
        (workspace / "go").touch()
        await talk.ended(turn)
        answers = {
            json.dumps(frame["id"]): frame["result"]["outcome"]["optionId"]
            for frame in agent_log.received()
            if "result" in frame
        }
        assert answers == {"0": REJECT, '"0"': ALLOW, "1": REJECT, "2": ALLOW, "3": REJECT, "4": ALLOW}
        await talk.judge(text="x")


def permission(session: str, id: int | str) -> dict[str, Any]:
    options = [
        {"optionId": ALLOW, "name": "Allow", "kind": "allow_once"},
        {"optionId": REJECT, "name": "Reject", "kind": "reject_once"},
    ]
    call = {"toolCallId": f"call-{id!r}", "title": f"Call {id!r}"}
    params = {"sessionId": session, "toolCall": call, "options": options}
    return {"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params}


async def test_a_question_taken_back_by_the_agent_is_closed(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """K13: `$/cancel_request` closes the card, gets a response, and the turn continues."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        prompt = script(
            raw(json.dumps(permission(session, 77))),
            wait_file("take-back"),
            notify("$/cancel_request", {"requestId": "77"}),  # another id: nothing happens
            notify("$/cancel_request", {"requestId": 77}),
            notify("$/cancel_request", {"requestId": 77}),
            wait_file("go"),
            say("y"),
        )
        turn = await talk.send(prompt)
        question = await talk.question()
        (workspace / "take-back").touch()
        decided = await talk.sees("answer")
        assert (decided["question_id"], decided["outcome"]) == (question["id"], "cancelled")
        await until(lambda: agent_log.decisions() == [CANCELLED], 10)
        with pytest.raises(ApiError, match="409 already-decided"):
            await talk.answer(question, ALLOW)
        (workspace / "go").touch()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert agent_log.decisions() == [CANCELLED]
        await talk.judge(text="xy")


async def test_a_permission_that_offers_nothing_or_names_no_session_is_refused(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """K13: the agent gets an error, nobody is asked, the turn continues."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        empty = permission(session, 10)
        empty["params"]["options"] = []
        stray = permission("no-such-session", 11)
        bare = {"jsonrpc": "2.0", "id": 12, "method": "session/request_permission"}
        frames = [raw(json.dumps(frame)) for frame in (empty, stray, bare)]
        turn = await talk.send(script(*frames, wait_file("go"), say("y")))
        await until(lambda: sum("error" in frame for frame in agent_log.received()) == 3, 10)
        errors = [(f["id"], f["error"]["code"]) for f in agent_log.received() if "error" in f]
        assert errors == [(10, -32602), (11, -32602), (12, -32602)]
        (workspace / "go").touch()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert talk.of_kind("question") == []
        await talk.judge(text="xy")


async def test_options_that_share_an_id_are_told_apart_by_what_was_pressed(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """K13: the agent gets its id, the choice is stored, and the card says what cannot be distinguished."""
    long = "x" * 2000
    given = [
        {"optionId": "ok", "name": "Allow", "kind": "allow_once"},
        {"optionId": "ok", "name": "Reject", "kind": "reject_once"},
        {"optionId": "ok", "name": "Reject", "kind": "reject_once"},
        {"optionId": "option-2", "name": "Later", "kind": "postpone"},
        {"optionId": long, "name": "Always", "kind": "allow_always"},
    ]
    async with talking(server, workspace) as talk:
        await talk.api.change_chat(talk.id, permissions="auto")  # never chooses among options with one id
        await talk.run(script(say("x")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        asking = [permission(session, 20 + number) for number in range(4)]
        for frame in asking:
            frame["params"]["options"] = given
        turn = await talk.send(script(*(raw(json.dumps(frame)) for frame in asking), wait_file("go")))
        await talk.question(4)
        pressed = ["Reject", "Allow", "Later", "Always"]
        for question, label in zip(talk.of_kind("question"), pressed, strict=True):
            assert [option["label"] for option in question["options"]] == [
                "Allow",
                "Reject",
                "Later",
                "Always",
            ]
            assert (
                question["detail"]["caution"]
                == "some options have the same ID, so the agent cannot tell them apart"
            )
            option = next(option for option in question["options"] if option["label"] == label)
            taken = await talk.answer(question, option["id"])
            assert taken["outcome"] == option["kind"]
            with pytest.raises(ApiError, match=f": {label}"):
                await talk.answer(question, question["options"][0]["id"])
        await until(lambda: agent_log.decisions() == ["ok", "ok", "option-2", long], 10)
        kept = (await talk.api.decisions(chat=talk.id))[::-1]
        labels = [{o["id"]: o["label"] for o in row["options"]}[row["option_id"]] for row in kept]
        assert labels == pressed
        (workspace / "go").touch()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"


async def test_fifty_permissions_at_once_are_fifty_decisions(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F40"""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(chunks(3), ask_many(50)))
        await talk.question(50)
        assert (await talk.api.chat(talk.id))["needs_you"] == 50
        options = [(ALLOW, ALWAYS, REJECT)[number % 3] for number in range(50)]
        for question, option in zip(talk.of_kind("question"), options, strict=True):
            await talk.answer(question, option)
        await talk.ended(turn)
        assert agent_log.decisions() == options
        await talk.judge(text=spoken_by(script(chunks(3), ask_many(50)), options))


def asking(*args: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(ASKING_AGENT), *args], "pass_env": [MARK]}


async def test_an_agent_may_ask_before_it_opens_a_session(start_server: StartServer, workspace: Path) -> None:
    """K13: about the request that opens it; a person may take longer than an agent may."""
    server = await start_server(agents={"asking": asking()}, env={"VOXPILOT_RESTORE_TIMEOUT": "1"})
    async with talking(server, workspace, "asking") as talk:
        turn = await talk.send("hello")
        question = await talk.question()
        assert (question["type"], question["title"]) == ("url", "Agree to the terms")
        assert (question["agent"], question["turn"]) == ("asking", turn)
        await server.restart()
        await anyio.sleep(1.5)
        await talk.api.answer_form(talk.id, question["id"], "accept")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.judge(text='{"action": "accept"}')


async def test_the_time_to_sign_in_stands_still_while_the_agent_asks_something(
    start_server: StartServer, workspace: Path
) -> None:
    """F9, K13: also across a restart; the agent then gets its full time to finish."""
    server = await start_server(
        agents={"signs": asking("authenticate")}, env={"VOXPILOT_SIGN_IN_TIMEOUT": "1"}
    )
    async with talking(server, workspace, "signs") as talk:
        turn = await talk.send("hello")
        await talk.answer(await talk.question(), "method:page")
        question = await talk.question(2)
        assert (question["title"], question["turn"]) == ("Agree to the terms", turn)
        await server.restart()
        await anyio.sleep(2)
        assert len(talk.of_kind("question")) == 2
        await talk.api.answer_form(talk.id, question["id"], "accept")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.judge(text='{"action": "accept"}')


@pytest.mark.parametrize("names", [(), ("names-session",)])
async def test_an_agent_may_ask_while_it_brings_a_session_back(
    start_server: StartServer, workspace: Path, names: tuple[str, ...]
) -> None:
    """K13: in a turn, or during a restore; about the request, or in the session's name."""
    agents = {"asking": asking("session/load", *names)}
    server = await start_server(agents=agents, env={"VOXPILOT_RESTORE_TIMEOUT": "1"})
    async with talking(server, workspace, "asking") as talk:
        await talk.run("one")
        await server.interrupt()
        await server.start()
        turn = await talk.send("two")
        question = await talk.question()
        assert (question["title"], question["turn"]) == ("Agree to the terms", turn)
        await anyio.sleep(1.5)
        await talk.api.answer_form(talk.id, question["id"], "accept")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.api.restart(talk.id)
        question = await talk.question(2)
        assert (question["agent"], question.get("turn")) == ("asking", None)
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        await anyio.sleep(1.5)
        await talk.api.answer_form(talk.id, question["id"], "decline")
        await until(lambda: len(talk.notices("restored")) == 2, 10)
        await talk.run("three")
        await talk.judge(text='nothing{"action": "accept"}{"action": "decline"}')


async def test_an_agent_may_ask_before_it_takes_a_choice(start_server: StartServer, workspace: Path) -> None:
    """K13: the next message waits for that choice, and the choice for the person."""
    agents = {"asking": asking("session/set_config_option", "names-session")}
    server = await start_server(agents=agents, env={"VOXPILOT_RESTORE_TIMEOUT": "1"})
    async with talking(server, workspace, "asking") as talk:
        await talk.run("one")
        await talk.api.set_option(talk.id, id="model", value="b")
        question = await talk.question()
        assert question["title"] == "Agree to the terms"
        turn = await talk.send("two")
        await anyio.sleep(1.5)
        await talk.api.answer_form(talk.id, question["id"], "accept")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert not talk.notices("option-refused")
        await talk.judge(text='nothing{"action": "accept"}')


async def test_many_questions_at_once_are_each_checked_once(
    server: Server, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B7: the open questions are looked at after every line of the agent."""
    count, looks = 300, list[object]()

    def counted(*given: Any) -> Any:
        looks.append(given)
        return decide.policy_for(*given)

    async with talking(server, workspace) as talk:
        monkeypatch.setattr(policy, "policy_for", counted)
        turn = await talk.send(script(ask_many(count)))
        await talk.question(count)
        await talk.cancel()
        await talk.ended(turn)
    assert len(looks) < 10 * count
