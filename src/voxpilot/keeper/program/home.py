"""The keeper's directory: claiming it, and the marks left there.

Lives here: the lock, the socket's name, marks.json.
Lives elsewhere: the journal (segments.py), using the marks (../sweep.py).
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from contextlib import suppress

from .processes import boot_id, start_time
from .spec import VERSION


class Refused(Exception):
    """This directory cannot have a keeper; with the exit status and the reason."""


def take_possession(directory: str) -> int:
    """Claim a directory that nobody has used before; the returned descriptor must stay open until the end."""
    os.chdir(directory)
    lock = os.open("lock", os.O_RDWR | os.O_CREAT, 0o600)
    if not locked(lock):
        raise Refused(3, "another process is using this directory")
    if any(name.startswith("journal.") for name in os.listdir()):
        raise Refused(4, "an earlier process has used this directory")
    return lock


def locked(lock: int) -> bool:
    for _ in range(200):  # somebody may hold it briefly, just to check whether it is locked
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.01)
    return False


def listen(backlog: int) -> socket.socket:
    """The control socket, bound by its relative name, which is never too long."""
    leave_no_socket()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket")
    os.chmod("socket", 0o600)
    listener.listen(backlog)
    listener.setblocking(False)
    return listener


class Home:
    """Whether the directory is still ours, and the socket there still the one that others find."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}  # what tells a file from another of the same name
        for name in ("lock", "socket"):
            self._is_changed(name)

    def is_lost(self) -> bool:
        """Somebody deleted our files, so no server will ever find us again."""
        return self._is_changed("lock")

    def listen_again(self, backlog: int) -> socket.socket | None:
        """A new socket, if the one we had was deleted and another can be made."""
        if not self._is_changed("socket"):
            return None
        with suppress(OSError):
            listener = listen(backlog)
            self._known.pop("socket", None)
            self._is_changed("socket")
            return listener
        return None

    def _is_changed(self, name: str) -> bool:
        """Whether a file was deleted or replaced. A disk that fails to tell has not changed it."""
        try:
            found = os.stat(name)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        here = (found.st_dev, found.st_ino)
        return self._known.setdefault(name, here) != here


def leave_no_socket() -> None:
    with suppress(FileNotFoundError):
        os.unlink("socket")


def leave_marks(name: str, agent: int | None = None) -> None:
    """Record who we are, for a process that cleans up after us; start times tell a reused pid from ours."""
    marks: dict[str, object] = {"version": VERSION, "id": name, "boot": boot_id(), "agent": None}
    marks["keeper"] = {"pid": os.getpid(), "start": start_time(os.getpid())}
    if agent:
        marks["agent"] = {"pid": agent, "start": start_time(agent), "group": agent}
    with open("marks.json.new", "w") as file:
        json.dump(marks, file)
    os.replace("marks.json.new", "marks.json")
