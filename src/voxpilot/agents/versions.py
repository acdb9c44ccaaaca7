"""Which version of an agent is installed.

Lives here: asking a program for its version, remembering the answer for as
long as the program's file is the same, and comparing versions. Lives
elsewhere: the version an agent tells in its handshake (abilities.py).
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping

from voxpilot.agents.short_run import printed_by

LIMIT_SECONDS = 10.0
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:[-+.][0-9A-Za-z.-]+)?")
_NUMBERS = re.compile(r"\d+")


class Versions:
    """What programs said about themselves. Safe to use from any thread."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], str | None] = {}
        self._lock = threading.Lock()

    def known(self, path: str, args: tuple[str, ...]) -> str | None:
        """What it said when it was last asked, if its file is still the same."""
        return self._found.get(_identity(path, args))

    def find(self, path: str, args: tuple[str, ...], env: Mapping[str, str]) -> str | None:
        """Ask unless it is known; blocks while the program runs."""
        identity = _identity(path, args)
        with self._lock:
            if identity in self._found:
                return self._found[identity]
        found = ask(path, args, env)
        with self._lock:
            self._found[identity] = found
        return found


def ask(
    path: str, args: tuple[str, ...], env: Mapping[str, str], limit_seconds: float = LIMIT_SECONDS
) -> str | None:
    """The version a program prints, or None when it prints none in time."""
    try:
        said = printed_by([path, *args], env, "/", limit_seconds)
    except OSError:
        return None
    match = _VERSION.search(said[:10_000].decode(errors="replace"))
    return match[0] if match else None


def is_enough(version: str | None, minimum: str) -> bool | None:
    """None when nothing can be said."""
    if not minimum or not version:
        return None
    return _numbers(version) >= _numbers(minimum)


def _numbers(version: str) -> tuple[int, ...]:
    """`1.2.10-beta` as (1, 2, 10): what follows the numbers does not count."""
    match = _VERSION.search(version)
    plain = re.split(r"[-+]", match[0] if match else version)[0]
    return tuple(int(number) for number in _NUMBERS.findall(plain))


def _identity(path: str, args: tuple[str, ...]) -> tuple[object, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return path, args
    return path, args, found.st_mtime_ns, found.st_size, found.st_ino
