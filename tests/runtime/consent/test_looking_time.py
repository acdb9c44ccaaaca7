"""How long the disk is looked at to judge what agents ask for."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NoReturn

import pytest

from tests.fakes.script import REJECT, script
from tests.kit.clients.asking import wish
from tests.kit.clients.driver import talking
from tests.kit.servers.running import Server
from voxpilot.chat.permissions.decide import Boundaries, Reason, look
from voxpilot.chat.permissions.shell import NotPlain
from voxpilot.runtime.shared.looking_time import (
    CHAT_SECONDS,
    FREE_SECONDS,
    MOST_SECONDS,
    PER_SECOND,
    Allowance,
    Look,
)


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> str:
        self.now += seconds
        return "done"

    def fail(self, seconds: float) -> NoReturn:
        self.now += seconds
        raise FileNotFoundError


def test_a_call_is_looked_at_only_for_a_while() -> None:
    """Judging one call may take only so long."""
    clock = Time()
    work = Look(Allowance(clock), clock).timed(clock.work)
    for _ in range(4):
        assert work(MOST_SECONDS / 4) == "done"
    with pytest.raises(NotPlain):
        work(0.0)


def test_the_time_between_two_looks_counts() -> None:
    """Very long names take long to judge, too."""
    clock = Time()
    work = Look(Allowance(clock), clock).timed(clock.work)
    assert work(0.0) == "done"
    clock.now += MOST_SECONDS
    with pytest.raises(NotPlain):
        work(0.0)


def test_calls_that_are_slow_to_judge_use_up_the_time_of_their_chat() -> None:
    """A flood of them must not stop everything else."""
    clock = Time()
    allowance, other = Allowance(clock), Allowance(clock)
    done = 0
    for _ in range(100):
        try:
            Look(allowance, clock).timed(clock.work)(MOST_SECONDS)
            done += 1
        except NotPlain:
            continue
    assert done < CHAT_SECONDS / (MOST_SECONDS - FREE_SECONDS) + 3
    assert Look(other, clock).timed(clock.work)(0.1) == "done"
    clock.now += CHAT_SECONDS / PER_SECOND
    assert Look(allowance, clock).timed(clock.work)(0.1) == "done"


def test_ordinary_calls_never_use_it_up_and_failed_looks_count() -> None:
    clock = Time()
    allowance = Allowance(lambda: 0.0)
    for _ in range(1_000):
        Look(allowance, clock).timed(clock.work)(FREE_SECONDS)
    assert allowance.left() == pytest.approx(CHAT_SECONDS)
    fail = Look(allowance, clock).timed(clock.fail)
    with pytest.raises(FileNotFoundError):
        fail(MOST_SECONDS)
    with pytest.raises(NotPlain):
        fail(0.0)


@pytest.mark.in_memory
async def test_links_that_are_slow_to_follow_do_not_stop_the_server(server: Server, workspace: Path) -> None:
    """Each path leads through a chain of links with very long targets."""
    (workspace / "l0").mkdir()
    for number in range(1, 39):
        (workspace / f"l{number}").symlink_to("./" * 2_000 + f"l{number - 1}")
    paths = [f"{workspace}/l38/x{number}" for number in range(199)]
    async with talking(server, workspace) as talk:
        await talk.api.change_chat(talk.id, permissions="auto")
        began = time.monotonic()
        await talk.send(script(wish("c", kind="read", rawInput={"paths": paths})))
        question = await talk.question()
        assert question["detail"]["unclear"] == "it would take too long to check"
        assert time.monotonic() - began < 5 * MOST_SECONDS
        await talk.answer(question, REJECT)


def test_very_long_paths_are_not_compared_with_anything(tmp_path: Path) -> None:
    """Each part of each path would be compared with many names."""
    began = time.process_time()
    for name in ("a#/" * 330, "a/" * 500, "a." * 500, "\ufb03" * 900):
        call = {"tool_kind": "edit", "input": {"paths": [f"{name}{number}" for number in range(199)]}}
        looked = look(call, Boundaries(roots=(str(tmp_path),)))
        assert isinstance(looked, Reason)
        assert looked.words == "it touches too many files to check"
    assert time.process_time() - began < 0.5
