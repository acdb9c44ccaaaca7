"""Why an agent ended, as the person reads it."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from voxpilot.agents.installed.catalog import Agent
from voxpilot.agents.installed.exits import explain
from voxpilot.settings import AgentSettings

ENTRY = AgentSettings(fs=False, terminal=False)


def agent(command: str, path: str, install_hint: str = "Run `get one`.") -> Agent:
    return Agent("one", "One", command, (), {}, install_hint, False, path, ENTRY)


def not_started(number: int, **more: Any) -> dict[str, Any]:
    return {"reason": "not-started", "error": f"one: {number}", "errno": number, "where": "program", **more}


def test_a_missing_program_is_named_with_the_folders_that_were_not_searched() -> None:
    """F1: the explanation comes from the journal; looking at the disk again could block or disagree."""
    end = not_started(errno.ENOENT, searched="/usr/bin:/bin")
    problem = explain(end, agent("one", "/hung:/usr/bin:/bin"))
    assert problem.message == "'one' was not found on PATH."
    assert (
        problem.hint
        == "Run `get one`. Searched folders: /usr/bin, /bin. These folders did not respond: /hung."
    )


def test_an_install_command_becomes_a_sentence_of_its_own() -> None:
    """F1: a bare command must not run into the list of folders."""
    problem = explain(not_started(errno.ENOENT), agent("one", "/usr/bin", "get one"))
    assert problem.hint == "Install it with `get one`. Searched folders: /usr/bin."
    problem = explain(not_started(errno.ENOENT), agent("one", "/usr/bin", ""))
    assert problem.hint == "Install it. Searched folders: /usr/bin."


def test_a_journal_of_an_older_version_does_not_say_what_was_searched() -> None:
    problem = explain(not_started(errno.ENOENT), agent("one", "/usr/bin"))
    assert problem.hint == "Run `get one`. Searched folders: /usr/bin."


def test_a_missing_program_with_a_full_path_was_not_searched_for() -> None:
    problem = explain(not_started(errno.ENOENT, searched="/usr/bin"), agent("/opt/one", "/usr/bin"))
    assert (problem.message, problem.hint) == (
        "'/opt/one' was not found.",
        "Run `get one`. If it is elsewhere, change its path in the settings.",
    )


def test_a_program_that_is_there_but_cannot_run_is_not_called_missing() -> None:
    problem = explain(not_started(errno.ENOEXEC, searched="/usr/bin"), agent("one", "/usr/bin"))
    assert problem.message == "'one' could not be started: one: 8."


@pytest.mark.parametrize(("code", "why"), [(127, "was not found"), (126, "could not be run")])
def test_a_launcher_that_does_not_find_its_program_gets_the_setup_hint(code: int, why: str) -> None:
    """R72: `env`, `npx` or a script starts, and then reports that there is nothing to start."""
    end = {"reason": "exited", "exit": code, "stderr": "env: 'node': No such file or directory"}
    problem = explain(end, agent("one", "/usr/bin"))
    assert f"a program that it needs {why} (exit code {code})" in problem.message
    assert "Run `get one`." in problem.hint
    assert problem.detail == "env: 'node': No such file or directory"
    assert "Run `get one`." not in explain({**end, "exit": 1}, agent("one", "/usr/bin")).hint


def test_a_machine_that_is_out_of_processes_is_not_the_programs_fault() -> None:
    end = not_started(errno.EAGAIN, where="machine", error="The machine cannot start a program now: why")
    problem = explain(end, agent("one", "/usr/bin"))
    assert problem.message == "One could not be started. The machine cannot start a program now: why."
    assert problem.hint.startswith("Close some programs")
