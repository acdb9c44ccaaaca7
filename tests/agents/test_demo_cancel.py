"""Stopping the demo agent: in the middle of a turn, and altogether."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.demo_client import COMMAND, DemoClient, Frame, cancellation, choosing
from voxpilot.agents.demo.sample import FOLDER
from voxpilot.agents.demo.voices import PLAIN

ENDED = {"completed", "failed"}

HANGING_TEST = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(f"running {os.getpid()} and {child.pid}", flush=True)
time.sleep(600)
"""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[DemoClient]:
    with DemoClient(tmp_path / "home", speed="0.05") as client:
        yield client


@pytest.mark.parametrize("seed", range(12))
def test_a_turn_can_be_cancelled_at_any_moment(client: DemoClient, tmp_path: Path, seed: int) -> None:
    session = client.open(tmp_path)
    prompted = client.prompt(session, "go")
    answers = choosing("allow_once")
    for _ in range(random.Random(seed).randrange(1, 100)):
        frame = client.read()
        assert frame.get("result") is None, "the tour was over too soon"
        if "id" in frame:
            client.answer(frame, answers(frame))
    client.cancel(session)
    ended = client.answer_to(prompted, lambda request: {"outcome": {"outcome": "cancelled"}})
    came_too_late = PLAIN.farewell in client.said()
    assert ended["result"] == {"stopReason": "end_turn" if came_too_late else "cancelled"}
    assert {call["status"] for call in client.tool_calls().values()} <= ENDED
    assert client.run(session, "Are you still there?") == "end_turn"
    assert "You began with “go”" in client.said()


def test_a_cancel_in_the_same_breath_as_the_prompt_finds_it(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    blocks = [{"type": "text", "text": "go"}]
    request = client.request("session/prompt", sessionId=session, prompt=blocks)
    client.send(request, cancellation(session))
    assert client.answer_to(request["id"])["result"] == {"stopReason": "cancelled"}


def test_a_permission_answered_with_cancelled_ends_the_turn(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    assert client.run(session, "go", lambda request: {"outcome": {"outcome": "cancelled"}}) == "cancelled"


def test_an_allow_that_crosses_a_cancel_does_nothing(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    prompted = client.prompt(session, "go")
    request = client.question()
    before = (tmp_path / FOLDER / "cart.py").read_text()
    allowed = {"jsonrpc": "2.0", "id": request["id"], "result": choosing("allow_once")(request)}
    client.send(cancellation(session), allowed)
    assert client.answer_to(prompted)["result"] == {"stopReason": "cancelled"}
    assert (tmp_path / FOLDER / "cart.py").read_text() == before


def test_a_request_can_be_cancelled_by_its_id(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    prompted = client.prompt(session, "/slow")
    client.read_until(lambda frame: "Second" in str(frame))
    client.send({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": prompted}})
    assert client.answer_to(prompted)["result"] == {"stopReason": "cancelled"}


def test_a_cancel_with_nothing_to_cancel_is_ignored(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    client.cancel(session)
    client.cancel("nobody")
    client.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": {}}})
    client.send({"jsonrpc": "2.0", "method": "session/cancel"})
    assert client.run(session, "go", choosing("allow_once")) == "end_turn"


def test_cancelling_one_session_leaves_the_other_alone(client: DemoClient, tmp_path: Path) -> None:
    one, other = client.open(tmp_path), client.open(tmp_path)
    finished = client.prompt(other, "go")
    asked = client.question()
    stopped = client.prompt(one, "/slow")
    client.read_until(lambda frame: "Second" in str(frame))
    client.cancel(one)
    assert client.answer_to(stopped)["result"] == {"stopReason": "cancelled"}
    client.answer(asked, choosing("allow_once")(asked))
    assert client.answer_to(finished, choosing("allow_once"))["result"] == {"stopReason": "end_turn"}


def test_cancelling_kills_the_command_and_its_children(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    prompted, processes = start_hanging(client, session, tmp_path)
    client.cancel(session)
    assert client.answer_to(prompted)["result"] == {"stopReason": "cancelled"}
    assert_gone(processes)


def test_closing_the_session_kills_its_command(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    _, processes = start_hanging(client, session, tmp_path)
    client.call("session/close", sessionId=session)
    assert_gone(processes)


def test_at_the_end_of_its_input_it_leaves_at_once_and_alone(client: DemoClient, tmp_path: Path) -> None:
    _, processes = start_hanging(client, client.open(tmp_path), tmp_path)
    began = time.monotonic()
    assert client.leave() == 0
    assert time.monotonic() - began < 2
    assert_gone(processes)


def test_told_to_terminate_it_leaves_nothing_running(client: DemoClient, tmp_path: Path) -> None:
    _, processes = start_hanging(client, client.open(tmp_path), tmp_path)
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(5) == 0
    assert_gone(processes)


def test_it_leaves_while_a_person_is_being_asked(client: DemoClient, tmp_path: Path) -> None:
    client.prompt(client.open(tmp_path), "go")
    client.question()
    assert client.leave() == 0


def test_it_leaves_in_the_middle_of_a_word(client: DemoClient, tmp_path: Path) -> None:
    client.prompt(client.open(tmp_path), "/slow")
    client.read_until(lambda frame: "Second" in str(frame))
    assert client.leave() == 0


def test_it_leaves_quietly_when_nobody_hears_it(tmp_path: Path) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as deaf:
        ran = subprocess.run(COMMAND, input=json.dumps(request).encode(), stdout=deaf, stderr=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (0, b"")


def start_hanging(client: DemoClient, session: str, folder: Path) -> tuple[int, list[int]]:
    """Prompt, with a test that never ends; returns the prompt's id and the processes running by then."""
    (folder / FOLDER).mkdir()
    (folder / FOLDER / "test_cart.py").write_text(HANGING_TEST)
    prompted = client.prompt(session, "go")
    while True:
        frame = client.read()
        if frame.get("method") == "session/request_permission":
            client.answer(frame, choosing("allow_once")(frame))
        if running := re.search(r"running (\d+) and (\d+)", shown_in(frame)):
            return prompted, [int(pid) for pid in running.groups()]


def shown_in(frame: Frame) -> str:
    update = frame.get("params", {}).get("update", {})
    return str(update.get("content", "")) if update.get("sessionUpdate") == "tool_call_update" else ""


def assert_gone(processes: list[int]) -> None:
    deadline = time.monotonic() + 5
    while any(is_running(pid) for pid in processes):
        assert time.monotonic() < deadline, f"still running: {processes}"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """A zombie process is not running."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
