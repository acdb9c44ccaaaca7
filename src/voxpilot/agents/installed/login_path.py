"""The PATH of the person's login shell.

Lives here: asking the shell once, with a time limit, for this one variable.
Version managers put programs on the PATH there, and a server that was started by the system does not have
them. Lives elsewhere: what else a child sees (catalog.py).
"""

from __future__ import annotations

import logging
import os
import pwd
import shlex
import sys
import threading
from collections.abc import Mapping

from voxpilot import search_path
from voxpilot.agents.installed.short_run import printed_by

log = logging.getLogger(__name__)
LIMIT_SECONDS = 5.0
_MARK = "=voxpilot-path="
_ASK = f"import os; os.write(1, ('{_MARK}' + os.environ.get('PATH', '') + '{_MARK}').encode())"


class LoginPath:
    """`find` asks the shell, once; `known` never blocks."""

    def __init__(self, env: Mapping[str, str], limit_seconds: float = LIMIT_SECONDS) -> None:
        self._env = env
        self._limit_seconds = limit_seconds
        self._lock = threading.Lock()
        self._found: str | None = None
        self._was_asked = False

    @property
    def known(self) -> str:
        """The shell's PATH followed by entries that only ours has; ours alone until the shell has
        answered."""
        ours = self._env.get("PATH", os.defpath)
        return search_path.absolute(f"{self._found or ''}:{ours}")

    def find(self) -> str:
        """Blocks until the shell has answered or the time limit is reached; later calls return
        immediately."""
        with self._lock:
            if not self._was_asked:
                self._found = ask_shell(_shell(self._env), self._env, self._limit_seconds)
                self._was_asked = True
        return self.known


def ask_shell(shell: str, env: Mapping[str, str], limit_seconds: float) -> str | None:
    """The PATH of a login shell, or None; nothing it started is left behind."""
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
        log.warning("cannot read PATH from the login shell %s: %s", shell, error.strerror)
        return None
    found = said.decode(errors="replace").split(_MARK)
    if len(found) != 3 or not found[1]:
        log.warning("the login shell %s did not print its PATH", shell)
        return None
    return found[1]


def _shell(env: Mapping[str, str]) -> str:
    try:
        shell = env.get("SHELL") or pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        shell = ""
    return shell if shell.startswith("/") else "/bin/sh"
