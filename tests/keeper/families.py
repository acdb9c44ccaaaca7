"""Agents with children that try to outlive them."""

from __future__ import annotations

import os

from tests.keeper.kept import Kept
from tests.kit.machine.processes import Found, look_at
from tests.kit.waiting import until

FAMILY = """
import os, signal, subprocess, sys, time

def sleeper(ignore=False):
    if ignore:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    while True:
        time.sleep(60)

def child(*steps, ignore=False):
    if os.fork() == 0:
        for step in steps:
            step()
        sleeper(ignore)

def leave_parent():
    if os.fork():
        os._exit(0)

child()
child(os.setsid)
child(leave_parent)
child(os.setsid, leave_parent, ignore=True)
child(lambda: os.environ.clear(), os.setsid, leave_parent)
subprocess.Popen(["nohup", "sleep", "1000"], stdin=subprocess.DEVNULL)
subprocess.Popen(["env", "-i", sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=True)
child(lambda: os.setpgid(0, 0))
"""
"""An agent with eight children of all kinds; each keeps its pipes open."""


STAYS = (
    FAMILY
    + """
print("ready", flush=True)
sleeper()
"""
)


def family_of(kept: Kept) -> set[int]:
    """All descendants of the keeper that run."""
    return {process.pid for process in _descendants(kept) if process.state != "Z"}


async def all_born(kept: Kept) -> set[int]:
    await kept.line("ready")
    await until(lambda: _is_complete(_descendants(kept)))
    return family_of(kept)


def _is_complete(descendants: list[Found]) -> bool:
    """All run, and the three that left their parent have done so: it does not wait for those in between."""
    exited = sum(process.state == "Z" for process in descendants)
    return exited >= 3 and len(descendants) - exited >= 9


def _descendants(kept: Kept) -> list[Found]:
    everybody = [found for name in os.listdir("/proc") if name.isdigit() and (found := look_at(int(name)))]
    pids, family = [kept.keeper], list[Found]()
    for parent in pids:
        below = [process for process in everybody if process.parent == parent]
        family += below
        pids += [process.pid for process in below]
    return family
