"""Patterns for paths."""

from __future__ import annotations

import time

import pytest

from voxpilot.workspace.globs import Glob, IgnoreFile


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*.py", ["a.py", "src/deep/a.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["src/deep/a.py", "other/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/deep/er/a.py"], ["a.py", "src/a.js"]),
        ("**/test_*.py", ["test_a.py", "tests/test_a.py"], ["tests/a_test.py"]),
        ("/README.md", ["README.md"], ["docs/README.md"]),
        ("src/**", ["src/a", "src/b/c"], ["lib/a"]),
        ("**/*.{ts,tsx}", ["a.ts", "x/b.tsx"], ["a.js"]),
        ("file[0-9].t?t", ["file1.txt"], ["filea.txt", "file1.tt"]),
        ("**", ["a", "b/c"], []),
    ],
)
def test_a_pattern_matches_what_it_should(pattern: str, matching: list[str], others: list[str]) -> None:
    glob = Glob(pattern)
    assert [path for path in matching if not glob.matches(path)] == []
    assert [path for path in others if glob.matches(path)] == []


def test_an_ignore_file_is_read_as_git_reads_it() -> None:
    ignore = IgnoreFile("# comment\n\n*.log\n!keep.log\n/build/\nnode_modules\ndocs/*.tmp\n")
    verdicts = {
        ("a.log", False): True,
        ("deep/a.log", False): True,
        ("keep.log", False): False,
        ("build", True): True,
        ("build", False): None,
        ("sub/build", True): None,
        ("sub/node_modules", True): True,
        ("docs/a.tmp", False): True,
        ("docs/deep/a.tmp", False): None,
        ("README.md", False): None,
    }
    assert {asked: ignore.verdict(*asked) for asked in verdicts} == verdicts


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/a/**/a/**/a/**/a/**/a/**/b", "a/" * 120 + "c"),
        ("**/*a*b*c*d*e*f*g*h", "a" * 60 + "/" + "abcdefg" * 40),
        ("{a,b}" * 60, "a" * 60),
        ("*" * 300 + "x", "y" * 200),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    begun = time.monotonic()
    assert not Glob(pattern).matches(path)
    IgnoreFile(pattern).verdict(path, False)
    assert time.monotonic() - begun < 2


@pytest.mark.slow
def test_a_hostile_ignore_file_takes_little_time() -> None:
    """Its lines are matched one by one if together they would block everything."""
    text = "".join(f"{'*a' * 100}{number}\n" for number in range(1000))
    began = time.process_time()
    assert IgnoreFile(text).verdict("a" * 250, False) is None
    assert time.process_time() - began < 5
    many = IgnoreFile("a*b*c\nd*e*f*g\n" * 300 + "!kept\n**\n!x\n")
    assert (many.verdict("k/d1e2f3g", False), many.verdict("x", False)) == (True, False)
