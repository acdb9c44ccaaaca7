"""Installs the real agents that tests/real_agents runs against into .agents, once.

    python -m scripts.real_agents

Lives here: which folder, what is in it, and what to say when it cannot be had.
Lives elsewhere: the versions (scripts/agents/package.json and its lock), the
tests. Node 22 comes along, since one of the agents wants it.
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
"""What agents unpack at their first start, kept for the next test."""
STAMP = FOLDER / ".stamp"
OLDER_CODEX = "codex-acp-linux-" + ("arm64" if platform.machine() in ("aarch64", "arm64") else "x64")
"""All that we take of Codex's older package; the rest of it has the name of the newer one's program."""
NEEDED = ("copilot", "claude-agent-acp", "codex-acp", "opencode", OLDER_CODEX)


class CannotInstall(Exception):
    """The agents are not there and could not be had."""


def main() -> None:
    try:
        install()
    except CannotInstall as error:
        # The tests say it again: a run without the agents must not look like one with them.
        print(error, file=sys.stderr)


def install() -> None:
    """Nothing is done where all is there already."""
    if missing() is None:
        return
    print("Installing the real agents for the tests into .agents (about 2 GB).", file=sys.stderr)
    FOLDER.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(PINS / name, FOLDER / name)
    # Not `ci`: the lock may lack the programs for other machines than the one it was made on.
    _npm("install", "--prefer-offline", "--loglevel=error")
    _place_opencode()
    if absent := [name for name in NEEDED if not (PROGRAMS / name).exists()]:
        raise CannotInstall(f"npm did not bring {', '.join(absent)}.")
    STAMP.write_text(_pins_digest())


def missing() -> str | None:
    """Why the tests cannot run, or None when they can."""
    if not STAMP.is_file():
        return (
            "The real agents are not installed: run `make agents`, which needs an npm registry within reach."
        )
    if STAMP.read_text() != _pins_digest():
        return "The real agents in .agents are not those that scripts/agents asks for: run `make agents`."
    return None


def _pins_digest() -> str:
    return hashlib.sha256((PINS / "package-lock.json").read_bytes()).hexdigest()


def _npm(*args: str) -> None:
    try:
        command = npm_command()
    except SystemExit as error:
        raise CannotInstall(f"The real agents come from npm. {error}") from error
    done = subprocess.run([*command, *args], cwd=FOLDER, stdout=sys.stderr, check=False)
    if done.returncode:
        raise CannotInstall("npm could not fetch the real agents; is its registry within reach?")


def _place_opencode() -> None:
    """Its program is put in place by a script of its package, the only one we let run."""
    package = MODULES / "opencode-ai"
    path = f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    node = shutil.which("node", path=path)
    if node is None:
        raise CannotInstall("The real agents need node.")
    done = subprocess.run(
        [node, "postinstall.mjs"],
        cwd=package,
        env={**os.environ, "PATH": path},
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode:
        raise CannotInstall("The package of OpenCode could not put its program in place.")


if __name__ == "__main__":
    main()
