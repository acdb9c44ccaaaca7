"""Places where a test may have the server die.

Lives here: the names, and the one function that passes them. Outside tests
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
    "after-asking",
    "after-answer",
    "after-tool",
    "after-result",
    "after-commit-before-run",
)

_name, _, _count = os.environ.get("VOXPILOT_KILL_POINT", "").partition(":")
_left = int(_count or 1) if _name in NAMES else 0


def reach(name: str) -> None:
    """Die here by SIGKILL if a test asked for it, at the n-th pass."""
    if not _left or name != _name:
        return
    _pass()


def _pass() -> None:
    global _left
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
