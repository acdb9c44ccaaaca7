"""Starting the server: from settings to a listening socket.

Lives here: everything that can prevent a start, in order, and what the process needs. This module imports
little, so that `GET /api/health` is answered (door/early.py) while most of the program is being imported.
Lives elsewhere: the running server and the ways to stop (serving.py).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import resource
import socket
from collections.abc import Callable

from voxpilot import umask
from voxpilot.agents.installed.known_agents import known_agents
from voxpilot.errors import VoxPilotError
from voxpilot.settings import Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.across_chats.accepted_settings import check_data_dir, read_accepted
from voxpilot.storage.database.opening import at_start, open_up
from voxpilot.storage.directory import data_dir, private
from voxpilot.web.door.access import owner_token, replace_open_token
from voxpilot.web.door.early import EarlyDoor
from voxpilot.web.door.hosts import allowed_hosts

BACKLOG = 2048
"""Connections that wait to be accepted."""
DESCRIPTORS = 16_384
_M_ARENA_MAX = -8
"""The parameter of glibc's mallopt for the number of heaps."""
_CONNECTION_OPTIONS = {
    # A peer that accepts nothing for a minute is gone, whatever its network says.
    "TCP_USER_TIMEOUT": 60_000,
    # The system would buffer megabytes for a slow reader, and buffered data cannot be taken back.
    "TCP_NOTSENT_LOWAT": 128 * 1024,
}
"""Set on the listening socket; connections inherit them."""


class CannotListen(VoxPilotError):
    code = "cannot-listen"


class WouldBeExposed(VoxPilotError):
    """Other machines could reach the server, and nobody has confirmed that."""

    code = "would-be-exposed"

    def __init__(self, host: str) -> None:
        super().__init__(
            f"Other machines could reach the server on {host or 'every address'}, over plain HTTP, "
            "and anyone who signs in can run programs here.",
            "Use 127.0.0.1 behind an SSH tunnel, a private network or a proxy with HTTPS; "
            "or, on a network you trust, confirm with --expose or VOXPILOT_EXPOSE=1.",
        )


def run(live: LiveSettings, announce: Callable[[str], None]) -> None:
    """Serve until a signal arrives. `announce` gets the lines a person should see."""
    if "host" in live.decided_elsewhere or not live.now.database.exists():
        _check_exposure(live.now)  # later, the file may not be in force yet
    check_data_dir(live)
    umask.make_private()
    _allow_descriptors()
    _use_one_heap()
    data_dir.prepare(live.now.data_dir)
    with data_dir.held(live.now.data_dir) as mark:
        if replace_open_token(live.now.data_dir):
            announce(
                "The owner's token was readable by other users, so it was replaced. See `voxpilot token`."
            )
        private.close_up(live.now.data_dir)
        open_up(live.now.database)
        live.hold(read_accepted(live.now.database), known_agents())
        _check_exposure(live.now)
        _make_token(live.now)
        with _listen(live.now) as sock, EarlyDoor(sock, allowed_hosts(live.now)) as door:
            from voxpilot.web import serving  # heavy: most of the program

            gc.freeze()
            gc.enable()  # the command line turned it off: importing leaves no garbage
            serving.serve(live, sock, door, mark, announce)


def _make_token(settings: Settings) -> None:
    try:
        owner_token(settings.data_dir)
    except OSError as error:
        raise at_start(error, settings.database) from error


def _check_exposure(settings: Settings) -> None:
    if not (settings.is_local or settings.expose):
        raise WouldBeExposed(settings.host)


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for name, value in _CONNECTION_OPTIONS.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    try:
        sock.bind((settings.host, settings.port))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise CannotListen(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.",
            "Choose another port with --port or VOXPILOT_PORT.",
        ) from error
    return sock


def _allow_descriptors() -> None:
    """Many streams need many descriptors; the default limit is often far below the maximum."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _use_one_heap() -> None:
    """Lets threads share freed memory; otherwise each keeps the most it ever needed. glibc only."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
