"""A process that has already imported the whole program and forks a server on request.

Lives here: the fork server and its client. Imports take most of a server's start-up time, and every second
test starts one. A forked server is the program itself in its own process, with the environment, folder,
output and session of a normal start. Lives elsewhere: starting the program normally (server.py).
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tests.kit.servers import watchdog
from tests.kit.servers.config import MARK
from voxpilot import cli, killpoints
from voxpilot.assistant import llm
from voxpilot.storage.database.migrate import steps

_NOBODY = "mark-" + 32 * "0"
"""Takes the place of a mark in the fork server's own environment; a forked server writes over it."""
_IMPORTED = (
    "voxpilot.web.server",
    "voxpilot.web.serving",
    "voxpilot.assistant.toolbox",
    "voxpilot.assistant.tools.git_tools",
    "voxpilot.workspace.looking",
    "anyio._backends._asyncio",
    "genai_prices.data",
    "importlib.resources.readers",
    "openai.resources.chat.completions",
    "tomlkit",
    "uvicorn.lifespan.off",
)
"""What a server imports, at its start or when a model is first asked, apart from what `_warm` loads."""
_BUILT = ("voxpilot.", "openai.types.chat.")
"""Where the models are whose validators pydantic builds when they are first used."""


class Forked:
    """A server's process, with the interface of `subprocess.Popen`."""

    def __init__(self, fork_server: _ForkServer, pid: int) -> None:
        self.pid = pid
        self._fork_server = fork_server
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            self._code = self._fork_server.ask(wait=self.pid)["code"]
        return self._code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def fork(env: Mapping[str, str], folder: Path, output: Path) -> Forked:
    """A new server with this environment, in this folder; its output is appended to a file."""
    global _running
    if _running is None:
        _running = _ForkServer()
    os.umask(mask := os.umask(0))
    pid = _running.ask(env=dict(env), mask=mask, folder=str(folder), output=str(output))["pid"]
    return Forked(_running, pid)


class _ForkServer:
    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        env = {name: value for name, value in os.environ.items() if not name.startswith("VOXPILOT_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            env={**env, MARK: _NOBODY},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=Path(__file__).parents[3],
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


_running: _ForkServer | None = None


def _serve(words: socket.socket) -> None:
    """Handle requests until the client is gone. In a child, run the server."""
    _warm()
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
    if watchdog.STALLS in os.environ:
        watchdog.start(Path(os.environ[watchdog.STALLS]))
    code: Any = 1
    try:
        cli.main(["serve"])
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(code or 0)  # cleaning up everything that was imported takes longer than forking


def _warm() -> None:
    """Do once what every server would otherwise do after it was forked."""
    for name in _IMPORTED:
        importlib.import_module(name)
    llm._load("anthropic")
    llm._load("openai")
    steps()
    for model in _models(BaseModel):
        if model.__module__.startswith(_BUILT):
            model.model_rebuild()
    from pydantic_ai.usage import RequestUsage  # only the fork server needs this

    # Its patterns are compiled when it first looks for the usage in an answer.
    answer = {"usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    RequestUsage.extract(
        answer, provider="", provider_url="http://x", provider_fallback="openai", api_flavor="chat"
    )


def _models(above: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for model in above.__subclasses__():
        yield model
        yield from _models(model)


def _code(pid: int) -> int | None:
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def _become(env: dict[str, str], mask: int, folder: str, output: str) -> None:
    """Set up the process as if it had been started this way."""
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
    importlib.reload(killpoints)  # it reads its variable at import
    time.tzset()
    random.seed()


def _carry(mark: str) -> None:
    """Show this mark in /proc too, which otherwise has the fork server's own variables."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(start)
        at = memory.read(end - start).find(_NOBODY.encode())
        assert at >= 0, "the fork server's environment lost its place for a mark"
        assert len(mark) == len(_NOBODY), mark
        memory.seek(start + at)
        memory.write(mark.encode())


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        _serve(socket.socket(fileno=int(sys.argv[1])))
