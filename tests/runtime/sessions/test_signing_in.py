"""Agents that want the person to sign in: the question, and the one retry that follows.

What needs processes: tests/faults/sessions/test_signing_in.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.script import request, say, script
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory


@pytest.mark.parametrize(
    ("fault", "method"), [("auth-on-new", "session/new"), ("auth-on-prompt", "session/prompt")]
)
async def test_signing_in_lets_the_same_turn_go_on(
    server: Server, workspace: Path, agent_log: AgentLog, fault: str, method: str
) -> None:
    """F8, R8, R62, R70, C3, C20: with the agent's own methods, only when needed, with one retry."""
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
    """F9: and it can be postponed; the turn then ends with a hint."""
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


async def test_a_sign_in_that_was_stopped_holds_nothing_up(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F9, K7: the agent is told, whatever it answers; the next message starts over, even after a kill."""
    server = await start_server(agents={"hangs": scripted("auth-on-new", "auth-hang", log=agent_log.path)})
    async with talking(server, workspace, "hangs") as talk:
        for number in (1, 2):
            turn = await talk.send(script(say("one")))
            question = await talk.question(number)
            chosen = next(o["id"] for o in question["options"] if o["kind"] == "sign_in")
            await talk.answer(question, chosen)
            await until(lambda number=number: len(agent_log.received("authenticate")) == number, 10)  # type: ignore[misc]
            await talk.cancel()
            assert (await talk.ended(turn))["stop_reason"] == "cancelled"
            await server.restart()
        told = [frame["params"]["requestId"] for frame in agent_log.received("$/cancel_request")]
        assert told == [frame["id"] for frame in agent_log.received("authenticate")]
        assert not talk.notices("agent-complained")


async def test_a_session_is_brought_back_once_the_person_has_signed_in(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R59, R62, C3: each restore finds out whether it is signed in; then the same session continues."""
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


async def test_only_a_sign_in_terminal_takes_input(server: Server, workspace: Path) -> None:
    async with talking(server, workspace) as talk:
        wait = request("terminal/wait_for_exit", {"terminalId": "$terminalId"})
        await talk.send(script(request("terminal/create", {"command": "sleep 1000"}), wait))
        await talk.answer(await talk.question(), "allow")
        opened = await talk.sees("terminal")
        assert "takes_input" not in opened
        for terminal, status in ((opened["terminal_id"], 409), ("s-none", 404)):
            with pytest.raises(ApiError) as refused:
                await talk.api.type_into(talk.id, terminal, data="x")
            assert refused.value.status == status
        await talk.cancel()
