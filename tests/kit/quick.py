"""The quick tests: those that need no server, browser, agent or keeper. Loaded with `-p tests.kit.quick`.

A module is left out if it, or a module of the tests that it imports, imports something that starts programs.
A test is left out if it uses a fixture that starts programs, or is marked `slow` or `alone`. While a quick
test runs, it may neither start a program nor open a server: a test that is selected by mistake fails.
"""

from __future__ import annotations

import ast
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.kit.sources import tree_of

ROOT = Path(__file__).resolve().parents[2]
STARTERS = frozenset(
    {
        "subprocess",
        "multiprocessing",
        "playwright",
        "pty",
        "asyncio.start_server",
        "voxpilot.agents.installed.short_run",
        "voxpilot.keeper.attach.start_keeper",
        "voxpilot.workspace.file_search",
        "voxpilot.workspace.programs",
    }
)
"""Modules and functions that start programs or servers."""
STARTING_FIXTURES = frozenset({"start_server", "mark", "shared_server", "browser"})
"""Fixtures that start a process use `mark`, which labels it; `start_server` does too, except in a test marked
`in_memory`. The others belong to a whole module or run."""
STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec"})
"""Audit events of the interpreter."""

_running: str | None = None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """True leaves a file out before it is imported."""
    is_test = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
    return True if is_test and starts_programs(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if not is_quick(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if is_quick(item)]


def pytest_configure() -> None:
    sys.addaudithook(refuse)  # it cannot be taken away again, so it looks at `_running`


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    with guarded(item.nodeid):
        return (yield)


def is_quick(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    is_marked = any(item.get_closest_marker(name) for name in ("slow", "alone"))
    starting = STARTING_FIXTURES - ({"start_server"} if item.get_closest_marker("in_memory") else set())
    return not is_marked and starting.isdisjoint(fixtures)


@contextmanager
def guarded(name: str) -> Iterator[None]:
    """Nothing may be started or listened on within the block."""
    global _running
    before, _running = _running, name
    try:
        yield
    finally:
        _running = before


@cache
def starts_programs(path: Path) -> bool:
    """Whether this file, or a test file that it imports, imports something that starts programs."""
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        for name in _names_used(here):
            if name in STARTERS or name.partition(".")[0] in STARTERS:
                return True
            waiting += _files(name)
    return False


def refuse(event: str, args: tuple[Any, ...]) -> None:
    """Called by the interpreter before it does something."""
    if _running is None:
        return
    serves = event == "socket.bind" and args[0].family != socket.AF_UNIX  # one in a folder is just a file
    if event in STARTS or serves:
        raise RuntimeError(f"{_running} is among the quick tests, and may not cause {event}.")


@cache
def _names_used(path: Path) -> frozenset[str]:
    """What a file imports or takes from a module; `from a import b` gives both a and a.b."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: -node.level + 1 or None] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            found.update({source, *(f"{source}.{alias.name}" for alias in node.names)})
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
    return frozenset(found)


def _files(module: str) -> list[Path]:
    """The file of a module of ours that is not part of the product; none for any other."""
    if module.partition(".")[0] not in {"tests", "bench", "scripts"}:
        return []
    path = ROOT.joinpath(*module.split("."))
    return [file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()]
