"""Long tests are shared out among the workers, and no test is lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.order import LONG, dealt, rank

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize(("long", "short"), [(0, 10), (5, 100), (10, 3), (7, 0)])
def test_every_part_begins_with_long_tests_and_none_is_lost(long: int, short: int, workers: int) -> None:
    names = [f"long-{number}" for number in range(long)]
    others = [f"short-{number}" for number in range(short)]
    order = dealt(names, others, workers)
    assert sorted(order) == sorted(names + others)
    if short > long * workers:
        size = len(order) // workers
        starts = [order[size * worker] for worker in range(workers)]
        assert [name.startswith("long") for name in starts] == [worker < long for worker in range(workers)]


def test_the_long_tests_exist() -> None:
    assert [name for name in LONG if not (ROOT / name).exists()] == []
    assert rank("tests/survival/test_kill_anytime.py::test_x") < rank("tests/chat/test_x.py") == len(LONG)
