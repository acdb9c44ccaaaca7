"""Agents that want the person to sign in: the question, and the one retry that follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import request, say, script
from tests.faults.driver import Talk, talking
from tests.kit.agent_log import AgentLog
from tests.kit.client import ApiError, new_key
from tests.kit.config import MARK, scripted
from tests.kit.processes import Found, marked
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


async def test_a_sign_in_that_was_stopped_holds_nothing_up(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F9, K7: the agent is told, whatever it answers then; the next message begins anew, after a kill too."""
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


SECRET = "correct horse battery"


async def test_signing_in_by_a_command_in_a_terminal(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F8, C3, R62, R70: typed once, stored nowhere; whatever is killed meanwhile; then the turn goes on."""
    server = await start_server(agents={"signs": _signs(place, agent_log)})
    async with talking(server, workspace, "signs") as talk:
        turn = await talk.send(script(say("one")))
        terminal = await _open_terminal(talk)
        assert terminal["takes_input"] is True
        assert terminal["turn"] == turn
        assert terminal["command"][-1] == "--login"
        await _prints(talk, "Enter the code: ")
        await server.restart()  # by SIGKILL; the terminal waits on
        await until(lambda: _is_asked(talk), 10)
        key = new_key()
        for _ in range(2):  # the same key again types nothing
            await talk.api.type_into(talk.id, terminal["terminal_id"], key, data=SECRET)
        await talk.api.type_into(talk.id, terminal["terminal_id"], data="\r")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert (await talk.sees("terminal-exit"))["exit_code"] == 0
        assert _printed(talk) == "Enter the code: \r\nSigned in.\r\n"
        with pytest.raises(ApiError) as late:
            await talk.api.type_into(talk.id, terminal["terminal_id"], data="more\r")
        assert (late.value.status, late.value.code) == (409, "not-typed")
        assert len(agent_log.starts()) == 2
        assert not agent_log.received("authenticate")
        assert agent_log.prompts() == [script(say("one"))]
        assert not _is_asked(talk)
        await talk.judge(text="one")
    await server.terminate()
    kept = [path for path in server.database.parent.rglob("*") if path.is_file()]
    assert server.database in kept
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]
    assert SECRET not in server.stderr


async def test_a_command_that_fails_to_sign_in_is_told_and_can_be_tried_again(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F9."""
    server = await start_server(agents={"signs": _signs(place, agent_log)})
    async with talking(server, workspace, "signs") as talk:
        turn = await talk.send(script(say("one")))
        terminal = await _open_terminal(talk)
        await _prints(talk, "Enter the code: ")
        await talk.api.type_into(talk.id, terminal["terminal_id"], data="\r")
        again = await talk.question(3)
        assert again["detail"]["reason"] == "The command ended with exit status 1."
        assert _printed(talk).endswith("That is no code.\r\n")
        await talk.answer(again, "terminal:scripted-terminal")
        await until(lambda: len(talk.of_kind("terminal")) == 2, 10)
        second = talk.of_kind("terminal")[1]["terminal_id"]
        await until(lambda: _printed(talk).count("Enter the code: ") == 2, 20)
        await talk.api.type_into(talk.id, second, data="\x03")  # Ctrl-C
        assert "ended" in (await talk.question(5))["detail"]["reason"]
        await talk.answer(await talk.question(5), "dismiss")
        assert (await talk.ended(turn))["stop_reason"] == "error"
        assert len(agent_log.starts()) == 1


async def test_a_sign_in_command_shows_no_secrets(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R125: it is run with them; and only if it is the one that was shown."""
    agent = _signs(place, agent_log)
    agent["args"] += ["--agent-version", "API_KEY=canary-1"]
    server = await start_server(agents={"signs": agent})
    async with talking(server, workspace, "signs") as talk:
        turn = await talk.send(script(say("one")))
        question = await talk.question()
        (shown,) = [m["command"] for m in question["detail"]["methods"] if "command" in m]
        assert "--agent-version 'API_KEY=••••••••' --login" in shown
        added = {"args": [*agent["args"], "--models", "one"]}
        await talk.api.call("PUT", "/api/agents/signs", added)
        await talk.answer(question, "terminal:scripted-terminal")
        again = await talk.question(2)
        assert again["detail"]["reason"] == "The agent's command has changed meanwhile."
        await talk.answer(again, "terminal:scripted-terminal")
        terminal = await talk.sees("terminal")
        await _prints(talk, "Enter the code: ")
        assert all("API_KEY=canary-1" in found.command for found in _logins(server))
        await talk.api.type_into(talk.id, terminal["terminal_id"], data="x\r")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert "canary" not in str(talk.rows())
        assert "canary" not in str(await talk.api.call("GET", "/api/decisions"))
        await talk.judge(text="one")


@pytest.mark.parametrize("way", ["stop", "not now", "signed in elsewhere", "delete"])
async def test_a_sign_in_terminal_ends_when_nobody_wants_it_any_more(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog, way: str
) -> None:
    """F9: and nothing of it is left."""
    server = await start_server(agents={"signs": _signs(place, agent_log)})
    async with talking(server, workspace, "signs") as talk:
        turn = await talk.send(script(say("one")))
        terminal = await _open_terminal(talk)
        await _prints(talk, "Enter the code: ")
        assert _logins(server)
        follow_up = await talk.question(2)
        assert follow_up["detail"]["terminal_id"] == terminal["terminal_id"]
        if way == "stop":
            await talk.cancel()
        elif way == "not now":
            await talk.answer(follow_up, "dismiss")
        elif way == "signed in elsewhere":
            (place / "signed-in").touch()
            await talk.answer(follow_up, "done")
        else:
            await talk.api.delete_chat(talk.id)
        if way != "delete":
            expected = {"stop": "cancelled", "not now": "error"}.get(way, "end_turn")
            assert (await talk.ended(turn))["stop_reason"] == expected
            await talk.sees("terminal-exit")
            assert not _is_asked(talk)
            await talk.judge()
        await until(lambda: not _logins(server), 10, "the terminal is left behind")


async def test_only_a_sign_in_terminal_takes_input(server: ServerProcess, workspace: Path) -> None:
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


def _signs(place: Path, agent_log: AgentLog) -> dict[str, Any]:
    """An agent that is signed in to by running it in a terminal."""
    return scripted("auth-on-new", log=agent_log.path, options=["--signed-in-file", str(place / "signed-in")])


async def _open_terminal(talk: Talk) -> dict[str, Any]:
    question = await talk.question()
    await talk.answer(question, "terminal:scripted-terminal")
    return await talk.sees("terminal")


async def _prints(talk: Talk, text: str) -> None:
    await until(lambda: text in _printed(talk), 20, "nothing was printed")


def _printed(talk: Talk) -> str:
    return "".join(event["data"] for event in talk.of_kind("terminal-output"))


def _is_asked(talk: Talk) -> bool:
    return bool(talk._ask("SELECT 1 FROM questions WHERE chat_id = ? AND state = 'open'"))


def _logins(server: ServerProcess) -> list[Found]:
    return [found for found in marked(server.env[MARK]) if "--login" in found.command]
