"""The keeper's directory: taking possession of it, and the marks left there.

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
    """Enter a directory that nobody has used before; what this returns must stay open for life."""
    os.chdir(directory)
    lock = os.open("lock", os.O_RDWR | os.O_CREAT, 0o600)
    if not locked(lock):
        raise Refused(3, "another keeper has this directory")
    if any(name.startswith("journal.") for name in os.listdir()):
        raise Refused(4, "this directory had a keeper before")
    return lock


def locked(lock: int) -> bool:
    for _ in range(20):  # somebody may hold it for a moment, only to see whether it is taken
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


def leave_no_socket() -> None:
    with suppress(FileNotFoundError):
        os.unlink("socket")


def leave_marks(name: str, agent: int | None = None) -> None:
    """Say who we are, for whoever must clear up after us; start times tell a reused pid from ours."""
    marks: dict[str, object] = {"version": VERSION, "id": name, "boot": boot_id(), "agent": None}
    marks["keeper"] = {"pid": os.getpid(), "start": start_time(os.getpid())}
    if agent:
        marks["agent"] = {"pid": agent, "start": start_time(agent), "group": agent}
    with open("marks.json.new", "w") as file:
        json.dump(marks, file)
    os.replace("marks.json.new", "marks.json")
