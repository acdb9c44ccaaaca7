"""Every requirement that is done is named by a test that shows it, in that test's docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
DONE = "R1-R127 R131 R132 R154-R168 R171 R182-R187"
"""What has been built so far; a new capability adds its range."""
_NAMED = re.compile(r"\bR(\d+)(?:\s*[–-]\s*R?(\d+))?")


def test_every_requirement_is_named_by_a_test() -> None:
    named = {number for text in _docstrings() for number in numbers_in(text)}
    assert sorted(set(numbers_in(DONE)) - named) == []


def numbers_in(text: str) -> Iterator[int]:
    """R9, R53–R55 and the like, with the ranges written out."""
    for first, last in _NAMED.findall(text):
        yield from range(int(first), int(last or first) + 1)


def _docstrings() -> Iterator[str]:
    """The docstrings of all tests; a requirement named elsewhere is not shown by it."""
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield ast.get_docstring(node) or ""
