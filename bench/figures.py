"""Figures and their table.

Lives here: a figure, its target, the table, and the same as JSON. Lives elsewhere: measuring.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Aim:
    """A budget of the design."""

    limit: float
    at_least: bool = False

    def holds_for(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table: `value` is compared with the target, the texts say where it comes from."""

    name: str
    value: float
    unit: str
    measured: str = ""
    baseline: str = ""
    aim: Aim | None = None
    wrong: str = ""
    """Why the figure is invalid."""

    @property
    def verdict(self) -> str:
        if self.wrong:
            return f"invalid: {self.wrong}"
        if self.aim is None:
            return ""
        return "holds" if self.aim.holds_for(self.value) else "MISSED"


HEADINGS = ("figure", "measured", "bare", "result", "aim", "")


def table(figures: Iterable[Figure]) -> str:
    """Markdown, with columns that are aligned in a terminal too."""
    rows = [HEADINGS, *map(_cells, figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def as_json(figures: Sequence[Figure], **about: Any) -> str:
    told = [{**asdict(figure), "verdict": figure.verdict} for figure in figures]
    return json.dumps({**about, "figures": told}, indent=1, ensure_ascii=False)


def rate(per_second: float) -> str:
    return f"{per_second:,.0f}/s"


def milliseconds(value: float) -> str:
    return f"{value:.2f} ms"


def percentile(values: Iterable[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def _cells(figure: Figure) -> tuple[str, ...]:
    aim = ""
    if figure.aim is not None:
        aim = f"{'≥' if figure.aim.at_least else '≤'} {_number(figure.aim.limit)} {figure.unit}".rstrip()
    result = f"{_number(figure.value)} {figure.unit}".rstrip()
    return figure.name, figure.measured, figure.baseline, result, aim, figure.verdict


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"
