"""After a keeper was killed: its journal can be read, its agent's processes are ended, nobody else's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.keeper.conftest import Keep
from tests.keeper.families import STAYS, all_born, family_of
from tests.keeper.kept import Kept, read_all
from tests.kit.machine.processes import is_alive
from tests.kit.waiting import until
from voxpilot.keeper import sweep
from voxpilot.keeper.attach import attach
from voxpilot.keeper.reaching import KeeperGone, is_kept
from voxpilot.keeper.sweep import end_tree


async def kill_keeper(kept: Kept) -> None:
    os.kill(kept.keeper, signal.SIGKILL)
    await until(lambda: kept.attachment.closed)
    await until(lambda: not is_kept(kept.directory))


async def test_the_family_of_a_killed_keeper_is_found_and_ended(keep: Keep) -> None:
    kept = await keep(STAYS)
    family = await all_born(kept)
    await kill_keeper(kept)
    alive = [pid for pid in family if is_alive(pid)]
    assert alive
    ended = end_tree(kept.directory)
    assert [pid for pid in family if is_alive(pid)] == []
    assert 0 < ended <= len(alive)
    assert end_tree(kept.directory) == 0
    with pytest.raises(KeeperGone):
        await attach(kept.directory)


async def test_what_waits_in_front_of_a_starting_keeper_is_found_and_ended(keep: Keep) -> None:
    """It was suspended, so it did not exit when the keeper had written its marks."""
    kept = await keep(STAYS)
    program = Path(sweep.__file__).with_name("program")
    command = [sys.executable, "-I", "-S", str(program), str(kept.directory.absolute())]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as front:
        front.send_signal(signal.SIGSTOP)
        assert sweep.left_of(kept.directory) > 1
        end_tree(kept.directory)
        assert front.wait(5) == -signal.SIGKILL
    assert sweep.left_of(kept.directory) == 0


async def test_processes_born_while_we_look_are_ended_too(keep: Keep) -> None:
    kept = await keep("""
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("ready", flush=True)
while True:
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
    time.sleep(0.002)
""")
    await kept.line("ready")
    await until(lambda: len(family_of(kept)) > 20)
    await kill_keeper(kept)
    assert end_tree(kept.directory) > 20


async def test_a_pid_that_is_somebody_elses_now_is_left_alone(keep: Keep) -> None:
    kept = await keep(["cat"])
    await kill_keeper(kept)
    end_tree(kept.directory)
    stranger = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    marks_file = kept.directory / "marks.json"
    marks = json.loads(marks_file.read_text())
    marks["agent"] = {"pid": stranger.pid, "group": stranger.pid, "start": marks["agent"]["start"]}
    marks_file.write_text(json.dumps(marks))
    assert end_tree(kept.directory) == 0
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


async def test_marks_of_an_earlier_run_of_the_machine_mean_nothing(keep: Keep) -> None:
    kept = await keep(["cat"])
    marks_file = kept.directory / "marks.json"
    marks = json.loads(marks_file.read_text())
    marks_file.write_text(json.dumps(marks | {"boot": "another"}))
    assert end_tree(kept.directory) == 0
    assert is_alive(kept.agent)


def test_without_marks_nothing_is_ended(tmp_path: Path) -> None:
    assert end_tree(tmp_path) == 0
    (tmp_path / "marks.json").write_text('{"id": ""}')
    assert end_tree(tmp_path) == 0
    (tmp_path / "marks.json").write_text("torn")
    assert end_tree(tmp_path) == 0


async def test_a_keeper_killed_while_it_writes_leaves_whole_records(keep: Keep) -> None:
    kept = await keep("""
import os, sys
n = 0
while True:
    os.write(1, b"".join(b"%09d " % (n + i) + b"x" * 990 + b"\\n" for i in range(100)))
    n += 100
""")
    await kept.read_until(lambda: len(kept.printed) > 5_000_000)
    await kill_keeper(kept)
    end_tree(kept.directory)
    printed = b"".join(record.payload for record in read_all(kept.directory))
    numbers = [int(line.split()[0]) for line in printed.splitlines()]
    assert numbers == list(range(len(numbers)))
    assert len(printed) >= kept.attachment.end * 0.99


async def test_a_torn_last_record_is_as_if_it_were_not_there_yet(keep: Keep) -> None:
    kept = await keep(["cat"])
    kept.send("one")
    await kept.line("one")
    kept.send("two")
    await kept.line("two")
    await kill_keeper(kept)
    end_tree(kept.directory)
    segment = kept.directory / "journal.00000000000000000000"
    whole = segment.read_bytes()
    ends = [record.end for record in read_all(kept.directory)]
    for length in range(len(whole)):
        segment.write_bytes(whole[:length])
        assert [record.end for record in read_all(kept.directory)] == [
            end for end in ends if end + 8 <= length
        ]
