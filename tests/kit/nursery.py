"""A process that has imported the whole program already, and becomes a server as often as it is asked.

Lives here: the nursery, which forks, and the hand that asks it. To import everything takes most of a
server's start, and every second test starts one. What is forked is the program itself in a process of its
own, with the environment, folder, output and session that it would have had. Lives elsewhere: restarts, and
starts that are to die on the way, which are of the program from its first byte (server.py).
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from voxpilot import cli

from .config import MARK

_NOBODY = "mark-" + 32 * "0"
"""In the place of a mark in the nursery's own environment, to be written over."""
_IMPORTED = ("voxpilot.web.server", "uvloop", "pydantic_ai.models.anthropic", "pydantic_ai.models.openai")
"""What a server imports, at its start or when a model is first asked."""


class Born:
    """A server's process, as `subprocess.Popen` would have it."""

    def __init__(self, nursery: _Nursery, pid: int) -> None:
        self.pid = pid
        self._nursery = nursery
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            self._code = self._nursery.ask(wait=self.pid)["code"]
        return self._code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def born(env: Mapping[str, str], folder: Path, output: Path) -> Born:
    """A new server with this environment, in this folder; what it prints is added to a file."""
    global _running
    if _running is None:
        _running = _Nursery()
    os.umask(mask := os.umask(0))
    pid = _running.ask(env=dict(env), mask=mask, folder=str(folder), output=str(output))["pid"]
    return Born(_running, pid)


class _Nursery:
    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        env = {name: value for name, value in os.environ.items() if not name.startswith("VOXPILOT_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            env={**env, MARK: _NOBODY},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=Path(__file__).parents[2],
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self._words = ours.makefile("rw", encoding="utf-8")
        ours.close()
        atexit.register(self._close)

    def ask(self, **question: Any) -> dict[str, Any]:
        self._words.write(json.dumps(question) + "\n")
        self._words.flush()
        answer: dict[str, Any] = json.loads(self._words.readline())
        return answer

    def _close(self) -> None:
        self._words.close()
        self._process.wait()


_running: _Nursery | None = None


def _serve(words: socket.socket) -> None:
    """Do what is asked until nobody is there to ask. In a child, be the server."""
    for name in _IMPORTED:
        import_module(name)
    gc.collect()
    gc.freeze()
    with words.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            question = json.loads(line)
            if "wait" in question:
                answer: dict[str, Any] = {"code": _code(question["wait"])}
            elif (pid := os.fork()) == 0:
                break
            else:
                answer = {"pid": pid}
            lines.write(json.dumps(answer) + "\n")
            lines.flush()
        else:
            return
    words.close()
    _become(**question)
    code: Any = 1
    try:
        cli.main(["serve"])
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(code or 0)  # to take apart all that was imported costs more than it did to fork


def _code(pid: int) -> int | None:
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def _become(env: dict[str, str], mask: int, folder: str, output: str) -> None:
    """Be as a process that was started so."""
    os.setsid()
    os.umask(mask)
    os.chdir(folder)
    sys.path[0] = folder
    written = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.closerange(3, written + 1)
    os.environ.clear()
    os.environ.update(env)
    _carry(env[MARK])
    time.tzset()
    random.seed()


def _carry(mark: str) -> None:
    """Have the system, too, show this mark among our variables: it shows those of the nursery's start."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(start)
        at = memory.read(end - start).find(_NOBODY.encode())
        assert at >= 0, "the nursery's environment lost its place for a mark"
        assert len(mark) == len(_NOBODY), mark
        memory.seek(start + at)
        memory.write(mark.encode())


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        _serve(socket.socket(fileno=int(sys.argv[1])))
