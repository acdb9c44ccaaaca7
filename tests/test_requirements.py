"""What is done is named by a test that shows it, in that test's docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DONE = "R1-R127 R131 R132 R154-R187"
"""What has been built so far; a new capability adds its range. The skills in R170 come with R150."""
VERIFIED = {
    "stories": "V1-V16 V18-V21",
    "browser": "V5 V6 V8 V13-V15 V18 V19",
    "real_agents": "V1-V12",
}
"""What is shown over HTTP, on the page, and with the real Copilot. V17 is that all other tests pass."""


def test_every_requirement_is_named_by_a_test() -> None:
    named = {number for text in _docstrings(TESTS) for number in numbers_in(text)}
    assert sorted(set(numbers_in(DONE)) - named) == []


@pytest.mark.parametrize("folder", VERIFIED)
def test_every_verification_is_named_by_a_test_of_its_kind(folder: str) -> None:
    named = {number for text in _docstrings(TESTS / folder) for number in numbers_in(text, "V")}
    assert sorted(set(numbers_in(VERIFIED[folder], "V")) - named) == []


def numbers_in(text: str, letter: str = "R") -> Iterator[int]:
    """R9, R53–R55 and the like, with the ranges written out."""
    for first, last in re.findall(rf"\b{letter}(\d+)(?:\s*[–-]\s*{letter}?(\d+))?", text):
        yield from range(int(first), int(last or first) + 1)


def _docstrings(folder: Path) -> Iterator[str]:
    """The docstrings of its tests; a requirement named elsewhere is not shown by it."""
    for path in folder.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield ast.get_docstring(node) or ""
