"""Agents that want the person to sign in: the question, and the one retry that follows.

What needs no processes: tests/runtime/sessions/test_signing_in.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.client import ApiError, new_key
from tests.kit.clients.driver import Talk, talking
from tests.kit.machine.processes import Found, marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import MARK, scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

SECRET = "correct horse battery"


async def test_signing_in_by_a_command_in_a_terminal(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """F8, C3, R62, R70: typed once, stored nowhere, whatever is killed meanwhile; then the turn continues."""
    server = await start_server(agents={"signs": _signs(place, agent_log)})
    async with talking(server, workspace, "signs") as talk:
        turn = await talk.send(script(say("one")))
        terminal = await _open_terminal(talk)
        assert terminal["takes_input"] is True
        assert terminal["turn"] == turn
        assert terminal["command"][-1] == "--login"
        await _prints(talk, "Enter the code: ")
        await server.restart()  # by SIGKILL; the terminal keeps waiting
        await until(lambda: _is_asked(talk), 10)
        key = new_key()
        for _ in range(2):  # repeating the key types nothing
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
        assert _printed(talk).endswith("That code is not valid.\r\n")
        await talk.answer(again, "terminal:scripted-terminal")
        await until(lambda: len(talk.of_kind("terminal")) == 2, 10)
        second = talk.of_kind("terminal")[1]["terminal_id"]
        await until(lambda: _printed(talk).count("Enter the code: ") == 2, 20)
        await talk.api.type_into(talk.id, second, data="\x03")  # Ctrl-C
        assert "stopped by SIGINT" in (await talk.question(5))["detail"]["reason"]
        await talk.answer(await talk.question(5), "dismiss")
        assert (await talk.ended(turn))["stop_reason"] == "error"
        assert len(agent_log.starts()) == 1


async def test_a_sign_in_command_shows_no_secrets(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R125: it runs with them, and only if it is the command that was shown."""
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
        assert again["detail"]["reason"] == "The agent's command has changed."
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


def _signs(place: Path, agent_log: AgentLog) -> dict[str, Any]:
    """An agent whose sign-in is a command in a terminal."""
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
