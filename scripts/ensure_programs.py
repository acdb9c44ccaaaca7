"""Makes sure that the programs the tests use are installed: Chromium, bubblewrap and git.

Lives here: finding them, installing Debian's packages if that is possible without asking, or saying what to
install. Lives elsewhere: the tests (tests/browser, tests/keeper, tests/workspace).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

SHELL = "chromium-headless-shell"
"""The same engine without the browser's own windows, which cost a quarter of a test's time."""
BROWSERS = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OTHERS = {"bubblewrap": "bwrap", "git": "git"}
"""Debian's packages and their programs, apart from the browser."""


def find_browser() -> str | None:
    """The program to start; VOXPILOT_BROWSER names another."""
    named = os.environ.get("VOXPILOT_BROWSER")
    return named or next((path for name in BROWSERS if (path := shutil.which(name))), None)


def missing() -> list[str]:
    """The packages that have to be installed."""
    browser = [] if find_browser() else ["chromium"]
    return browser + [package for package, program in OTHERS.items() if not shutil.which(program)]


def main() -> None:
    packages = missing()
    if packages and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {', '.join(packages)} for the tests.", file=sys.stderr)
        _apt("update", "-q")
        if "chromium" in packages:
            _install(SHELL)  # not every release of Debian has it
        if still_missing := missing():
            _install(*still_missing)
        packages = missing()
    if packages:
        sys.exit(
            f"Install {', '.join(packages)} for the tests. (Set VOXPILOT_BROWSER to use another browser.)"
        )


def _install(*packages: str) -> None:
    _apt("install", "-y", "-q", "--no-install-recommends", *packages)


def _apt(*arguments: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", *arguments], check=False, stdout=subprocess.DEVNULL, env=environment)


if __name__ == "__main__":
    main()
