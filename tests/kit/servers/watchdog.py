"""Detects that a server's event loop waits for something other than its next event.

Lives here: a thread in the server's process that checks the main thread regularly. A thread that stays in the
same blocking system call is waiting for a disk, a pipe or a socket, however busy the machine is; one that
waits for a processor is not. Lives elsewhere: starting it (fork_server.py), reading its output (server.py).
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from pathlib import Path

STALLS = "VOXPILOT_TEST_STALLS"
"""The variable with the name of the output file."""
LOOK_EVERY_SECONDS = 0.05
LONGEST_SECONDS = 0.5
BLOCKING = {
    0: "read", 1: "write", 2: "open", 4: "stat", 6: "lstat", 17: "pread", 18: "pwrite", 35: "nanosleep",
    42: "connect", 61: "wait4", 73: "flock", 74: "fsync", 75: "fdatasync", 78: "getdents", 217: "getdents64",
    230: "clock_nanosleep", 247: "waitid", 257: "openat", 262: "newfstatat", 332: "statx", 437: "openat2",
}  # fmt: skip
"""Numbers of system calls on x86-64 that may block; epoll and futex are not included."""


def can_watch() -> bool:
    return os.uname().machine == "x86_64" and _call_of(os.getpid()) is not None


def start(path: Path) -> None:
    """Watch the main thread of this process from now on."""
    if can_watch():
        threading.Thread(target=_watch, args=(path,), name="watchdog", daemon=True).start()


def _watch(path: Path) -> None:
    before, since, is_told = "", time.monotonic(), False
    while True:
        time.sleep(LOOK_EVERY_SECONDS)
        call = _call_of(os.getpid()) or ""
        now = time.monotonic()
        if call != before:
            before, since, is_told = call, now, False
            continue
        name = BLOCKING.get(int(call.split()[0])) if call[:1].isdigit() else None
        if name is not None and not is_told and now - since >= LONGEST_SECONDS:
            frame = sys._current_frames().get(threading.main_thread().ident or 0)
            stack = "".join(traceback.format_stack(frame)[-8:])
            if "run_until_complete" in "".join(traceback.format_stack(frame)):  # the loop is running
                with path.open("a", encoding="utf-8") as file:
                    file.write(f"The event loop waited in {name} for {now - since:.1f} s:\n{stack}\n")
            is_told = True


def _call_of(pid: int) -> str | None:
    """The current system call of the main thread, with its arguments."""
    try:
        return Path(f"/proc/{pid}/task/{pid}/syscall").read_text(encoding="ascii")
    except OSError:
        return None
