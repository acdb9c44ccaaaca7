"""The PATH of the person's login shell.

Lives here: asking the shell once, with a time limit, for this one variable.
Version managers put programs on the PATH there, and a server that was started
by the system has never heard of them. Lives elsewhere: what else a child sees
(catalog.py).
"""

from __future__ import annotations

import logging
import os
import pwd
import shlex
import sys
import threading
from collections.abc import Mapping

from voxpilot.agents.short_run import printed_by

log = logging.getLogger(__name__)
LIMIT_SECONDS = 5.0
_MARK = "=voxpilot-path="
_ASK = f"import os; os.write(1, ('{_MARK}' + os.environ.get('PATH', '') + '{_MARK}').encode())"


class LoginPath:
    """`find` asks, once; `known` never waits."""

    def __init__(self, env: Mapping[str, str], limit_seconds: float = LIMIT_SECONDS) -> None:
        self._env = env
        self._limit_seconds = limit_seconds
        self._lock = threading.Lock()
        self._found: str | None = None
        self._was_asked = False

    @property
    def known(self) -> str:
        """The shell's PATH with what only ours has after it; ours alone while the shell has not answered."""
        ours = self._env.get("PATH", os.defpath)
        folders = [*(self._found or "").split(":"), *ours.split(":")]
        return ":".join(dict.fromkeys(folder for folder in folders if folder))

    def find(self) -> str:
        """Blocks until the shell has answered or its time is up; at once from the second time on."""
        with self._lock:
            if not self._was_asked:
                self._found = ask_shell(_shell(self._env), self._env, self._limit_seconds)
                self._was_asked = True
        return self.known


def ask_shell(shell: str, env: Mapping[str, str], limit_seconds: float) -> str | None:
    """What a login shell has as PATH, or None; nothing it started is left behind."""
    question = f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(_ASK)}"
    home = env.get("HOME", "")
    try:
        said = printed_by(
            [shell, "-l", "-i", "-c", question],
            {**env, "TERM": "dumb"},
            home if os.path.isdir(home) else "/",
            limit_seconds,
        )
    except OSError as error:
        log.warning("the login shell %s cannot be asked for its PATH: %s", shell, error.strerror)
        return None
    found = said.decode(errors="replace").split(_MARK)
    if len(found) != 3 or not found[1]:
        log.warning("the login shell %s did not tell its PATH", shell)
        return None
    return found[1]


def _shell(env: Mapping[str, str]) -> str:
    try:
        return env.get("SHELL") or pwd.getpwuid(os.getuid()).pw_shell or "/bin/sh"
    except KeyError:
        return "/bin/sh"
