"""The soak works, and distinguishes what grows from what does not."""

from __future__ import annotations

from pathlib import Path

from bench.soak import Plan, soak
from bench.soak_figures import Minute, growth, row, verdict
from tests.kit.peers.llm import ScriptedLlm


async def test_a_short_soak_measures_all_it_should(place: Path, mark: str, llm: ScriptedLlm) -> None:
    plan = Plan(minutes=0.12, chats=3, assistants=1, readers=2, turns_a_minute=120, warm_up=0)
    done = await soak(plan, place / "soak", llm)
    minute = done.minutes[0]
    assert done.wrong == []
    assert minute.turns > 0
    assert minute.first_delta_ms
    assert minute.delivery_ms
    assert minute.server_mb[0] > 10
    assert minute.keepers_mb[-1] > 1
    assert min(minute.descriptors) > 5
    assert row(minute)


def test_a_line_through_the_minutes_is_found() -> None:
    assert abs(growth([(1, 10.0), (2, 12.0), (3, 14.0)]) - 2.0) < 1e-9
    assert growth([(1, 5.0), (2, 5.0), (3, 5.0)]) == 0


def test_what_grows_is_told_from_what_does_not() -> None:
    flat, growing = ([_minute(n, mb) for n in range(1, 9)] for mb in (0.1, 2.0))
    assert verdict(flat, 2)[1]
    lines, is_flat = verdict(growing, 2)
    assert not is_flat
    assert lines[0] == "server memory: +2.000 MB a minute (GROWS)"
    assert "Too short" in verdict(growing[:3], 2)[0][0]


def _minute(number: int, growth_mb: float) -> Minute:
    return Minute(
        number, [100 + growth_mb * number], [50.0], [40], [12], 0.1, [30.0, 40.0], [5.0, 6.0], 10, 500
    )
