"""Places where a test can kill the server.

Lives here: their names, and the function that is called at each of them. Outside tests
it does nothing: the environment variable is read once, at import.
"""

from __future__ import annotations

import os
import signal

NAMES = (
    "mid-migration",
    "mid-sweep",
    "inside-transaction",
    "before-commit",
    "after-commit-before-publish",
    "after-publish-before-reply",
    "after-commit-before-send",
    "after-send",
    "after-row-before-keeper",
    "after-keeper-before-attach",
    "after-errand",
    "after-gathering",
    "after-asking",
    "after-answer",
    "after-tool",
    "after-result",
    "after-commit-before-run",
    "before-deletion",
    "after-deletion",
)

_name, _, _count = os.environ.get("VOXPILOT_KILL_POINT", "").partition(":")
_left = int(_count or 1) if _name in NAMES else 0


def reach(name: str) -> None:
    """Die by SIGKILL if a test asked for it, the n-th time this place is reached."""
    if not _left or name != _name:
        return
    _pass()


def _pass() -> None:
    global _left
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
