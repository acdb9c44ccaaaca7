"""Test docstrings name the requirements they verify; docs/requirements.md defines each id."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.kit.sources import tree_of

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "requirements.md"
LETTERS = "RCVPKLFA"
WHOLE = "R1-R198 V1-V34 C1-C25"
"""Ranges without gaps; for the other letters, only ids that tests name are defined."""
VERIFIED = {
    "stories": "V1-V16 V18-V21",
    "browser": "V5 V6 V8 V13-V15 V18 V19",
    "real_agents": "V1-V12",
}
"""The checks verified over HTTP, on the page, and with real agents."""


def test_every_id_of_the_ranges_is_defined_once() -> None:
    rows = re.findall(r"^\| ([A-Z]\d+) \| (.+) \|$", _parts()[0], re.MULTILINE)
    assert ids_in(WHOLE) - {name for name, _ in rows} == set()
    assert len({name for name, _ in rows}) == len(rows)
    assert [name for name, sentence in rows if len(sentence) < 15] == []


def test_every_id_that_a_test_names_is_defined() -> None:
    assert sorted((_named(TESTS) | _headings()) - _defined()) == []


def test_every_defined_id_is_named_by_a_test_or_not_built_yet() -> None:
    """A module may name promises, faults and attacks for all its tests; requirements are named by a test."""
    from_headings = {name for name in _headings() if name[0] in "KLFA"}
    assert sorted(_defined() - _named(TESTS) - from_headings - _not_built()) == []


def test_only_defined_ids_are_listed_as_not_built() -> None:
    assert sorted(_not_built() - _defined()) == []


@pytest.mark.parametrize("folder", VERIFIED)
def test_every_verification_is_named_by_a_test_of_its_kind(folder: str) -> None:
    assert sorted(ids_in(VERIFIED[folder]) - _named(TESTS / folder)) == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("R9, R53–R55: as it was", {"R9", "R53", "R54", "R55"}),
        ("V1-V3", {"V1", "V2", "V3"}),
        ("R1–3 and C2", {"R1", "R2", "R3", "C2"}),
        ("UTF8, SHA1 and `R5x` are not ids", set()),
    ],
)
def test_ids_are_read_from_text(text: str, ids: set[str]) -> None:
    assert ids_in(text) == ids


def ids_in(text: str) -> set[str]:
    """R9, R53–R55 and the like, with the ranges written out."""
    found = re.findall(rf"\b([{LETTERS}])(\d+)(?:\s*[–-]\s*[{LETTERS}]?(\d+))?\b", text)
    return {
        f"{letter}{number}"
        for letter, first, last in found
        for number in range(int(first), int(last or first) + 1)
    }


@cache
def _parts() -> tuple[str, str]:
    """The definitions, and the list of what is not built yet."""
    defined, found, not_built = PAGE.read_text(encoding="utf-8").partition("\n## Not built yet\n")
    assert found
    return defined, not_built


def _defined() -> set[str]:
    return set(re.findall(r"^\| ([A-Z]\d+) \|", _parts()[0], re.MULTILINE))


def _not_built() -> set[str]:
    return {name for row in re.findall(r"^\| (.+?) \|", _parts()[1], re.MULTILINE) for name in ids_in(row)}


@cache
def _named(folder: Path) -> frozenset[str]:
    """From the docstrings of tests; an id in a comment or in code does not count."""
    tests = [
        node
        for tree in _trees(folder)
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    return frozenset(name for test in tests for name in ids_in(ast.get_docstring(test) or ""))


@cache
def _headings() -> frozenset[str]:
    """By the docstrings of test modules."""
    return frozenset(name for tree in _trees(TESTS) for name in ids_in(ast.get_docstring(tree) or ""))


@cache
def _trees(folder: Path) -> list[ast.Module]:
    return [tree_of(path) for path in sorted(folder.rglob("test_*.py")) if path != Path(__file__)]
