"""The demo agent's tour, from the prompt to the last word."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.agents.demo_client import DemoClient, Frame, choosing
from voxpilot.agents.demo.sample import FIXED_PROGRAM, FOLDER, PROGRAM

RUN = "python -B -m unittest -v"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def client(tmp_path: Path) -> Iterator[DemoClient]:
    with DemoClient(tmp_path / "home") as client:
        yield client


def test_the_tour_shows_everything_an_agent_does(client: DemoClient, folder: Path) -> None:
    session = client.open(folder)
    asked: list[Frame] = []

    def answer(request: Frame) -> Any:
        asked.append(request)
        if request["method"] == "elicitation/create":
            content = {"headline": "Count in percent", "kind": "chore", "mention_test": False}
            return {"action": "accept", "content": content}
        return {"outcome": {"outcome": "selected", "optionId": "allow_once"}}

    assert client.run(session, "Show me what you can do", answer) == "end_turn"

    assert "step by step" in client.said(speech="agent_thought_chunk")
    assert [request["method"] for request in asked] == [
        "session/request_permission",
        "session/request_permission",
        "elicitation/create",
    ]
    assert {call["kind"] for call in client.tool_calls().values()} == {"read", "edit", "execute"}
    assert {call["status"] for call in client.tool_calls().values()} == {"completed"}
    assert client.updates("session_info_update") == [
        {"sessionUpdate": "session_info_update", "title": "Show me what you can do"}
    ]
    assert "chore: Count in percent" in client.said()
    assert "Tested by" not in client.said()


def test_each_step_of_the_plan_is_pending_then_in_progress_then_completed(
    client: DemoClient, folder: Path
) -> None:
    client.run(client.open(folder), "go", choosing("allow_once"))
    plans = [[entry["status"] for entry in plan["entries"]] for plan in client.updates("plan")]
    assert plans[0] == ["pending"] * 4
    assert plans[-1] == ["completed"] * 4
    for step in zip(*plans, strict=True):
        assert list(dict.fromkeys(step)) == ["pending", "in_progress", "completed"]


def test_reading_says_which_file_and_shows_it(client: DemoClient, folder: Path) -> None:
    client.run(client.open(folder), "go", choosing("allow_once"))
    call = client.tool_calls()["Read cart.py"]
    assert call["locations"] == [{"path": str(folder / FOLDER / "cart.py")}]
    assert PROGRAM in call["content"][0]["content"]["text"]


def test_an_edit_waits_for_permission_and_then_is_really_made(client: DemoClient, folder: Path) -> None:
    program = folder / FOLDER / "cart.py"
    prompted = client.prompt(client.open(folder), "go")
    request = client.question()
    call = request["params"]["toolCall"]
    assert call["content"] == [
        {"type": "diff", "path": str(program), "oldText": PROGRAM, "newText": FIXED_PROGRAM}
    ]
    assert [option["kind"] for option in request["params"]["options"]] == [
        "allow_once",
        "allow_always",
        "reject_once",
    ]
    assert program.read_text() == PROGRAM
    client.answer(request, choosing("allow_once")(request))
    client.answer_to(prompted, choosing("allow_once"))
    assert program.read_text() == FIXED_PROGRAM


def test_the_program_that_was_fixed_passes_its_test(client: DemoClient, folder: Path) -> None:
    client.run(client.open(folder), "go", choosing("allow_once"))
    ran = subprocess.run([sys.executable, "-m", "unittest"], cwd=folder / FOLDER, capture_output=True)
    assert ran.returncode == 0, ran.stderr


def test_the_output_of_a_command_grows_and_ends_with_its_exit_code(client: DemoClient, folder: Path) -> None:
    client.run(client.open(folder), "go", choosing("allow_once"))
    call = client.tool_calls()[RUN]
    shown = [
        update["content"][0]["content"]["text"].removesuffix("```")
        for update in client.updates("tool_call_update")
        if update["toolCallId"] == call["toolCallId"] and "content" in update
    ]
    assert len(shown) > 3
    assert all(later.startswith(earlier) for earlier, later in pairwise(shown))
    assert "test_prices_add_up" in shown[-1]
    assert "Exit code 0" in shown[-1]
    assert call["rawOutput"]["exitCode"] == 0


def test_the_summary_is_markdown_of_every_sort(client: DemoClient, folder: Path) -> None:
    client.run(client.open(folder), "go", choosing("allow_once"))
    said = client.said()
    for mark in (r"^## ", r"^- ", r"^\|---\|---\|$", r"^```text$", r"\[.+\]\(https://.+\)"):
        assert re.search(mark, said, re.MULTILINE), mark


def test_the_context_fills_up(client: DemoClient, folder: Path) -> None:
    client.run(client.open(folder), "go", choosing("allow_once"))
    used = [usage["used"] for usage in client.updates("usage_update")]
    assert len(used) > 5
    assert used == sorted(set(used))
    assert used[-1] < client.updates("usage_update")[-1]["size"]


@pytest.mark.parametrize(
    "capabilities", [{}, {"elicitation": {}}, {"elicitation": {"url": {}}}, {"elicitation": None}]
)
def test_a_client_that_shows_no_forms_is_asked_for_none(
    tmp_path: Path, folder: Path, capabilities: Frame
) -> None:
    with DemoClient(tmp_path / "home", capabilities=capabilities) as client:
        assert client.run(client.open(folder), "go", choosing("allow_once")) == "end_turn"
        assert not [frame for frame in client.frames if frame.get("method") == "elicitation/create"]
        assert "fix: Treat the discount as a percentage" in client.said()


def test_a_rejected_edit_is_taken_kindly_and_the_tour_goes_on(client: DemoClient, folder: Path) -> None:
    def answer(request: Frame) -> Any:
        is_edit = request["params"]["toolCall"]["kind"] == "edit"
        return choosing("reject_once" if is_edit else "allow_once")(request)

    assert client.run(client.open(folder), "go", answer) == "end_turn"
    assert (folder / FOLDER / "cart.py").read_text() == PROGRAM
    assert "All right, I will continue without the change" in client.said()
    assert client.tool_calls()["Edit cart.py"]["status"] == "failed"
    assert client.tool_calls()[RUN]["rawOutput"]["exitCode"] == 1
    assert "Some tests fail" in client.said()


@pytest.mark.parametrize(
    "answer", [{"outcome": {"outcome": "selected", "optionId": "whatever"}}, {"outcome": {}}, {}, None, 7]
)
def test_whatever_is_not_clearly_a_yes_is_a_no(client: DemoClient, folder: Path, answer: Any) -> None:
    assert client.run(client.open(folder), "go", lambda request: answer) == "end_turn"
    assert (folder / FOLDER / "cart.py").read_text() == PROGRAM
    assert {call["status"] for call in client.tool_calls().values()} == {"completed", "failed"}
    assert "rawOutput" not in client.tool_calls()[RUN]


def test_an_error_in_place_of_an_answer_is_a_no(client: DemoClient, folder: Path) -> None:
    prompted = client.prompt(client.open(folder), "go")
    for _ in range(2):
        request = client.question()
        error = {"code": -32603, "message": "broken"}
        client.send({"jsonrpc": "2.0", "id": request["id"], "error": error})
    assert client.answer_to(prompted)["result"] == {"stopReason": "end_turn"}
    assert (folder / FOLDER / "cart.py").read_text() == PROGRAM


def test_what_is_always_allowed_is_not_asked_again(client: DemoClient, folder: Path) -> None:
    session = client.open(folder)
    client.run(session, "go", choosing("allow_always"))
    assert client.run(session, "/tour", forms_only) == "end_turn"
    assert "put the bug back" in client.said()
    assert (folder / FOLDER / "cart.py").read_text() == FIXED_PROGRAM


def test_in_auto_mode_nothing_is_asked(client: DemoClient, folder: Path) -> None:
    session = client.open(folder)
    client.call("session/set_config_option", sessionId=session, configId="mode", value="auto")
    assert client.run(session, "go") == "end_turn"
    assert (folder / FOLDER / "cart.py").read_text() == FIXED_PROGRAM
    assert "did not **ask**" in client.said()


def test_files_of_somebody_else_are_left_alone(client: DemoClient, folder: Path) -> None:
    (folder / FOLDER).mkdir()
    mine = {"cart.py": "mine = 1\n", "test_cart.py": "mine = 2\n", "README.md": "mine\n"}
    for name, text in mine.items():
        (folder / FOLDER / name).write_text(text)
    assert client.run(client.open(folder), "go", choosing("allow_once")) == "end_turn"
    assert {path.name: path.read_text() for path in (folder / FOLDER).iterdir()} == mine
    assert "Edit cart.py" not in client.tool_calls()


def test_a_file_that_changes_while_permission_is_awaited_is_left_alone(
    client: DemoClient, folder: Path
) -> None:
    prompted = client.prompt(client.open(folder), "go")
    request = client.question()
    (folder / FOLDER / "cart.py").write_text("mine = 1\n")
    client.answer(request, choosing("allow_once")(request))
    client.answer_to(prompted, choosing("reject_once"))
    assert (folder / FOLDER / "cart.py").read_text() == "mine = 1\n"
    assert client.tool_calls()["Edit cart.py"]["status"] == "failed"


def test_nothing_is_left_behind_but_the_project(client: DemoClient, folder: Path) -> None:
    client.run(client.open(folder), "go", choosing("allow_once"))
    left = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert left == {FOLDER, *(f"{FOLDER}/{name}" for name in ("README.md", "cart.py", "test_cart.py"))}


def test_a_folder_it_cannot_write_to_is_told_and_ends_only_the_turn(client: DemoClient, folder: Path) -> None:
    (folder / FOLDER).write_text("a file where the folder should be")
    session = client.open(folder)
    error = client.answer_to(client.prompt(session, "go"))["error"]
    assert error["code"] == -32603
    assert FOLDER in error["message"]
    assert client.run(session, "and now?") == "end_turn"


def test_the_same_prompt_gives_the_same_frames(tmp_path: Path, folder: Path) -> None:
    told = []
    for home in ("one", "two"):
        with DemoClient(tmp_path / home) as client:
            client.run(client.open(folder), "go", choosing("allow_once"))
            told.append([without_chance(frame) for frame in client.frames])
        shutil.rmtree(folder / FOLDER)
    assert told[0] == told[1]


def forms_only(request: Frame) -> Any:
    assert request["method"] == "elicitation/create"
    return {"action": "cancel"}


def without_chance(frame: Frame) -> str:
    """A frame without the two things that differ from run to run."""
    text = json.dumps(frame)
    text = re.sub(r'"sessionId": "[0-9a-f]+"', "", text)
    return re.sub(r"in \d+\.\d+s", "", text)
