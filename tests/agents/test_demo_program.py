"""The demo agent as a program: always available, quick to start, and usable in any folder."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import voxpilot.agents.demo
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.settings.live import LiveSettings

SOURCE = Path(voxpilot.agents.demo.__path__[0])
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    live = LiveSettings({"VOXPILOT_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    return Catalog(live, {"PATH": "/nowhere"})


def test_it_is_always_found(catalog: Catalog) -> None:
    assert catalog.get("demo").path == sys.executable
    assert catalog.get("copilot").path is None


def test_it_starts_as_the_catalog_says(catalog: Catalog, tmp_path: Path) -> None:
    spec = catalog.spec(catalog.get("demo"), "p1", str(tmp_path))
    answer = json.loads(started(spec.argv, tmp_path).stdout)
    assert answer["result"]["agentInfo"]["name"] == "voxpilot-demo"


def test_it_does_not_run_what_lies_in_the_workspace(catalog: Catalog, tmp_path: Path) -> None:
    for module in ("json", "asyncio", "voxpilot"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('the workspace was run')")
    spec = catalog.spec(catalog.get("demo"), "p1", str(tmp_path))
    assert started(spec.argv, tmp_path).stderr == b""


def test_it_needs_only_the_standard_library() -> None:
    for path in SOURCE.rglob("*.py"):
        foreign = {
            name for name in imported_by(path) if name.partition(".")[0] not in sys.stdlib_module_names
        }
        assert all(name == "voxpilot" or name.startswith("voxpilot.agents.demo") for name in foreign), path


def test_nothing_heavy_is_loaded_at_its_start() -> None:
    code = "import sys, voxpilot.agents.demo.agent; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-P", "-c", code], text=True).split()
    assert {"pydantic", "fastapi", "httpx2", "orjson", "tempfile", "uuid"}.isdisjoint(loaded)


def test_it_reads_from_a_file_and_from_nothing(tmp_path: Path) -> None:
    file = tmp_path / "input.jsonl"
    file.write_text(json.dumps(INITIALIZE))
    command = [sys.executable, "-P", "-m", "voxpilot.agents.demo"]
    with file.open() as stdin:
        assert b"voxpilot-demo" in subprocess.check_output(command, stdin=stdin)
    assert subprocess.check_output(command, stdin=subprocess.DEVNULL) == b""


def started(command: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[bytes]:
    line = json.dumps(INITIALIZE).encode() + b"\n"
    return subprocess.run(command, input=line, cwd=folder, capture_output=True, check=True)


def imported_by(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
