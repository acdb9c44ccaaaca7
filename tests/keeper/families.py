"""Agents with children that try to outlive them."""

from __future__ import annotations

import os

from tests.keeper.kept import Kept
from tests.kit.machine.processes import look_at
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
    """All descendants of the keeper."""
    everybody = [found for name in os.listdir("/proc") if name.isdigit() and (found := look_at(int(name)))]
    family = [kept.keeper]
    for parent in family:
        family += [process.pid for process in everybody if process.parent == parent]
    return set(family[1:])


async def all_born(kept: Kept) -> set[int]:
    await kept.line("ready")
    await until(lambda: len(family_of(kept)) >= 9)
    return family_of(kept)
