"""The running server, and the ways to stop.

Lives here: the order in which the parts open and close, and signals. SIGTERM and SIGHUP leave the agents
running; Ctrl-C ends them first, and a second Ctrl-C exits immediately.
Lives elsewhere: the application (app.py), everything before it is imported (server.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
import uvloop

from voxpilot import __version__, output
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.runtime.shared.clock import Clock
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.database.device_rows import SignInLink
from voxpilot.storage.database.opening import at_start
from voxpilot.storage.database.sqlite import Database
from voxpilot.storage.directory import data_dir
from voxpilot.threads import DaemonThreads
from voxpilot.web.app import create_api, guarded
from voxpilot.web.door.access import open_access
from voxpilot.web.door.early import EarlyDoor
from voxpilot.web.door.protocol import DoorProtocol

log = logging.getLogger(__name__)
HOME_SECONDS = 1.0
"""How often to check that the data directory is still in its place."""
_REACHED_FROM_HERE = ("", "0.0.0.0", "::")
"""Every address of this machine, its own name for itself among them."""


def serve(
    live: LiveSettings,
    sock: socket.socket,
    door: EarlyDoor,
    mark: data_dir.ServerMark,
    announce: Callable[[str], None],
) -> None:
    """Take over from the early door and serve until a signal arrives."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(live, sock, door, mark, announce))


async def _serve(
    live: LiveSettings,
    sock: socket.socket,
    door: EarlyDoor,
    mark: data_dir.ServerMark,
    announce: Callable[[str], None],
) -> None:
    asyncio.get_running_loop().set_default_executor(DaemonThreads())  # a hung disk keeps its thread
    settings = live.now
    port = sock.getsockname()[1]
    clock = Clock(settings.data_dir / "clock.json")
    async with (
        Database(settings.database) as db,
        Supervisor(db, live, Catalog(live), clock) as supervisor,
    ):
        try:
            access = await open_access(db, settings.data_dir, clock)
        except OSError as error:
            raise at_start(error, settings.database) from error
        api = create_api(supervisor, access)
        server = _Server(guarded(api, access, settings), api.state.streams.close, door.hand_over)
        mark.tell(host=settings.host, port=port, version=__version__)
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        announce(f"VoxPilot {__version__} on http://{shown}:{port}")
        name = "voxpilot.localhost" if settings.host in _REACHED_FROM_HERE or settings.is_local else shown
        announce(f"Sign in: http://{name}:{port}/#code={await access.new_link(SignInLink.SERVER)}")
        if live.pending:
            names = ", ".join(change.name for change in live.pending)
            announce(f"Changes to {live.path} are waiting for review under Settings: {names}")
        watching = asyncio.create_task(_watch_home(mark, db, server.leave))
        await server.serve(sockets=[sock])
        watching.cancel()
        if server.stop_agents:
            await supervisor.stop_agents()


async def _watch_home(mark: data_dir.ServerMark, db: Database, leave: Callable[[], None]) -> None:
    """Exit when the data directory or the database was moved, deleted or replaced: others may be using it."""
    while True:
        await asyncio.sleep(HOME_SECONDS)
        try:
            is_home, is_file = await asyncio.to_thread(lambda: (mark.is_at_home(), db.is_in_place()))
        except Exception as error:  # such as a thread that cannot be started: the next look will tell
            log.warning("could not check whether the data directory is in its place: %r", error)
            continue
        if is_home and is_file:
            continue
        what = "database" if is_home else "data directory"
        log.critical("the %s was moved, deleted or replaced while the server was running: exiting", what)
        leave()
        return


class _Server(uvicorn.Server):
    """Ends its streams before it exits; otherwise it would wait for them forever."""

    def __init__(
        self, app: Any, close_streams: Callable[[], None], hand_over: Callable[[], list[socket.socket]]
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # a caller could claim any address
                timeout_graceful_shutdown=2,
                timeout_keep_alive=75,
                http=DoorProtocol,
                ws="none",
            )
        )
        self._close_streams = close_streams
        self._hand_over = hand_over
        self.stop_agents = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Also serve those who connected before we were ready."""
        waiting = self._hand_over()
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        for connection in waiting:
            with contextlib.suppress(OSError):  # it may be gone
                await loop.connect_accepted_socket(self._new_protocol, connection)

    def _new_protocol(self) -> DoorProtocol:
        return DoorProtocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.leave)
        loop.add_signal_handler(signal.SIGINT, self._leave_and_stop_agents)
        yield

    def leave(self) -> None:
        self._close_streams()
        self.should_exit = True

    def _leave_and_stop_agents(self) -> None:
        if self.stop_agents:
            log.warning("exited immediately; agents still running end on their own or at the next start")
            output.drain()
            os._exit(130)
        self.stop_agents = True
        self.leave()
