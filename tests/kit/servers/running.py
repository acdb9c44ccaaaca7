"""What tests need of a server, wherever it runs: in a process (server.py) or in memory (tests/kit/memory)."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol


class Server(Protocol):
    config: Path
    data_dir: Path
    env: dict[str, str]

    @property
    def url(self) -> str: ...

    @property
    def token(self) -> str: ...

    @property
    def database(self) -> Path: ...

    @property
    def stderr(self) -> str: ...

    @property
    def is_running(self) -> bool: ...

    async def start(self, kill_point: str | None = None) -> None: ...

    async def kill(self) -> int: ...

    async def terminate(self) -> int: ...

    async def interrupt(self) -> int: ...

    async def restart(self, how: signal.Signals = ..., kill_point: str | None = None) -> None: ...

    def signal_agent(self, pid: int, number: int = signal.SIGKILL) -> None:
        """Send a signal to one of its agents, by the pid in the agent's log."""

    def running_agents(self) -> list[int]:
        """The pids of all its agents that have not ended."""

    def kill_keeper(self, pid: int) -> None:
        """Kill the keeper of an agent, by the agent's pid."""

    async def prints(self, *texts: str, within: float = 20.0) -> str: ...

    async def close(self) -> None: ...


StartServer = Callable[..., Awaitable[Server]]
