"""Installs the real agents that tests/real_agents runs against into .agents, once.

    python -m scripts.real_agents

Lives here: which folder, what is in it, and what to report if it cannot be installed.
Lives elsewhere: the versions (scripts/agents/package.json and its lock), the
tests. Node 22 is installed too, because one of the agents needs it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from hatch_build import npm_command

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "scripts" / "agents"
FOLDER = ROOT / ".agents"
MODULES = FOLDER / "node_modules"
PROGRAMS = MODULES / ".bin"
CACHE = FOLDER / "cache"
"""What agents unpack at their first start, cached for the next test."""
STAMP = FOLDER / ".stamp"
OLDER_CODEX = "codex-acp-linux-" + ("arm64" if platform.machine() in ("aarch64", "arm64") else "x64")
"""The only part of Codex's older package that we install; its other program has the newer one's name."""
NEEDED = ("copilot", "claude-agent-acp", "codex-acp", "opencode", OLDER_CODEX)


class CannotInstall(Exception):
    """The agents are not installed and could not be installed."""


def main() -> None:
    try:
        install()
    except CannotInstall as error:
        # The tests report it again: a run without the agents must not look like one with them.
        print(error, file=sys.stderr)


def install() -> None:
    """Does nothing if everything is installed already."""
    if missing() is None:
        return
    print("Installing the real agents for the tests into .agents (about 2 GB).", file=sys.stderr)
    FOLDER.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(PINS / name, FOLDER / name)
    # Not `ci`: the lock may lack programs for machines other than the one it was created on.
    _npm("install", "--prefer-offline", "--loglevel=error")
    _place_opencode()
    if absent := [name for name in NEEDED if not (PROGRAMS / name).exists()]:
        raise CannotInstall(f"npm did not install {', '.join(absent)}.")
    STAMP.write_text(_pins_digest())


def missing() -> str | None:
    """Why the tests cannot run, or None when they can."""
    if not STAMP.is_file():
        return "The real agents are not installed: run `make agents`, which needs access to an npm registry."
    if STAMP.read_text() != _pins_digest():
        return "The real agents in .agents do not match scripts/agents: run `make agents`."
    return None


def _pins_digest() -> str:
    return hashlib.sha256((PINS / "package-lock.json").read_bytes()).hexdigest()


def _npm(*args: str) -> None:
    try:
        command = npm_command()
    except SystemExit as error:
        raise CannotInstall(f"The real agents are installed with npm. {error}") from error
    done = subprocess.run([*command, *args], cwd=FOLDER, stdout=sys.stderr, check=False)
    if done.returncode:
        raise CannotInstall("npm could not download the real agents; can its registry be reached?")


def _place_opencode() -> None:
    """Its program is installed by a script of its package, the only script we allow to run."""
    package = MODULES / "opencode-ai"
    path = f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    node = shutil.which("node", path=path)
    if node is None:
        raise CannotInstall("The real agents need Node.js.")
    done = subprocess.run(
        [node, "postinstall.mjs"],
        cwd=package,
        env={**os.environ, "PATH": path},
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode:
        raise CannotInstall("The OpenCode package could not install its program.")


if __name__ == "__main__":
    main()
