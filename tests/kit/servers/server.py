"""The real server in its own process.

Lives here: starting it, ending it in every way, checking its health. Lives elsewhere: talking to it
(client.py, sse.py), what it leaves behind (processes.py).
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio

from tests.fakes.script import AGENT
from tests.kit.machine.processes import end_marked, look_at, marked
from tests.kit.servers import fork_server, watchdog
from tests.kit.servers.config import MARK
from tests.kit.servers.fork_server import Forked
from tests.kit.waiting import until

START_SECONDS = 20.0
STOP_SECONDS = 20.0
LISTENING = (12_000, 32_000)
"""Ports below the range for outgoing connections, so that a port stays free while its server is down."""


class ServerFailed(AssertionError):
    """The server did not start, or did not stop."""


class ServerProcess:
    """`voxpilot serve` on its own port, which stays the same after every restart.

    Leaving the block stops it like Ctrl-C, so that the end of a test also proves that nothing is left
    running. If the test killed the server, its agents are ended here.
    """

    def __init__(
        self,
        data_dir: Path,
        config: Path,
        port: int | None = None,
        env: Mapping[str, str] | None = None,
        command: Sequence[str] = (),
    ) -> None:
        """With a `command`, every start runs it; otherwise a start forks an already imported program."""
        self.data_dir = data_dir
        self.config = config
        self.port = port or free_port()
        self.command = tuple(command)
        self.fresh = False
        """Whether to start the real program, as a person does."""
        self.env = {MARK: f"mark-{uuid.uuid4().hex}", **(env or {})}
        self.stderr_path = config.parent / "server.stderr"
        self.stalls_path = config.parent / "server.stalls"
        self._process: subprocess.Popen[bytes] | Forked | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.data_dir / "token").read_text(encoding="utf-8").strip()

    @property
    def database(self) -> Path:
        return self.data_dir / "voxpilot.db"

    @property
    def stderr(self) -> str:
        """Everything the server has written, over all its runs."""
        return self.stderr_path.read_text(encoding="utf-8", errors="replace")

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server was never started"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Negative for a signal; None while it runs."""
        return None if self._process is None else self._process.poll()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()

    async def start(self, kill_point: str | None = None) -> None:
        """Start it and wait until it answers. `kill_point` is `"name:n"`, for this run only."""
        self.spawn(kill_point)
        await self.wait_until_healthy()

    def spawn(self, kill_point: str | None = None) -> None:
        """Start it without waiting. Unless `fresh`, everything is already imported (fork_server.py)."""
        assert not self.is_running, "the server is running already"
        self.stderr_path.parent.mkdir(parents=True, exist_ok=True)
        env = self._environment(kill_point)
        if not (self.fresh or self.command or "PYTHONPATH" in self.env):
            self._process = fork_server.fork(env, self.config.parent, self.stderr_path)
            return
        with self.stderr_path.open("ab") as written:
            self._process = subprocess.Popen(
                self.command or [sys.executable, "-m", "voxpilot", "serve"],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                cwd=self.config.parent,
                # A Ctrl-C meant for the test run must not reach the server directly.
                start_new_session=True,
            )

    async def wait_until_healthy(self, within: float = START_SECONDS) -> None:
        await until(self._answers_or_is_gone, within, lambda: f"the server did not answer:\n{self.stderr}")
        if not self.is_running:
            raise ServerFailed(f"the server ended with {self.exit_code}:\n{self.stderr}")

    async def wait_for_exit(self, within: float = STOP_SECONDS) -> int:
        """Its exit code, once it has exited by itself."""
        await until(lambda: not self.is_running, within, lambda: f"the server did not end:\n{self.stderr}")
        code = self.exit_code
        assert code is not None
        return code

    async def prints(self, *texts: str, within: float = 20.0) -> str:
        """Wait until all of this is written (by a thread of the server); everything written so far."""
        await until(
            lambda: all(text in self.stderr for text in texts),
            within,
            lambda: f"not all of {texts} was written:\n{self.stderr}",
        )
        return self.stderr

    async def kill(self) -> int:
        """SIGKILL: it can do nothing more."""
        return await self.end_with(signal.SIGKILL)

    async def terminate(self) -> int:
        """SIGTERM: the server exits, its agents keep running."""
        return await self.end_with(signal.SIGTERM)

    async def interrupt(self) -> int:
        """SIGINT, as sent by Ctrl-C: the server exits together with its agents."""
        return await self.end_with(signal.SIGINT)

    async def end_with(self, number: signal.Signals) -> int:
        """Send the signal and wait until it has exited."""
        self.send_signal(number)
        return await self.wait_for_exit()

    def send_signal(self, number: signal.Signals) -> None:
        assert self._process is not None, "the server was never started"
        self._process.send_signal(number)

    def signal_agent(self, pid: int, number: int = signal.SIGKILL) -> None:
        """Send a signal to an agent, by the pid in the agent's log."""
        os.kill(pid, number)

    def running_agents(self) -> list[int]:
        """The pids of all its scripted agents that have not ended."""
        found = marked(self.env[MARK])
        return [one.pid for one in found if str(AGENT) in one.command]

    def kill_keeper(self, pid: int) -> None:
        """Kill the keeper of an agent, by the agent's pid."""
        agent = look_at(pid)
        assert agent is not None, "the agent is gone"
        os.kill(agent.parent, signal.SIGKILL)

    async def restart(self, how: signal.Signals = signal.SIGKILL, kill_point: str | None = None) -> None:
        """End it with this signal (if it is running) and start it again on the same port."""
        if self.is_running:
            await self.end_with(how)
        await self.start(kill_point)

    async def close(self) -> None:
        """Stop it and everything it left running."""
        if not self.is_running:
            self._end_what_was_left()
            self._check_stalls()
            return
        try:
            await self.interrupt()
            self._check_stalls()
        except AssertionError:
            await self.kill()
            self._end_what_was_left()
            raise

    def _check_stalls(self) -> None:
        """With VOXPILOT_WATCHDOG set, nothing may block the server's event loop (watchdog.py)."""
        if not os.environ.get("VOXPILOT_WATCHDOG"):
            return
        stalls = self.stalls_path.read_text(encoding="utf-8") if self.stalls_path.exists() else ""
        assert not stalls, stalls

    def _end_what_was_left(self) -> None:
        end_marked(self.env[MARK])

    async def _answers_or_is_gone(self) -> bool:
        return not self.is_running or await answers_health(self.port)

    def environment_of_others(self) -> dict[str, str]:
        """The environment that another `voxpilot` command needs to find this server."""
        return self._environment(None)

    def _environment(self, kill_point: str | None) -> dict[str, str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("VOXPILOT_")}
        env |= {
            "SHELL": "/bin/sh",  # the start-up files of other shells may be slow
            "VOXPILOT_HOST": "127.0.0.1",
            "VOXPILOT_PORT": str(self.port),
            "VOXPILOT_DATA_DIR": str(self.data_dir),
            "VOXPILOT_CONFIG": str(self.config),
            watchdog.STALLS: str(self.stalls_path),
            **self.env,
        }
        if kill_point is not None:
            env["VOXPILOT_KILL_POINT"] = kill_point
        return env


def free_port() -> int:
    """A port of the loopback interface that is free and that the system will not assign."""
    while True:
        port = random.randrange(*LISTENING)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


async def answers_health(port: int) -> bool:
    """Whether the application is there; asked by hand so that a half-started server is no error.

    With a query, health too waits until everything is imported.
    """
    try:
        with anyio.fail_after(2):
            stream = await anyio.connect_tcp("127.0.0.1", port)
            async with stream:
                lines = (
                    "GET /api/health?ready HTTP/1.1",
                    f"Host: 127.0.0.1:{port}",
                    "Connection: close",
                    "",
                    "",
                )
                await stream.send("\r\n".join(lines).encode())
                return (await stream.receive()).startswith(b"HTTP/1.1 200")
    except (OSError, TimeoutError, anyio.EndOfStream, anyio.BrokenResourceError):
        return False
