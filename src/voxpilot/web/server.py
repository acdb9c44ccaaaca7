"""The running server: from settings to a listening socket, and the ways to leave.

Lives here: the order in which things open and close, and signals. SIGTERM and
SIGHUP leave agents working; Ctrl-C ends them first, and twice leaves at once.
Lives elsewhere: the application (app.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from voxpilot import __version__, umask
from voxpilot.agents.catalog import Catalog
from voxpilot.errors import VoxPilotError
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.settings import Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.storage import data_dir
from voxpilot.storage.database import Database
from voxpilot.storage.migrate import migrate
from voxpilot.web.access import open_access
from voxpilot.web.app import create_api, guarded
from voxpilot.web.protocol import DoorProtocol

log = logging.getLogger(__name__)
DESCRIPTORS = 16_384
_M_ARENA_MAX = -8
"""What glibc's mallopt calls the number of its heaps."""
_CONNECTION_OPTIONS = {
    # A peer that takes nothing for a minute is gone, whatever its network says.
    "TCP_USER_TIMEOUT": 60_000,
    # The system would hold megabytes for a slow reader; what is held cannot be taken back.
    "TCP_NOTSENT_LOWAT": 128 * 1024,
}
"""Set on the listening socket; connections inherit them."""

_REACHED_FROM_HERE = ("", "0.0.0.0", "::")
"""Every address of this machine, its own name for itself among them."""


class CannotListen(VoxPilotError):
    code = "cannot-listen"


class WouldBeExposed(VoxPilotError):
    """Others could reach the server, and nobody said that they may."""

    code = "would-be-exposed"

    def __init__(self, host: str) -> None:
        super().__init__(
            f"Other machines could reach the server on {host or 'every address'}, over plain HTTP, "
            "and whoever signs in can run programs here.",
            "Use 127.0.0.1 behind an SSH tunnel, a private network or a proxy with HTTPS; "
            "or, on a network you trust, confirm with --expose or VOXPILOT_EXPOSE=1.",
        )


def run(live: LiveSettings, announce: Callable[[str], None]) -> None:
    """Serve until a signal says to leave. `announce` gets the lines a person should see."""
    import uvloop  # only a server needs it

    settings = live.now
    if not (settings.is_local or settings.expose):
        raise WouldBeExposed(settings.host)
    umask.make_private()
    _allow_descriptors()
    _use_one_heap()
    data_dir.prepare(settings.data_dir)
    with data_dir.held(settings.data_dir) as mark, _listen(settings) as sock:
        migrate(settings.database)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(live, sock, mark, announce))


async def _serve(
    live: LiveSettings, sock: socket.socket, mark: data_dir.ServerMark, announce: Callable[[str], None]
) -> None:
    settings = live.now
    port = sock.getsockname()[1]
    async with (
        Database(settings.database) as db,
        Supervisor(db, live, Catalog(live)) as supervisor,
    ):
        access = await open_access(db, settings.data_dir)
        api = create_api(supervisor, access)
        server = _Server(guarded(api, access, settings), supervisor, api.state.streams.close)
        sock.listen(server.config.backlog)  # who reads the mark may connect at once
        mark.tell(pid=os.getpid(), host=settings.host, port=port, version=__version__)
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        announce(f"VoxPilot {__version__} on http://{shown}:{port}")
        name = "voxpilot.localhost" if settings.host in _REACHED_FROM_HERE or settings.is_local else shown
        announce(f"Sign in: http://{name}:{port}/#code={await access.new_link()}")
        await server.serve(sockets=[sock])
        if server.stop_agents:
            await supervisor.stop_agents()


class _Server(uvicorn.Server):
    """Ends its streams first when told to leave; otherwise it would wait for them for ever."""

    def __init__(self, app: Any, supervisor: Supervisor, close_streams: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # a stranger's word about where it comes from
                timeout_graceful_shutdown=2,
                timeout_keep_alive=75,
                http=DoorProtocol,
                ws="none",
            )
        )
        self._close_streams = close_streams
        self.stop_agents = False

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._leave)
        loop.add_signal_handler(signal.SIGINT, self._leave_and_stop_agents)
        yield

    def _leave(self) -> None:
        self._close_streams()
        self.should_exit = True

    def _leave_and_stop_agents(self) -> None:
        if self.stop_agents:
            log.warning("left at once; agents that still run end by themselves or at the next start")
            os._exit(130)
        self.stop_agents = True
        self._leave()


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for name, value in _CONNECTION_OPTIONS.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    try:
        sock.bind((settings.host, settings.port))
    except OSError as error:
        sock.close()
        raise CannotListen(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.",
            "Choose another port with --port or VOXPILOT_PORT.",
        ) from error
    sock.set_inheritable(False)
    return sock


def _allow_descriptors() -> None:
    """Many streams need many descriptors; often far fewer are allowed than might be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _use_one_heap() -> None:
    """What one thread frees, another can use; else each holds the most it ever needed. For glibc only."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
