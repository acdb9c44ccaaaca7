"""Programs that are run briefly for their output, and how they end."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.kit.machine.processes import marked
from voxpilot.agents.installed.short_run import MOST_BYTES, printed_by

LOCKED = 'trap "rm -f lock" EXIT; touch lock; echo one; '


def run(script: str, folder: Path, limit: float) -> bytes:
    return printed_by(["/bin/bash", "-c", script], dict(os.environ), str(folder), limit)


def test_a_program_that_takes_too_long_can_remove_its_lock(place: Path, mark: str) -> None:
    """One that is killed at once would leave it behind, and every later run would wait for it."""
    assert run(LOCKED + "sleep 60 & wait", place, 0.5) == b"one\n"
    assert not (place / "lock").exists()
    assert marked(mark) == []


def test_what_a_program_leaves_running_can_remove_its_lock(place: Path, mark: str) -> None:
    started = "until [ -e lock ]; do sleep 0.01; done"
    assert run(f"({LOCKED} sleep 60 & wait) >/dev/null 2>&1 & {started}; echo two", place, 20) == b"two\n"
    assert not (place / "lock").exists()
    assert marked(mark) == []


def test_a_program_that_ignores_the_request_to_end_is_killed(place: Path, mark: str) -> None:
    began = time.monotonic()
    run('trap "" TERM; while :; do sleep 1; done', place, 0.2)
    assert time.monotonic() - began < 10
    assert marked(mark) == []


def test_a_program_that_prints_without_end_is_ended(place: Path, mark: str) -> None:
    """B5: its output would otherwise fill the memory until the time limit."""
    began = time.monotonic()
    printed = run("exec yes", place, 60)
    assert MOST_BYTES <= len(printed) < 2 * MOST_BYTES
    assert time.monotonic() - began < 30
    assert marked(mark) == []
