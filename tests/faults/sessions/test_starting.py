"""Agents that cannot be started, or will not begin.

What needs no processes: tests/runtime/sessions/test_starting.py.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.driver import SLACK, Talk, talking
from tests.kit.machine.processes import marked, no_processes_left
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

PROMPT = script(say("hello"))
WORDY = r"""
import os, sys
for i in range(50):
    print(f"<b>{i}</b>", file=sys.stderr)
os.write(2, b"\xff\x1b[31m end")
sys.exit(9)
"""


async def fail_to_start(talk: Talk) -> tuple[dict[str, Any], float]:
    """Send a message to an agent that cannot start; returns the turn's error and when it appeared."""
    begun = time.monotonic()
    ended = await talk.run(PROMPT)
    took = time.monotonic() - begun
    assert ended["stop_reason"] == "error"
    assert talk.states() == ["failed"]
    message = next(row.data for row in talk.rows() if row.kind == "message")
    assert message["text"] == PROMPT, "the typed prompt is kept"
    await talk.judge(text="")
    return ended["error"], took


async def test_a_missing_program_is_named_with_the_path_that_was_searched(
    start_server: StartServer, workspace: Path
) -> None:
    """F1, R72: shown within a second, with a hint how to get it; the chat stays usable."""
    agents = {"missing": {"command": "no-such-agent", "install_hint": "Run `get no-such-agent`."}}
    server = await start_server(agents=agents)
    async with talking(server, workspace, "missing") as talk:
        error, took = await fail_to_start(talk)
        assert "'no-such-agent' was not found on PATH" in error["message"]
        assert "Run `get no-such-agent`." in error["hint"]
        assert "/usr/bin" in error["hint"]
        assert took <= 1 * SLACK
        status = talk.of_kind("agent-status")[-1]
        assert (status["status"], status["message"]) == ("error", error["message"])
    async with talking(server, workspace) as other:
        await other.run(PROMPT)
        assert other.text() == "hello"


def not_executable(folder: Path) -> Path:
    path = folder / "plain-file"
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o644)
    return path


def bad_interpreter(folder: Path) -> Path:
    path = folder / "bad-interpreter"
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    return path


def wrong_architecture(folder: Path) -> Path:
    path = folder / "wrong-architecture"
    # The header of a program for another architecture.
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xff\x7f" + bytes(44))
    path.chmod(0o755)
    return path


def a_folder(folder: Path) -> Path:
    path = folder / "a-folder"
    path.mkdir()
    return path


async def test_a_program_that_cannot_run_is_named_with_the_systems_reason(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    """F2, R72: not executable, for another machine, with an interpreter that does not exist."""
    broken = {
        not_executable(place): "Permission denied",
        bad_interpreter(place): "interpreter",
        wrong_architecture(place): "Exec format error",
        a_folder(place): "Permission denied",
    }
    server = await start_server(agents={path.name: {"command": str(path)} for path in broken})
    for program, reason in broken.items():
        async with talking(server, workspace, program.name) as talk:
            error, took = await fail_to_start(talk)
            assert str(program) in error["message"]
            assert reason in error["message"]
            assert error["hint"]
            assert took <= 1 * SLACK


async def test_an_agent_that_ends_at_once_is_shown_with_its_exit_code_and_last_words(
    server: ServerProcess, workspace: Path
) -> None:
    """F3"""
    async with talking(server, workspace, "scripted-exit-at-spawn") as talk:
        error, took = await fail_to_start(talk)
        assert "exit code 3" in error["message"]
        assert error["detail"] == "scripted agent: cannot start: licence file missing"
        assert took <= 1 * SLACK


async def test_of_a_long_stderr_the_last_twenty_lines_are_shown(
    start_server: StartServer, workspace: Path
) -> None:
    """F3: even if it contains markup and bytes that are not text."""
    server = await start_server(agents={"wordy": {"command": "python3", "args": ["-c", WORDY]}})
    async with talking(server, workspace, "wordy") as talk:
        error, _ = await fail_to_start(talk)
        assert "exit code 9" in error["message"]
        lines = error["detail"].splitlines()
        assert len(lines) == 20
        assert lines[:2] == ["<b>31</b>", "<b>32</b>"]
        assert lines[-1] == "\ufffd\x1b[31m end"


async def test_an_agent_that_hangs_at_the_beginning_is_given_up_and_its_tree_ended(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F5: "still starting" first, then the failure; nothing of it is left."""
    server = await start_server(env={"VOXPILOT_START_NOTICE": "0.3", "VOXPILOT_START_TIMEOUT": "1"})
    async with talking(server, workspace, "scripted-hang-init") as talk:
        begun = time.monotonic()
        turn = await talk.send(PROMPT)
        slow = await talk.sees(lambda e: e.kind == "agent-status" and e.data.get("message") is not None)
        assert (slow["status"], slow["message"]) == ("starting", "Still starting.")
        assert talk.state_of(turn) == "running"
        ended = await talk.ended(turn)
        assert 1 <= time.monotonic() - begun <= 1 * SLACK
        assert "did not respond within 1 s" in ended["error"]["message"]
        assert ended["error"]["hint"]
        assert talk.states() == ["failed"]
        assert await until(lambda: len(marked(mark)) == 1, 5 * SLACK) <= 5 * SLACK
        await until(lambda: talk.processes() == ["ended"])
        assert len(agent_log.starts()) == 1
    await server.interrupt()
    await no_processes_left(mark)
