"""How the quick tests are chosen, and that one chosen by mistake cannot start anything."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit import quick

ROOT = Path(__file__).resolve().parents[1]
FEWEST = 1000


def test_there_are_many_quick_tests(request: pytest.FixtureRequest) -> None:
    everything = request.session.items
    names = _quick_among(everything) if len(everything) > 2 * FEWEST else _quick_by_themselves()
    assert len(names) >= FEWEST
    assert not [
        name for name in names if name.startswith(("tests/browser/", "tests/faults/", "tests/survival/"))
    ]


def _quick_among(items: list[pytest.Item]) -> list[str]:
    return [item.nodeid for item in items if quick.is_quick(item) and not quick.starts_programs(item.path)]


def _quick_by_themselves() -> list[str]:
    """Those that `make quick` would run, which takes seconds to find out."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "tests.kit.quick"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "deselected" in listed  # others were left out
    return [line for line in listed.splitlines() if "::" in line]


@pytest.mark.parametrize(
    ("path", "starts"),
    [
        ("stories/command_line/test_agents.py", True),  # imports the fixtures
        ("web/requests/test_errors.py", True),  # imports a module next to it
        ("kit/clients/proxy.py", True),  # opens a server itself
        ("kit/oracles/oracle.py", False),
        ("chat/test_golden.py", False),
    ],
)
def test_a_module_that_starts_programs_is_recognised(path: str, starts: bool) -> None:
    assert quick.starts_programs(ROOT / "tests" / path) is starts


def test_a_quick_test_cannot_start_a_program_or_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "_running", "this test")
    with socket.socket() as inet, socket.socket(socket.AF_UNIX) as unix:
        with pytest.raises(RuntimeError, match=r"this test .* socket\.bind"):
            quick.refuse("socket.bind", (inet, ("127.0.0.1", 0)))
        quick.refuse("socket.bind", (unix, "name"))
    with pytest.raises(RuntimeError, match=r"subprocess\.Popen"):
        quick.refuse("subprocess.Popen", ("git", ["git"], None, None))
    quick.refuse("open", ("file", "r", 0))
