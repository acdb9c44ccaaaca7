"""Makes sure there is a Chromium for the browser tests: the system's own, else Debian's package.

Lives here: finding it, or installing it where that is possible without asking,
or saying what to do. Lives elsewhere: the tests (tests/browser).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"]


def find_browser() -> str | None:
    """The program to start; VOXPILOT_BROWSER names another."""
    named = os.environ.get("VOXPILOT_BROWSER")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def main() -> None:
    if find_browser() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing chromium for the browser tests.", file=sys.stderr)
        _apt(["apt-get", "update", "-q"])
        _apt(INSTALL)
    if find_browser() is None:
        sys.exit("The browser tests need Chromium: install it, or name it in VOXPILOT_BROWSER.")


def _apt(command: list[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment)


if __name__ == "__main__":
    main()
