"""A program in a sandbox: how it is started, which process it is, and how it ended.

Lives here: the keeper's part. Lives elsewhere: what the sandbox allows (../sandbox/).
"""

from __future__ import annotations

import errno
import json
import os
import signal

from .processes import Family, absolute_path, send_signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER, TEMPORARY, ENVIRONMENT = "{cwd}", "{tmp}", "{env}"
"""Placeholders in the command, each a whole word; rules are one word, with the second as a JSON string."""
OURS = "VOXPILOT_"
RULES = '{"read"'
OWN_FOLDER = "tmp"


class Sandbox:
    """The sandbox of one agent and its commands; without a spec there is none, and nothing is changed."""

    def __init__(self, spec: dict[str, Any] | None) -> None:
        self.argv: list[str] = spec["argv"] if spec else []
        self.env: dict[str, str] = spec["env"] if spec else {}
        self.is_bubblewrap = spec is not None and spec["kind"] == "bwrap"
        self.temporary = ""

    def open(self) -> None:
        """Create the private folder for temporary files in the keeper's directory."""
        if self.argv:
            os.makedirs(OWN_FOLDER, mode=0o700, exist_ok=True)
            self.temporary = os.path.abspath(OWN_FOLDER)

    def command(self, argv: list[str], env: dict[str, str], cwd: str) -> tuple[list[str], dict[str, str]]:
        """What to run instead of a program, and with which variables; raises OSError if the program does not
        exist.

        The program's own variables are passed in a file: whatever sets up the sandbox runs outside it, and
        they must not affect it.
        """
        if not self.argv:
            return argv, env
        program = located(argv[0], env, cwd)
        places = {FOLDER: cwd, TEMPORARY: self.temporary, ENVIRONMENT: str(in_a_file(env))}
        marks = {name: value for name, value in env.items() if name.startswith(OURS)}
        filled = [self._filled(part, places) for part in self.argv]
        return [*filled, program, *argv[1:]], {"PATH": os.defpath, **marks}

    def environment(self, env: dict[str, str]) -> dict[str, str]:
        ours = {name: value.replace(TEMPORARY, self.temporary) for name, value in self.env.items()}
        return {**env, **ours}

    def status(self, status: int, is_ours: bool) -> int:
        """How the program itself ended, as far as that is known.

        Bubblewrap exits with 128 + n if signal n ended the program, but also if the program itself exited
        with that code. It is read as a signal only if we sent one (`is_ours`).
        """
        number = self.maybe_signal(status)
        return number if number is not None and is_ours else status

    def maybe_signal(self, status: int) -> int | None:
        """The signal that may have ended a program for which bubblewrap reports only an exit code."""
        code = os.waitstatus_to_exitcode(status)
        return code - 128 if self.is_bubblewrap and 128 < code < 128 + signal.NSIG else None

    def program(self, pid: int, family: Family) -> int:
        """The program's own process, which is two levels below the bubblewrap process that was started."""
        for _ in range(2 if self.is_bubblewrap else 0):
            children = family.children.get(pid)
            if not children:
                break
            pid = min(children, key=lambda child: (family.began[child], child))
        return pid

    def ask_to_leave(self, pid: int) -> None:
        """SIGTERM for the program and its group, but not for bubblewrap, because everything ends with it."""
        if not self.is_bubblewrap:
            send_signal(-pid, signal.SIGTERM)
            return
        family = Family()
        inner = self.program(pid, family)
        for each in [inner, *family.below(inner)] if inner != pid else []:
            if family.group[each] == pid:
                send_signal(each, signal.SIGTERM)

    def is_shell(self, pid: int) -> bool:
        """Whether it is a bubblewrap process, which ends with its program and must not end before it."""
        if not self.is_bubblewrap:
            return False
        try:
            with open(f"/proc/{pid}/comm") as file:
                return file.read() == "bwrap\n"
        except OSError:
            return False

    def _filled(self, part: str, places: dict[str, str]) -> str:
        if part.startswith(RULES):
            return part.replace(f'"{TEMPORARY}"', json.dumps(self.temporary))
        return places.get(part, part)


def in_a_file(env: dict[str, str]) -> int:
    """Variables as options of bubblewrap, in an unnamed file that the next program inherits.

    Raises ValueError for a NUL, which would end a word: the text after it would be read as an option.
    """
    words = ["--clearenv"]
    for name, value in env.items():
        words += ["--setenv", name, value]
    if any("\0" in word for word in words):
        raise ValueError("a variable holds a NUL character")
    file = os.memfd_create("environment", 0)
    with open(file, "wb", closefd=False) as writing:
        writing.write(b"".join(os.fsencode(word) + b"\0" for word in words))
    os.lseek(file, 0, os.SEEK_SET)
    return file


def located(name: str, env: dict[str, str], cwd: str) -> str:
    """The path of a program, which must be known before the sandbox is entered; raises OSError."""
    folders = [""] if "/" in name else absolute_path(env).split(":")
    failure = errno.ENOENT
    for folder in folders:
        path = os.path.join(cwd, folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
        if os.path.exists(path):
            failure = errno.EACCES
    raise OSError(failure, os.strerror(failure))
