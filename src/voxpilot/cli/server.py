"""The server that a command uses: the running one, or one started for the command.

Lives here: where it listens, starting it for a command and stopping it afterwards.
Lives elsewhere: talking to it (client.py), `voxpilot stop` (stop.py).
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import IO

from voxpilot.cli.client import Client, answers
from voxpilot.errors import VoxPilotError
from voxpilot.settings import Settings
from voxpilot.storage.directory import data_dir
from voxpilot.web.door.access import owner_token

START_SECONDS = 20.0
STOP_SECONDS = 15.0
_LOOK_EVERY_SECONDS = 0.05
_LAST_WORDS = 2000


class NoServer(VoxPilotError):
    code = "no-server"

    def __init__(self, settings: Settings) -> None:
        super().__init__(f"No server is running on {settings.data_dir}.", "Start one with `voxpilot serve`.")


class ServerFailed(VoxPilotError):
    """A server could not be started, or does not answer."""

    code = "server-failed"


class Host:
    """The server a command works with."""

    def __init__(self, said: IO[bytes]) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        """Its process if the command started it and therefore has to stop it."""
        self._said = said

    def start(self) -> None:
        # -P: a module in the current folder with the name of one of ours must not be imported.
        self.child = subprocess.Popen(
            [sys.executable, "-P", "-m", "voxpilot", "serve"],
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,
        )

    def leave_running(self) -> None:
        self.child = None

    def last_words(self) -> str:
        """The last output of the server we started."""
        self._said.seek(0)
        return self._said.read()[-_LAST_WORDS:].decode(errors="replace").strip()


def locate(settings: Settings) -> str | None:
    """The address of the server that holds the data directory; None while there is none.

    Looked up before each request, so the token is never sent to a program that took over the port of a dead
    server.
    """
    told = data_dir.running_server(settings.data_dir)
    return base_url(str(told["host"]), int(told["port"])) if told and "port" in told else None


def base_url(host: str, port: int) -> str:
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def client(settings: Settings, patience_seconds: float = 60.0) -> Client:
    """A client with the owner's token, for the server that holds the data directory."""
    data_dir.prepare(settings.data_dir)
    return Client(partial(locate, settings), owner_token(settings.data_dir), patience_seconds)


@asynccontextmanager
async def some_server(settings: Settings) -> AsyncIterator[Host]:
    """A responding server for the duration of the block: the running one, or one that we start."""
    with tempfile.TemporaryFile() as said:
        host = Host(said)
        try:
            await _until_it_answers(settings, host)
            yield host
        finally:
            if host.child is not None:
                await _end(host.child)


async def _until_it_answers(settings: Settings, host: Host) -> None:
    deadline = time.monotonic() + START_SECONDS
    while (base := locate(settings)) is None or not await answers(base):
        if time.monotonic() > deadline:
            hint = host.last_words() or "See its log. Use `voxpilot stop` to stop it."
            raise ServerFailed(f"The server did not respond within {START_SECONDS:.0f} s.", hint)
        runs = data_dir.running_server(settings.data_dir) is not None
        if host.child is None and not runs:
            host.start()
        elif host.child is not None and host.child.poll() is not None:
            if not runs:
                raise ServerFailed("The server could not be started.", host.last_words())
            host.child = None  # another command started a server first; use that one
        await asyncio.sleep(_LOOK_EVERY_SECONDS)


async def _end(child: subprocess.Popen[bytes]) -> None:
    """Like Ctrl-C: its agents end with it."""
    child.send_signal(signal.SIGINT)
    deadline = time.monotonic() + STOP_SECONDS
    while child.poll() is None:
        if time.monotonic() > deadline:
            raise ServerFailed(
                f"The server started for this command (pid {child.pid}) is slow to stop.",
                "Run `voxpilot stop` to try again.",
            )
        await asyncio.sleep(_LOOK_EVERY_SECONDS)
