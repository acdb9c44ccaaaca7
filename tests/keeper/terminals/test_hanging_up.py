"""Agents that close their pipes and keep running, keepers that are suspended or lose their files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.keeper.conftest import Keep
from tests.keeper.families import STAYS, all_born
from tests.kit.machine.processes import is_alive, look_at, no_processes_left
from tests.kit.waiting import until
from voxpilot.keeper.attach import attach
from voxpilot.keeper.reaching import KeeperFailed, is_kept
from voxpilot.keeper.sweep import _PROGRAM, end_tree, left_of, wake_keeper

LIVES_ON = "import os, time; print('up', flush=True); os.close({number}); time.sleep(600)"
FORKS_ON = """
import os, time
if os.fork() == 0:
    os.environ.clear()
    os.setsid()
    for _ in range(60):
        time.sleep(0.5)
        if os.fork():
            os._exit(0)
    os._exit(0)
print("up", flush=True)
time.sleep(600)
"""
FIRST_THREAD_ENDS = """
import ctypes, os, threading, time
if os.fork() == 0:
    os.setsid()
    threading.Thread(target=time.sleep, args=(600,)).start()
    ctypes.CDLL(None).pthread_exit(0)
time.sleep(0.5)
print("up", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(("number", "reason"), [(0, "closed-stdin"), (1, "closed-stdout")])
async def test_an_agent_that_hangs_up_and_does_not_leave_is_ended(
    keep: Keep, number: int, reason: str
) -> None:
    """B10: a closed pipe can never be used again; the agent has two seconds to exit by itself."""
    kept = await keep(LIVES_ON.format(number=number), grace_seconds=(0.2, 0.2))
    await kept.line("up")
    kept.attachment.send(1, "a line that it may not read")
    end = await kept.end()
    assert end["reason"] == reason
    assert not is_alive(kept.attachment.hello.agent or 0)


async def test_an_agent_that_closes_its_pipes_and_leaves_tells_its_own_exit_code(keep: Keep) -> None:
    kept = await keep("import os, time; os.close(0); os.close(1); time.sleep(0.5); os._exit(7)")
    end = await kept.end()
    assert (end["reason"], end["exit"]) == ("exited", 7)


async def test_a_frozen_keeper_is_ended_with_all_below_it(keep: Keep, mark: str) -> None:
    """B6: also children that left their group and session and cleared their environment."""
    kept = await keep(STAYS)
    family = await all_born(kept)
    os.kill(kept.keeper, signal.SIGSTOP)
    await until(lambda: _state(kept.keeper) == "T", 5)
    assert left_of(kept.directory) == len(family) + 1
    assert end_tree(kept.directory) == len(family) + 1
    assert left_of(kept.directory) == 0
    await no_processes_left(mark)


@pytest.mark.parametrize("agent", [FORKS_ON, FIRST_THREAD_ENDS])
async def test_a_process_that_is_hard_to_see_is_ended_too(keep: Keep, mark: str, agent: str) -> None:
    """B6: one that is replaced by its child again and again; one whose first thread has ended."""
    kept = await keep(agent)
    await kept.line("up")
    os.kill(kept.keeper, signal.SIGSTOP)
    await until(lambda: _state(kept.keeper) == "T", 5)
    assert left_of(kept.directory) > 2
    end_tree(kept.directory)
    await no_processes_left(mark)


async def test_a_keeper_is_woken_and_makes_its_socket_again(keep: Keep) -> None:
    """B6: attached clients stay attached."""
    kept = await keep("import time; time.sleep(600)")
    (kept.directory / "socket").unlink()
    os.kill(kept.attachment.hello.keeper, signal.SIGSTOP)
    await until(lambda: _state(kept.attachment.hello.keeper) == "T", 5)
    wake_keeper(kept.directory)
    await until((kept.directory / "socket").exists, 5)
    again = await attach(kept.directory)
    assert again.hello.keeper == kept.attachment.hello.keeper
    assert not kept.attachment.closed
    await again.close()


async def test_waking_a_keeper_spares_what_it_is_just_starting(keep: Keep, place: Path) -> None:
    """B6: a new child has the keeper's command line until it runs its own program."""
    code = "import time; print('up', flush=True); time.sleep(600)"
    kept = await keep([sys.executable, "-c", code, str(_PROGRAM), str(place / "keeper0")])
    await kept.line("up")
    (kept.directory / "socket").unlink()
    wake_keeper(kept.directory)
    await until((kept.directory / "socket").exists, 5)
    assert is_alive(kept.attachment.hello.agent or 0)
    assert not kept.attachment.closed


async def test_what_may_not_be_looked_at_is_not_taken_for_gone(place: Path) -> None:
    """B6: a directory that cannot be entered says nothing about its keeper."""
    (place / "k").mkdir()
    (place / "k" / "lock").symlink_to("lock")
    (place / "k" / "socket").symlink_to("socket")
    with pytest.raises(KeeperFailed):
        is_kept(place / "k")
    with pytest.raises(KeeperFailed):
        await attach(place / "k")


def _state(pid: int) -> str:
    assert look_at(pid) is not None
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("marks", [b"", b"\0garbage", b"[]", b'{"id": ""}'])
def test_an_agent_is_found_and_ended_although_its_marks_are_damaged(tmp_path: Path, marks: bytes) -> None:
    folder = tmp_path / f"k-{os.urandom(6).hex()}"
    folder.mkdir()
    (folder / "marks.json").write_bytes(marks)
    with subprocess.Popen(["sleep", "600"], env={**os.environ, "VOXPILOT_KEEPER": folder.name}) as agent:
        try:
            assert left_of(folder) == 1
            assert end_tree(folder) == 1
            assert agent.wait(5) == -signal.SIGKILL
        finally:
            agent.kill()
