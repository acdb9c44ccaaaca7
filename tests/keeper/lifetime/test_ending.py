"""The ways an agent ends, and that nothing it started outlives it."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.keeper.conftest import Keep
from tests.keeper.families import FAMILY, STAYS, all_born, family_of
from tests.keeper.kept import Kept, read_all, spec_for
from tests.kit.machine.processes import is_alive, no_processes_left, zombies_of
from tests.kit.machine.sandboxes import in_every_sandbox
from tests.kit.waiting import until
from voxpilot.keeper.attach import attach, start_keeper
from voxpilot.keeper.journal import ENDED
from voxpilot.keeper.reaching import KeeperGone, is_kept

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
print("ready", flush=True)
while True:
    time.sleep(60)
"""


async def nothing_left(kept: Kept, family: set[int]) -> None:
    await until(lambda: not is_kept(kept.directory), 10)
    assert [pid for pid in family if is_alive(pid)] == []


@in_every_sandbox
async def test_a_stop_ends_the_whole_family(keep: Keep) -> None:
    kept = await keep(STAYS, grace_seconds=(0.1, 0.1))
    family = await all_born(kept)
    kept.attachment.stop()
    assert (await kept.end())["reason"] == "stopped"
    await nothing_left(kept, family)


@in_every_sandbox
async def test_a_kill_ends_the_whole_family_at_once(keep: Keep) -> None:
    kept = await keep(STAYS, grace_seconds=(60, 60))
    family = await all_born(kept)
    kept.attachment.kill()
    end = await kept.end(within=3)
    assert (end["reason"], end["signal"]) == ("killed", signal.SIGKILL)
    await nothing_left(kept, family)


@in_every_sandbox
async def test_when_the_agent_exits_its_family_goes_with_it(keep: Keep) -> None:
    kept = await keep(FAMILY + "print('ready', flush=True); sys.stdin.readline(); os._exit(7)")
    family = await all_born(kept)
    kept.send("leave")
    end = await kept.end()
    assert (end["reason"], end["exit"], end["signal"]) == ("exited", 7, None)
    await nothing_left(kept, family)


@in_every_sandbox
async def test_when_the_agent_crashes_its_family_goes_with_it(keep: Keep) -> None:
    kept = await keep(STAYS)
    family = await all_born(kept)
    os.kill(kept.agent, signal.SIGSEGV)
    end = await kept.end()
    assert (end["reason"], end["exit"], end["signal"]) == ("exited", None, signal.SIGSEGV)
    await nothing_left(kept, family)


async def test_orphans_of_a_living_agent_leave_no_zombies(keep: Keep) -> None:
    kept = await keep("""
import os, sys
for _ in range(50):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
print("ready", flush=True)
sys.stdin.read()
""")
    await kept.line("ready")
    await until(lambda: family_of(kept) == {kept.agent})
    assert zombies_of(kept.keeper) == []


async def test_what_children_print_after_the_agent_left_is_kept_until_they_fall_silent(keep: Keep) -> None:
    kept = await keep("""
import os, sys, time
sys.stdin.readline()
if os.fork() == 0:
    for n in range(5):
        time.sleep(0.05)
        os.write(1, b"%d\\n" % n)
    time.sleep(1000)
""")
    kept.send("go")
    await kept.end()
    assert kept.lines == ["0", "1", "2", "3", "4"]


async def test_a_child_that_never_stops_printing_cannot_hold_up_the_end(keep: Keep) -> None:
    kept = await keep("""
import os, signal
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        os.write(1, b"x" * 1000 + b"\\n")
""", keep_bytes=0)  # fmt: skip
    assert (await kept.end(within=8))["exit"] == 0


@in_every_sandbox
async def test_a_stubborn_agent_is_gone_within_ten_seconds(keep: Keep) -> None:
    kept = await keep(STUBBORN)
    await kept.line("ready")
    started = time.monotonic()
    kept.attachment.stop()
    end = await kept.end()
    await until(lambda: not is_kept(kept.directory))
    assert time.monotonic() - started < 10
    assert (end["reason"], end["signal"]) == ("stopped", signal.SIGKILL)


@in_every_sandbox
async def test_a_stop_is_kind_first(keep: Keep) -> None:
    kept = await keep(
        """
import signal, sys
def leave(*_):
    print("asked twice", flush=True)
    sys.exit(3)
signal.signal(signal.SIGTERM, leave)
print("ready", flush=True)
sys.stdin.read()
print("asked", flush=True)
signal.pause()
""",
        grace_seconds=(0.2, 5),
    )
    await kept.line("ready")
    kept.attachment.stop()
    assert (await kept.end())["exit"] == 3
    assert kept.lines == ["ready", "asked", "asked twice"]


@in_every_sandbox
async def test_lines_sent_before_a_stop_still_reach_the_agent(keep: Keep) -> None:
    kept = await keep("""
import sys, time
print("ready", flush=True)
time.sleep(0.2)
print(len(sys.stdin.readlines()), flush=True)
""")
    await kept.line("ready")
    kept.send(*["x" * 1000] * 500)
    kept.attachment.stop()
    assert (await kept.end())["exit"] == 0
    assert kept.lines == ["ready", "500"]


async def test_nothing_is_taken_for_an_agent_that_is_to_stop(keep: Keep) -> None:
    kept = await keep(STUBBORN, grace_seconds=(0.2, 0.2))
    await kept.line("ready")
    kept.attachment.stop()
    kept.send("too late")
    await kept.end()
    assert kept.taken == []
    assert [refusal.n for refusal in kept.attachment.refusals] == [1]


async def test_nothing_is_taken_for_an_agent_that_has_gone(keep: Keep) -> None:
    kept = await keep("""
import os, sys, time
sys.stdin.readline()
if os.fork() == 0:
    while True:
        time.sleep(0.1)
        os.write(1, b"a child continues\\n")
""")
    kept.send("leave")
    await until(lambda: not is_alive(kept.agent))
    await kept.line("a child continues")
    kept.send("too late")
    await kept.end()
    assert kept.taken == [b"1 leave\n"]
    assert [refusal.n for refusal in kept.attachment.refusals] == [2]


async def test_sigterm_is_a_stop_and_the_terminal_does_not_matter(keep: Keep) -> None:
    kept = await keep(["cat"])
    os.kill(kept.keeper, signal.SIGHUP)
    os.kill(kept.keeper, signal.SIGINT)
    kept.send("still here")
    await kept.line("still here")
    os.kill(kept.keeper, signal.SIGTERM)
    assert (await kept.end())["reason"] == "stopped"


async def test_idle_and_alone_it_ends_after_a_while(keep: Keep) -> None:
    kept = await keep(["cat"], idle_seconds=0.3)
    kept.send("one")
    await kept.line("one")
    await kept.attachment.close()
    started = time.monotonic()
    await until(lambda: not is_kept(kept.directory))
    assert time.monotonic() - started >= 0.25
    assert b'"reason": "idle"' in read_all(kept.directory)[-1].payload


LIMITS = {"idle_seconds": 0.05, "busy_seconds": 0.05, "attach_seconds": 0.05}


async def test_with_company_no_limit_applies(keep: Keep) -> None:
    """It runs several times longer than it would alone, and the limits still apply once it is alone."""
    alone = await seconds_alone(await keep(["cat"], **LIMITS))
    kept = await keep(["cat"], **LIMITS)
    second = await attach(kept.directory)
    await second.close()
    await until(lambda: second.closed)
    await asyncio.sleep(5 * alone)
    kept.send("still here")
    await kept.line("still here")
    assert await seconds_alone(kept) < 5 * alone + 1


async def seconds_alone(kept: Kept) -> float:
    """How long a keeper runs after it was left alone."""
    started = time.monotonic()
    await kept.attachment.close()
    await until(lambda: not is_kept(kept.directory))
    assert b'"reason": "idle"' in read_all(kept.directory)[-1].payload
    return time.monotonic() - started


async def test_busy_and_alone_it_goes_on_until_the_answer_and_then_the_idle_limit(keep: Keep) -> None:
    kept = await keep(
        """
import sys, time
sys.stdin.readline()
time.sleep(0.8)
print('{"id": 7, "result": {}}', flush=True)
sys.stdin.read()
""",
        idle_seconds=0.2,
    )
    kept.send('{"id": 7, "method": "session/prompt"}', prompt="7")
    await kept.read_until(lambda: kept.taken)
    await kept.attachment.close()
    await until(lambda: not is_kept(kept.directory))
    *_, answer, end = read_all(kept.directory)
    assert answer.payload == b'{"id": 7, "result": {}}\n'
    assert b'"reason": "idle"' in end.payload
    assert end.at - answer.at >= 0.2


async def test_busy_and_alone_has_a_limit_too(keep: Keep) -> None:
    kept = await keep(["cat"], idle_seconds=60, busy_seconds=0.3)
    kept.send("prompt", prompt="1")
    await kept.line("prompt")
    await kept.attachment.close()
    await until(lambda: not is_kept(kept.directory))
    assert b'"reason": "busy-limit"' in read_all(kept.directory)[-1].payload


async def test_never_attached_it_ends_by_itself(place: Path) -> None:
    directory = place / "kept"
    await start_keeper(directory, spec_for(["cat"], place, attach_seconds=0.3))
    assert is_kept(directory)
    await until(lambda: not is_kept(directory))
    end = read_all(directory)[-1]
    assert end.type == ENDED
    assert b'"reason": "unattached"' in end.payload
    with pytest.raises(KeeperGone):
        await attach(directory)


async def test_zero_means_no_limit(keep: Keep) -> None:
    limited = await seconds_alone(await keep(["cat"], **LIMITS))
    kept = await keep(["cat"], idle_seconds=0, busy_seconds=0, attach_seconds=0)
    await kept.attachment.close()
    await asyncio.sleep(5 * limited)
    again = await attach(kept.directory)
    kept.attachment = again
    kept.send("still here")
    await kept.line("still here")


@pytest.mark.parametrize(
    ("argv", "cwd", "number", "where", "text"),
    [
        (["no-such-program"], ".", errno.ENOENT, "program", "no-such-program: No such file"),
        (["/no/such/program"], ".", errno.ENOENT, "program", "/no/such/program: No such file"),
        (["./plain-text"], ".", errno.EACCES, "program", "Permission denied"),
        (["./no-format"], ".", errno.ENOEXEC, "program", "Exec format error"),
        (["./bad-interpreter"], ".", errno.ENOEXEC, "program", "the interpreter it names does not exist"),
        (["bad-interpreter"], ".", errno.ENOEXEC, "program", "the interpreter it names does not exist"),
        (["."], ".", errno.EACCES, "program", "Permission denied"),
        (["cat"], "gone", errno.ENOENT, "cwd", "gone: No such file"),
        (["cat"], "plain-text", errno.ENOTDIR, "cwd", "Not a directory"),
    ],
)
async def test_a_program_that_cannot_run_is_told_in_the_journal(
    place: Path, argv: list[str], cwd: str, number: int, where: str, text: str
) -> None:
    for name, mode, content in [
        ("plain-text", 0o644, ""),
        ("no-format", 0o755, "neither script nor program"),
        ("bad-interpreter", 0o755, "#!/no/such/interpreter\n"),
    ]:
        (place / name).write_text(content)
        (place / name).chmod(mode)
    env = dict(os.environ) | {"PATH": f"{place}:{os.environ['PATH']}"}
    directory = place / "kept"
    await start_keeper(directory, spec_for(argv, place, cwd=str(place / cwd), env=env))
    await until(lambda: not is_kept(directory))
    [end] = read_all(directory)
    assert end.type == ENDED
    told = json.loads(end.payload)
    assert (told["reason"], told["errno"], told["where"]) == ("not-started", number, where)
    assert text in told["error"]
    assert told["searched"] == env["PATH"]
    assert told["exit"] is told["signal"] is None
    assert not (directory / "socket").exists()


async def test_the_program_is_looked_up_in_the_path_it_gets(keep: Keep, place: Path) -> None:
    (place / "only-here").write_text("#!/bin/sh\nread go\necho found\n")
    (place / "only-here").chmod(0o755)
    kept = await keep(["only-here"], env=dict(os.environ) | {"PATH": f"/nowhere:{place}:/bin:/usr/bin"})
    kept.send("go")
    await kept.end()
    assert kept.lines == ["found"]


async def test_the_agent_gets_its_own_world_and_not_the_keepers(keep: Keep, place: Path) -> None:
    before = os.umask(0o027)
    try:
        kept = await keep(
            """
import os, signal, sys
sys.stdin.readline()
print(sorted(os.environ))
print(os.getcwd())
print(oct(os.umask(0)), os.getsid(0) == os.getpid() == os.getpgid(0))
print(sorted(os.listdir("/proc/self/fd"))[:-1])
names = ("SigBlk", "SigIgn")
masks = [line.split()[1] for line in open("/proc/self/status") if line.startswith(names)]
print([hex(int(mask, 16) & 0x7FFFFFFF) for mask in masks])  # not the C library's own
""",
            env={"A": "1", "VOXPILOT_TEST_MARK": os.environ["VOXPILOT_TEST_MARK"]},
        )
        kept.send("go")
        await kept.end()
    finally:
        os.umask(before)
    environment, folder, umask, files, signals = kept.lines
    assert "VOXPILOT_KEEPER" in environment
    assert "HOME" not in environment
    assert folder == str(place)
    assert umask == "0o27 True"
    assert files == "['0', '1', '2']"
    # The agent here is a Python interpreter, which ignores SIGPIPE (13) and SIGXFSZ (25) by itself.
    assert signals == "['0x0', '0x1001000']"


async def test_a_directory_taken_away_ends_the_agent(keep: Keep, place: Path, mark: str) -> None:
    kept = await keep(["cat"], segment_bytes=1000)
    for path in kept.directory.iterdir():
        path.unlink()
    kept.directory.rmdir()
    kept.send(*["x" * 600] * 5)
    await no_processes_left(mark)
