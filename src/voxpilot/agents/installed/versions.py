"""Which version of an agent is installed.

Lives here: asking a program for its version, remembering the answer for as
long as the program's file is the same, and comparing versions. Lives elsewhere: the version an agent reports
in its handshake (capabilities.py).
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping, Sequence

from voxpilot.agents.installed.short_run import printed_by

LIMIT_SECONDS = 10.0
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:[-+.][0-9A-Za-z.-]+)?")
_NUMBERS = re.compile(r"\d+")


class Versions:
    """The versions that programs reported. Thread-safe."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], str | None] = {}
        self._asking: dict[tuple[object, ...], threading.Lock] = {}
        """Held while a program is asked, so that others wait for the answer instead of asking again."""
        self._lock = threading.Lock()

    def known(self, path: str, args: tuple[str, ...]) -> str | None:
        """The version it last reported, if its file is still the same."""
        return self._found.get(_identity(path, args))

    def find(
        self, path: str, args: tuple[str, ...], argv: Sequence[str], env: Mapping[str, str]
    ) -> str | None:
        """Ask unless it is known, with this command; blocks while the program runs."""
        identity = _identity(path, args)
        with self._lock:
            asking = self._asking.setdefault(identity, threading.Lock())
        with asking:
            if identity not in self._found:
                self._found[identity] = ask(argv, env)
            return self._found[identity]


def ask(argv: Sequence[str], env: Mapping[str, str], limit_seconds: float = LIMIT_SECONDS) -> str | None:
    """The version a program prints, or None when it prints none in time."""
    try:
        said = printed_by(argv, env, "/", limit_seconds)
    except OSError:
        return None
    match = _VERSION.search(said[:2_000].decode(errors="replace"))
    return match[0] if match else None


def is_enough(version: str | None, minimum: str) -> bool | None:
    """None if it cannot be determined."""
    if not minimum or not version:
        return None
    return _numbers(version) >= _numbers(minimum)


def _numbers(version: str) -> tuple[int, ...]:
    """`1.2.10-beta` as (1, 2, 10): what follows the numbers does not count."""
    version = version[:200]
    match = _VERSION.search(version)
    plain = re.split(r"[-+]", match[0] if match else version)[0]
    return tuple(int(number) for number in _NUMBERS.findall(plain))


def _identity(path: str, args: tuple[str, ...]) -> tuple[object, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return path, args
    return path, args, found.st_mtime_ns, found.st_size, found.st_ino
