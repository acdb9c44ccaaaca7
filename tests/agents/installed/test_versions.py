"""Which version of an agent is installed is asked once, also by several at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from voxpilot.agents.installed import versions


def test_two_who_ask_at_once_run_the_program_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    both = threading.Barrier(2)

    def slow(argv: object, env: object) -> str:
        runs.append("run")
        threading.Event().wait(0.2)  # long enough for the other to ask too
        return "1.2.3"

    monkeypatch.setattr(versions, "ask", slow)
    known = versions.Versions()
    answers: list[str | None] = []

    def find() -> None:
        both.wait()
        answers.append(known.find(str(tmp_path), ("--version",), ["x"], {}))

    threads = [threading.Thread(target=find) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (answers, runs) == (["1.2.3"] * 2, ["run"])
