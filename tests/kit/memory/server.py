"""The whole server without process, socket or sleep: its routes, chats and database in the test's own loop.

Lives here: opening and closing what web/server.py opens and closes, with agents in memory and a clock that
moves only when everybody waits. The agents outlive it, as they outlive a real one.
Lives elsewhere: the loop (loop.py), agents (keeper.py), reaching it (addresses.py).

A test marked `in_memory` gets this server from the fixtures `server` and `start_server`.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from io import StringIO
from pathlib import Path

from tests.fakes.scripted import tasks
from tests.kit.memory import addresses
from tests.kit.memory.database import MemoryDatabase, new_database
from tests.kit.memory.keeper import Keepers
from tests.kit.memory.loop import MemoryLoop, without_threads
from tests.kit.waiting import until
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.installed.known_agents import known_agents
from voxpilot.runtime.shared.clock import Clock
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.across_chats.accepted_settings import check_data_dir, read_accepted
from voxpilot.storage.directory import data_dir as data_dirs
from voxpilot.web.app import create_api, guarded
from voxpilot.web.door.access import open_access
from voxpilot.web.routes.pages import Pages

BEGAN_AT = 1_800_000_000.0
"""What the clock of every test shows first."""


class MemoryClock(Clock):
    """The loop's time, as a date."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self.offset = BEGAN_AT

    def now(self) -> float:
        return self._loop.time() + self.offset

    def shift(self) -> float:
        return 0.0


class MemoryCatalog(Catalog):
    def learn_path(self) -> None:
        """No login shell is asked."""


class MemoryServer:
    """As `ServerProcess` has it."""

    def __init__(self, data_dir: Path, config: Path, env: Mapping[str, str] | None = None) -> None:
        self.data_dir = data_dir
        self.config = config
        self.env = dict(env or {})
        self.url = addresses.new_address()
        self.clock = MemoryClock()
        self.keepers = Keepers(self.clock.now)
        self.supervisor: Supervisor | None = None
        self._open: AsyncExitStack | None = None
        self._written = StringIO()

    @property
    def token(self) -> str:
        return (self.data_dir / "token").read_text(encoding="utf-8").strip()

    @property
    def database(self) -> Path:
        return self.data_dir / "voxpilot.db"

    @property
    def stderr(self) -> str:
        """Everything that was logged, over all its runs."""
        return self._written.getvalue()

    @property
    def is_running(self) -> bool:
        return self._open is not None

    async def start(self, kill_point: str | None = None) -> None:
        assert kill_point is None, "only a process can be killed at a certain place"
        assert self._open is None, "the server is running already"
        assert isinstance(asyncio.get_running_loop(), MemoryLoop), "time would not pass by itself"
        async with AsyncExitStack() as opened:
            opened.enter_context(without_threads())
            handler = logging.StreamHandler(self._written)
            logging.getLogger("voxpilot").addHandler(handler)
            opened.callback(logging.getLogger("voxpilot").removeHandler, handler)
            live = LiveSettings(self._environment())
            check_data_dir(live)
            data_dirs.prepare(live.now.data_dir)
            new_database(live.now.database)
            live.hold(read_accepted(live.now.database), known_agents())
            db = await opened.enter_async_context(MemoryDatabase(live.now.database))
            catalog = MemoryCatalog(live, self._environment())
            supervisor = Supervisor(db, live, catalog, self.clock, self.keepers.link)
            self.supervisor = await opened.enter_async_context(supervisor)
            access = await open_access(db, live.now.data_dir, self.clock)
            api = create_api(supervisor, access, Pages({}))
            opened.callback(api.state.streams.close)
            addresses.up(self.url, guarded(api, access, live.now))
            opened.callback(addresses.down, self.url)
            self._open = opened.pop_all()

    async def kill(self) -> int:
        """It gets to do nothing more; what was being stored at that moment is stored."""
        return await self._leave(signal.SIGKILL)

    async def terminate(self) -> int:
        """It goes, its agents stay."""
        return await self._leave(signal.SIGTERM)

    async def interrupt(self) -> int:
        """It goes and takes its agents along."""
        return await self._leave(signal.SIGINT)

    async def restart(self, how: signal.Signals = signal.SIGKILL, kill_point: str | None = None) -> None:
        if self.is_running:
            await self._leave(how)
        await self.start(kill_point)

    def signal_agent(self, pid: int, number: int = signal.SIGKILL) -> None:
        agent = self.keepers.of_agent(pid).agent
        assert agent is not None
        agent.kill(number)

    def running_agents(self) -> list[int]:
        return self.keepers.running()

    def kill_keeper(self, pid: int) -> None:
        self.keepers.of_agent(pid).vanish()

    async def prints(self, *texts: str, within: float = 20.0) -> str:
        await until(lambda: all(text in self.stderr for text in texts), within, lambda: self.stderr)
        return self.stderr

    async def close(self) -> None:
        """Stop it as Ctrl-C would: no agent may be left."""
        if self.is_running:
            await self.interrupt()
            assert self.keepers.running() == [], "agents were left running"
        addresses.forget(self.url)
        tasks.clock = time.monotonic

    async def _leave(self, how: signal.Signals) -> int:
        assert self._open is not None, "the server is not running"
        assert self.supervisor is not None
        addresses.down(self.url)
        opened, self._open = self._open, None
        if how == signal.SIGINT:
            await self.supervisor.stop_agents()
        await opened.aclose()
        return 0

    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.config.parent),
            "PATH": "/usr/bin:/bin",
            "VOXPILOT_DATA_DIR": str(self.data_dir),
            "VOXPILOT_CONFIG": str(self.config),
            **self.env,
        }
