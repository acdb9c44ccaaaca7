"""The server is killed at any instant, and nothing is lost."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import anyio
import pytest

from tests.conftest import NoteFigure
from tests.survival.killing import RANDOM, Fallen, KilledTurn
from voxpilot.killpoints import NAMES

AT_START = ("mid-migration", "after-row-before-keeper", "after-keeper-before-attach")
SENDING = ("after-commit-before-send", "after-send")
WORKING = ("inside-transaction", "before-commit", "after-commit-before-publish", "after-publish-before-reply")
ELSEWHERE = (
    "after-errand",
    "after-gathering",
    "after-commit-before-run",
    "after-asking",
    "after-answer",
    "after-tool",
    "after-result",
    "before-deletion",
    "after-deletion",
)
"""Points that such a turn does not reach; files, commands and the assistant have their own tests."""
NIGHTLY = bool(os.environ.get("VOXPILOT_NIGHTLY"))
TIMES = 30 if NIGHTLY else 3
SIDE_BY_SIDE = 2
ROUNDS = 4
FRESH = 7
"""Of so many turns one has the real program, which imports everything at each start; at night all have it."""

WANTED = 60 * TIMES // 3


def plans(dice: random.Random) -> list[list[str]]:
    """For each turn the kills of its server, in order: every named point at least TIMES, and random ones."""
    firsts = [
        f"{point}:{dice.randint(1, 9) if point == 'mid-migration' else 1}" for point in AT_START * TIMES
    ]
    firsts += [f"{point}:{2 + number % 3}" for point in SENDING for number in range(TIMES)]
    made = []
    for number, first in enumerate(firsts):
        one, other = (f"{WORKING[(number + more) % 4]}:{dice.randint(1, 30)}" for more in (0, 2))
        made.append([first, "mid-sweep:1" if number % 2 else RANDOM, one, other, RANDOM])
    return made


def further(count: Counter[str], dice: random.Random) -> list[list[str]]:
    """On a busy machine a turn may end before its last kills: the missing ones, in new turns."""
    missing = [point for point in NAMES if point not in ELSEWHERE for _ in range(TIMES - count[point])]
    firsts = [f"{point}:{dice.randint(1, 3)}" for point in missing if point != "mid-sweep"]
    sweeps = [[RANDOM, "mid-sweep:1"] for point in missing if point == "mid-sweep"]
    lacking = -(-(WANTED - sum(count.values()) - len(firsts) - len(sweeps)) // 4)
    return [[first] for first in firsts] + sweeps + [[RANDOM] * 5] * lacking


@pytest.mark.timeout(1800)
async def test_nothing_is_lost_wherever_the_server_is_killed(
    tmp_path: Path, mark: str, note_figure: NoteFigure
) -> None:
    """K1, F42, F43, F46: every word once, one end, one question, one answer, each frame sent once."""
    seed = int(os.environ.get("VOXPILOT_TEST_SEED", random.randrange(10**6)))
    dice = random.Random(seed)
    fallen: list[Fallen] = []
    limit = anyio.Semaphore(SIDE_BY_SIDE)

    async def one(number: int, kills: list[str]) -> None:
        async with limit:
            folder = tmp_path / mark / str(number)
            folder.mkdir(parents=True)
            turn = KilledTurn(folder, mark, random.Random(seed + number))
            turn.server.fresh = NIGHTLY or number % FRESH == 0
            fallen.append(await turn.run(kills))

    todo, count = plans(dice), Counter[str]()
    for _ in range(ROUNDS):
        async with anyio.create_task_group() as tasks:
            for number, kills in enumerate(todo, len(fallen)):
                tasks.start_soon(one, number, kills)
        count = Counter(point for turn in fallen for point in turn.points)
        todo = further(count, dice)
    note_figure(
        f"{sum(count.values())} kills, {len(fallen)} turns, seed {seed}: {dict(sorted(count.items()))}"
    )
    assert todo == []
    assert sum(count.values()) >= WANTED
