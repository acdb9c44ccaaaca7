"""Agents that want the person to sign in: the question, and the one retry that follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.faults.driver import talking
from tests.kit.agent_log import AgentLog
from tests.kit.config import scripted
from tests.kit.server import ServerProcess
from tests.kit.waiting import until


@pytest.mark.parametrize(
    ("fault", "method"), [("auth-on-new", "session/new"), ("auth-on-prompt", "session/prompt")]
)
async def test_signing_in_lets_the_same_turn_go_on(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, fault: str, method: str
) -> None:
    """F8, R8, R62, R70, C3, C20: by the agent's own methods, only when needed, with one retry."""
    async with talking(server, workspace, f"scripted-{fault}") as talk:
        turn = await talk.send(script(say("one")))
        question = await talk.question()
        assert question["type"] == "sign-in"
        assert question["turn"] == turn
        assert [m["name"] for m in question["detail"]["methods"]]
        assert not agent_log.received("authenticate")
        chosen = next(o["id"] for o in question["options"] if o["kind"] == "sign_in")
        await server.restart()  # the question is there again
        await talk.answer(question, chosen)
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert agent_log.received("authenticate")[0]["params"] == {"methodId": chosen.removeprefix("method:")}
        assert len(agent_log.received(method)) == 2
        assert len(agent_log.starts()) == 1
        await talk.judge(text="one")


async def test_having_signed_in_elsewhere_restarts_the_agent(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F8, R70: an agent may read its credentials only when it starts."""
    signed_in = place / "signed-in"
    agent = scripted("auth-on-new", log=agent_log.path, options=["--signed-in-file", str(signed_in)])
    server = await start_server(agents={"signs": {**agent, "login_hint": "Run `signs login`."}})
    async with talking(server, workspace, "signs") as talk:
        turn = await talk.send(script(say("one")))
        question = await talk.question()
        assert question["detail"]["hint"] == "Run `signs login`."
        signed_in.touch()
        await talk.answer(question, "done")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert len(agent_log.starts()) == 2
        assert agent_log.prompts() == [script(say("one"))]


async def test_a_sign_in_that_fails_comes_back_with_the_reason(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F9: and it can be put off; the turn then ends with what to do."""
    server = await start_server(agents={"fails": scripted("auth-on-new", "auth-fail", log=agent_log.path)})
    async with talking(server, workspace, "fails") as talk:
        turn = await talk.send(script(say("one")))
        question = await talk.question()
        chosen = next(o["id"] for o in question["options"] if o["kind"] == "sign_in")
        await talk.answer(question, chosen)
        again = await talk.question(2)
        assert "the code has expired" in again["detail"]["reason"]
        await talk.answer(again, "dismiss")
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "error"
        assert "sign in" in ended["error"]["message"]
        assert ended["error"]["hint"]
        assert len(agent_log.received("session/new")) == 1


async def test_a_sign_in_that_never_ends_can_be_stopped_or_runs_out(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F9."""
    agents = {"hangs": scripted("auth-on-new", "auth-hang", log=agent_log.path)}
    server = await start_server(agents=agents, env={"VOXPILOT_SIGN_IN_TIMEOUT": "1"})
    async with talking(server, workspace, "hangs") as talk:
        turn = await talk.send(script(say("one")))
        question = await talk.question()
        chosen = next(o["id"] for o in question["options"] if o["kind"] == "sign_in")
        await talk.answer(question, chosen)
        again = await talk.question(2)
        assert "within 1 s" in again["detail"]["reason"]
        await talk.answer(again, chosen)
        await until(lambda: len(agent_log.received("authenticate")) == 2, 10)
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"


async def test_a_session_is_brought_back_once_the_person_has_signed_in(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R59, R62, C3: the agent says at each restore whether it is signed in; the same session then goes on."""
    signed_in = place / "signed-in"
    signed_in.touch()
    options = ["--signed-in-file", str(signed_in), "--store", str(place / "kept")]
    server = await start_server(
        agents={"signs": scripted("auth-on-new", log=agent_log.path, options=options)}
    )
    async with talking(server, workspace, "signs") as talk:
        await talk.run(script(say("one")))
        await server.interrupt()
        signed_in.unlink()
        await server.start()
        turn = await talk.send(script(say("two")))
        question = await talk.question()
        assert (question["type"], question["turn"]) == ("sign-in", turn)
        await talk.answer(question, next(o["id"] for o in question["options"] if o["kind"] == "sign_in"))
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        sessions = {frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")}
        assert len(sessions) == 1
        assert talk.notices("restored")
        await talk.judge(text="onetwo")
