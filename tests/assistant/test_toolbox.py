"""Which tools a model is offered, and what it is told about invalid calls."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from voxpilot.assistant import toolbox
from voxpilot.assistant.instructions import AvailableAgent, instructions
from voxpilot.assistant.shapes import ToolCall
from voxpilot.assistant.toolbox import Delegation, checked, offered
from voxpilot.assistant.tools.outcome import ToolFailed


def call(name: str, arguments: dict[str, Any] | None, error: str = "") -> ToolCall:
    return ToolCall("1", name, arguments, "", error)


def test_every_tool_is_offered_with_a_schema() -> None:
    tools = {tool.name: tool for tool in offered(has_skills=True)}
    assert set(tools) - {tool.name for tool in offered()} == {"read_skill"}
    assert set(tools) == {
        "copilot_agent", "read_file", "list_directory", "grep_search", "glob_search", "read_file_external",
        "git_diff", "git_show", "read_skill",
    }  # fmt: skip
    for tool in tools.values():
        assert tool.description
        assert tool.parameters["type"] == "object"
        assert not {"$defs", "title"} & set(tool.parameters)
        for field in tool.parameters["properties"].values():
            assert field["type"] in ("string", "integer", "boolean")
            assert "title" not in field


def test_the_work_tool_takes_a_prompt_and_a_name_and_perhaps_an_agent() -> None:
    (tool,) = (tool for tool in offered(["copilot", "codex"]) if tool.name == "copilot_agent")
    assert tool.parameters["required"] == ["prompt", "session_name"]
    assert set(tool.parameters["properties"]) == {"prompt", "session_name", "agent"}
    assert tool.parameters["properties"]["agent"]["enum"] == ["copilot", "codex"]
    for words in ("by itself", "follow-up", "independent"):
        assert words in tool.description
    assert "enum" not in offered()[0].parameters["properties"]["agent"]


def test_arguments_are_checked_and_nulls_left_out() -> None:
    given = checked(call("copilot_agent", {"prompt": " Fix it ", "session_name": "fix", "agent": None}))
    assert given == Delegation(prompt="Fix it", session_name="fix")
    assert checked(call("read_file", {"path": "a", "start_line": "3"})).model_dump()["start_line"] == 3


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("copilot_agent", {"prompt": "x"}, ["`session_name` is missing", "prompt, session_name, agent"]),
        ("copilot_agent", {"prompt": "  ", "session_name": "x"}, ["`prompt`"]),
        ("copilot_agent", {"prompt": "x", "session_name": "a\nb"}, ["`session_name`"]),
        ("copilot_agent", {"prompt": "x", "session_name": "y", "agent": "hal"}, ["'hal'", "codex"]),
        ("read_file", {"file": "x"}, ["`path` is missing", "unknown argument `file`", "start_line"]),
        ("read_file", {"path": "x", "start_line": 0}, ["`start_line`", "greater"]),
        ("rm", {}, ["Unknown tool 'rm'", "copilot_agent"]),
    ],
)
def test_what_is_wrong_is_said_in_words(name: str, arguments: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ToolFailed) as caught:
        checked(call(name, arguments), ["codex"])
    said = f"{caught.value.message} {caught.value.hint}"
    assert [word for word in words if word not in said] == []


def test_arguments_that_could_not_be_read_are_told_as_they_were() -> None:
    with pytest.raises(ToolFailed, match="not valid JSON"):
        checked(call("read_file", None, "The arguments are not valid JSON: no."))


async def test_a_wrong_call_is_a_result_and_not_a_failure(tmp_path: Path) -> None:
    result = await toolbox.run([str(tmp_path)], call("read_file", {}))
    assert result.is_error
    assert "missing" in result.content
    for name, arguments in (
        ("copilot_agent", {"prompt": "x", "session_name": "x"}),
        ("read_file_external", {"path": "/etc/passwd"}),
    ):
        result = await toolbox.run(["/"], call(name, arguments))
        assert (result.is_error, "cannot be run here" in result.content) == (True, True)


async def test_a_tool_that_breaks_is_logged_and_told_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("inner words")

    monkeypatch.setattr("voxpilot.assistant.tools.list_directory.place_in", broken)
    with caplog.at_level(logging.ERROR):
        result = await toolbox.run([str(tmp_path)], call("list_directory", {}))
    assert result.is_error
    assert "inner words" not in result.content
    assert "list_directory" in caplog.text


def test_the_instructions_name_the_place_the_agents_and_how_to_hand_out_work() -> None:
    agents = [AvailableAgent("copilot", "GitHub Copilot"), AvailableAgent("codex", "Codex")]
    text = instructions("/home/me/work", agents, "copilot")
    for words in ("/home/me/work", "copilot: GitHub Copilot (default)", "codex: Codex\n"):
        assert words in text
    for words in ("copilot_agent", "session_name", "same name", "independent", "brief"):
        assert words in text
    assert text == instructions("/home/me/work", agents, "copilot")
    assert "No agent is available" in instructions("/home/me/work")
