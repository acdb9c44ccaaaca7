"""The doctor tests an agent step by step, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.kit.clients.client import Api
from tests.kit.machine.processes import marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.command_line import Finished, Voxpilot, code
from tests.kit.servers.config import MARK, scripted, scripted_agents, write_config
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

STEPS = ["found", "starts", "handshake", "capabilities", "session", "closing", "ends"]


async def check(api: Api, agent: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The steps and the end of a test over HTTP."""
    response = await api.request("POST", f"/api/agents/{agent}/check")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    events = [part.split("\n") for part in response.text.strip().split("\n\n")]
    named = [
        (lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in events
    ]
    assert [name for name, _ in named] == ["step"] * (len(named) - 1) + ["done"]
    return [body for _, body in named[:-1]], named[-1][1]


async def test_a_good_agent_passes_every_step_and_is_gone(
    server: ServerProcess, api: Api, mark: str, workspace: Path
) -> None:
    """Its location, name and version, capabilities, a session opened and closed, each with its time."""
    steps, done = await check(api, "scripted")
    assert [(step["name"], step["outcome"]) for step in steps] == [(name, "ok") for name in STEPS]
    texts = {step["name"]: step["text"] for step in steps}
    assert texts["found"].startswith("Found at /")
    assert texts["handshake"].startswith("Protocol version 1: ")
    assert "lists sessions" in texts["capabilities"]
    assert done["ok"] is True
    assert done["seconds"] >= sum(step["seconds"] for step in steps if step["name"] != "found") * 0.9
    assert len(marked(mark)) == 1, "only the server is left"
    assert list(workspace.iterdir()) == []
    assert list((server.data_dir / "keepers").iterdir()) == []
    seen = next(a for a in (await api.call("GET", "/api/agents"))["agents"] if a["id"] == "scripted")["seen"]
    assert "lists sessions" in seen["can"]


@pytest.mark.parametrize(
    ("agent", "step", "text", "detail"),
    [
        ("missing", "found", "'no-such-agent' was not found on PATH", ""),
        ("scripted-exit-at-spawn", "handshake", "exit code 3", "licence file missing"),
        ("scripted-hang-init", "handshake", "did not respond within 1 s", ""),
        ("old", "handshake", "uses protocol version 0", ""),
        ("scripted-auth-on-new", "session", "not signed in", ""),
    ],
)
async def test_a_bad_agent_is_told_at_the_step_that_fails(
    start_server: StartServer, mark: str, agent: str, step: str, text: str, detail: str
) -> None:
    """F1, F3, F5, F6, F8 as the test button shows them; nothing is left in any case."""
    server = await start_server(
        agents={
            "missing": {"command": "no-such-agent", "install_hint": "get it"},
            "old": scripted("version=0"),
            "scripted-auth-on-new": {**scripted("auth-on-new"), "login_hint": "Run `login`."},
        },
        env={"VOXPILOT_START_TIMEOUT": "1" if "hang" in agent else "30"},
    )
    async with Api(server.url, server.token) as api:
        steps, done = await check(api, agent)
        assert done["ok"] is False
        assert (steps[-1]["name"], steps[-1]["outcome"]) in [(step, "failed"), ("starts", "failed")]
        assert text in steps[-1]["text"]
        assert detail in steps[-1]["detail"]
        assert all(before["outcome"] == "ok" for before in steps[:-1])
        if agent == "missing":
            assert "get it" in steps[-1]["hint"]
        if step == "session":
            assert "Run `login`." in steps[-1]["hint"]
    assert len(marked(mark)) == 1


async def test_a_trial_ends_when_its_reader_leaves(server: ServerProcess, api: Api, mark: str) -> None:
    path = "/api/agents/scripted-hang-init/check"
    async with api.http.stream("POST", path) as response:
        async for line in response.aiter_lines():
            if '"starts"' in line:
                break
        assert len(marked(mark)) > 1
    await until(lambda: len(marked(mark)) == 1, 30)


async def test_a_trial_does_not_outlive_a_killed_server(server: ServerProcess, api: Api, mark: str) -> None:
    async with api.http.stream("POST", "/api/agents/scripted-hang-init/check") as response:
        async for line in response.aiter_lines():
            if '"starts"' in line:
                break
        await server.kill()
    await until(lambda: marked(mark) == [], 50)


async def test_the_check_of_an_unknown_agent_is_refused(api: Api) -> None:
    assert (await api.request("POST", "/api/agents/nobody/check")).status_code == 404


async def test_an_old_version_is_a_warning(api: Api, place: Path) -> None:
    """The agent is tested anyway."""
    command = scripted()
    program = place / "versioned"
    words = " ".join(f"'{word}'" for word in [command["command"], *command["args"]])
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo 1.2.3 && exit\nexec {words}\n')
    program.chmod(0o755)
    fields = {"command": str(program), "version_args": ["--version"], "minimum_version": "1.3"}
    await api.call("PUT", "/api/agents/mine", fields)
    steps, done = await check(api, "mine")
    assert steps[1]["name"] == "version"
    assert (steps[1]["outcome"], steps[1]["text"]) == ("warning", "Version 1.2.3 is older than 1.3.")
    assert done["ok"] is True


async def test_a_sandboxed_agent_is_tried_in_its_sandbox(api: Api, place: Path) -> None:
    """Its version is looked up in the sandbox too: an agent may have changed its own program."""
    command = scripted()
    program = place / "tools" / "versioned"
    program.parent.mkdir()
    words = " ".join(f"'{word}'" for word in [command["command"], *command["args"]])
    version = f"if [ -e '{place}/config.toml' ]; then echo 6.6.6; else echo 1.2.3; fi; exit"
    program.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then {version}; fi\nexec {words}\n')
    program.chmod(0o755)
    readable = [str(Path(__file__).parents[3]), sys.prefix, sys.base_prefix]
    fields = {"command": str(program), "version_args": ["--version"], "pass_env": [MARK]}
    await api.call("PUT", "/api/agents/mine", {**fields, "sandbox": "strict", "sandbox_readable": readable})
    steps, done = await check(api, "mine")
    texts = {step["name"]: step["text"] for step in steps}
    assert texts["version"] == "Version 1.2.3."
    assert texts["starts"] == "It starts in its sandbox (strict)."
    assert done["ok"] is True


async def test_an_agent_with_an_address_has_no_sandbox(api: Api) -> None:
    fields = {"tcp": "127.0.0.1:3000", "sandbox": "standard"}
    response = await api.request("PUT", "/api/agents/mine", json=fields)
    assert response.status_code == 422
    assert "cannot run in a sandbox" in response.text


def lines(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]


async def test_doctor_tries_the_agents_it_is_given(finished: Finished, mark: str) -> None:
    """Without a server, in a terminal."""
    done = await finished("doctor", "scripted", "demo")
    assert code(done) == 0, done.out + done.err
    assert done.out.count("✓ A session was opened") == 2
    assert "Agents cannot see these variables:" in done.out
    assert "✓ Agents can run in a sandbox: bubblewrap " in done.out
    assert "VOXPILOT_DATA_DIR" in done.out
    assert marked(mark) == []


async def test_doctor_says_what_is_wrong_and_fails(finished: Finished, place: Path) -> None:
    done = await finished("doctor", "--json", "scripted-auth-on-new")
    assert code(done) == 1
    told = lines(done.out)
    assert {"agent": "scripted-auth-on-new", "name": "session", "outcome": "failed"}.items() <= told[
        -1
    ].items()
    assert all(step["outcome"] != "failed" for step in told[:-1])
    assert code(await finished("doctor", "nobody")) == 1


async def test_doctor_finds_what_is_risky(voxpilot: Voxpilot, place: Path) -> None:
    """A data directory others can read, a server others can reach, a settings file with secrets in it."""
    data = place / "data"
    data.mkdir()
    data.chmod(0o755)
    settings = {"host": "0.0.0.0", "acpAutoAllowPermissions": True}
    agents = {**scripted_agents(place), "mine": {"command": "x", "env": {"A_KEY": "secret"}}}
    config = write_config(place / "config.toml", agents, settings)
    config.chmod(0o644)
    asked = voxpilot("doctor", "--json", "scripted")
    assert await asked.ends() == 1
    outcomes = {step["name"]: step["outcome"] for step in lines(asked.out) if step["agent"] is None}
    assert outcomes["data"] == outcomes["network"] == outcomes["settings"] == "failed"
    assert outcomes["permissions"] == "warning"
    assert outcomes["python"] == outcomes["disk"] == outcomes["processes"] == "ok"
    assert "secret" not in asked.out
    assert os.environ.get("HOME", "/nowhere") + "=" not in asked.out


async def test_doctor_runs_nothing_that_nobody_agreed_to(
    server: ServerProcess, finished: Finished, place: Path
) -> None:
    """Anyone who can write the settings file cannot get a command run by this, with or without the server."""
    evil = scripted(log=place / "evil.jsonl") | {"version_args": ["--version"]}
    changed = scripted_agents(place) | {"helper": evil, "scripted": evil, "claude": evil}
    write_config(server.config, changed, {"acp_auto_allow_permissions": True})
    for runs in (True, False):
        if not runs:
            await server.terminate()
        done = await finished("doctor", "--json", "helper", "scripted", "claude", "demo")
        told = lines(done.out)
        refused = [(step["agent"], step["outcome"]) for step in told if step["name"] == "agreed"]
        assert refused == [("helper", "failed"), ("scripted", "failed"), ("claude", "failed")]
        assert {step["agent"] for step in told if step["name"] == "starts"} == {"demo"}
        of_machine = {step["name"]: step for step in told if step["agent"] is None}
        assert of_machine["permissions"]["outcome"] == "ok", "what waits for the person is not in force"
        assert (
            "waiting for review under Settings: acp_auto_allow_permissions" in of_machine["settings"]["text"]
        )
        listed = json.loads((await finished("agents", "--json")).out)
        assert {agent["id"] for agent in listed if not agent["agreed"]} == {"helper", "scripted", "claude"}
    assert not (place / "evil.jsonl").exists()


@pytest.mark.parametrize("what", ["missing", "damaged", "of another version"])
async def test_doctor_runs_only_known_agents_while_nobody_can_say_what_was_agreed_to(
    server: ServerProcess, finished: Finished, agent_log: AgentLog, what: str
) -> None:
    await server.interrupt()
    if what == "of another version":
        with closing(sqlite3.connect(server.database)) as connection:
            connection.execute("PRAGMA user_version = 12")
    else:
        for path in server.data_dir.glob("voxpilot.db*"):
            path.unlink()
    if what == "damaged":
        server.database.write_bytes(b"not a database" * 1000)
    told = lines((await finished("doctor", "--json", "scripted", "demo")).out)
    assert {step["agent"] for step in told if step["name"] == "starts"} == {"demo"}
    assert [step["outcome"] for step in told if step["name"] == "consent"] == ["failed"]
    assert agent_log.starts() == []


async def test_doctor_finds_agents_left_without_a_server(
    server: ServerProcess, api: Api, finished: Finished, workspace: Path
) -> None:
    chat = (await api.create_chat(workspace))["id"]
    await api.prompt(chat, "say hello")

    async def is_done() -> bool:
        return (await api.chat(chat))["status"] == "ready"

    await until(is_done, 30)
    await server.kill()
    told = {step["name"]: step for step in lines((await finished("doctor", "--json", "demo")).out)}
    assert told["processes"]["text"] == "No server is running, but 1 agent still is."
    assert told["processes"]["outcome"] == "warning"


async def test_an_agent_that_asks_something_meanwhile_is_refused_and_not_left_waiting(
    start_server: StartServer, mark: str
) -> None:
    """Nobody can decide here; it opens its session without an answer."""
    agent = Path(__file__).parents[2] / "fakes" / "asking_agent.py"
    asking = {"command": sys.executable, "args": [str(agent)], "pass_env": [MARK]}
    server = await start_server(agents={"asking": asking})
    async with Api(server.url, server.token) as api:
        steps, _ = await check(api, "asking")
    assert {step["name"]: step["outcome"] for step in steps}["session"] == "ok"
