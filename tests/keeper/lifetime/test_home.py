"""A keeper and its directory: one per directory, and only once."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import json
import os
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import uvloop

import voxpilot.keeper.attach as attach_module
from tests.keeper.conftest import Keep
from tests.keeper.kept import Kept, killed, read_all, spec_for, start_kept
from tests.kit.machine.processes import look_at, marked
from tests.kit.waiting import until
from voxpilot.keeper.attach import attach, start_keeper
from voxpilot.keeper.program.home import Home
from voxpilot.keeper.reaching import AlreadyKept, KeeperFailed, KeeperGone, is_kept

PROGRAM = Path(attach_module.__file__).with_name("program")


async def test_a_second_keeper_is_refused_while_the_first_lives(keep: Keep, place: Path) -> None:
    kept = await keep(["cat"])
    with pytest.raises(AlreadyKept, match="another process is using this directory"):
        await start_keeper(kept.directory, spec_for(["touch", str(place / "started")], place))
    kept.send("one")
    await kept.line("one")
    assert not (place / "started").exists()


async def test_a_directory_is_used_once(keep: Keep, place: Path) -> None:
    kept = await keep(["cat"])
    kept.attachment.stop()
    await kept.end()
    await until(lambda: not is_kept(kept.directory))
    before = read_all(kept.directory)
    with pytest.raises(AlreadyKept, match="an earlier process has used"):
        await start_keeper(kept.directory, spec_for(["touch", str(place / "started")], place))
    assert not (place / "started").exists()
    assert read_all(kept.directory) == before


async def test_of_many_started_at_once_one_keeps(place: Path) -> None:
    directory = place / "kept"

    async def start(n: int) -> bool:
        try:
            await start_keeper(directory, spec_for(["sh", "-c", f"echo {n}; cat"], place))
        except AlreadyKept:
            return False
        return True

    kept = await asyncio.gather(*(start(n) for n in range(8)))
    assert kept.count(True) == 1
    attachment = await attach(directory)
    await killed(attachment)


async def test_looking_does_not_disturb_a_keeper_that_starts(place: Path, mark: str) -> None:
    directory = place / "kept"
    directory.mkdir()
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)  # as is_kept does for a moment, here for longer
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(start_keeper(directory, spec_for(["cat"], place)))
            await until(lambda: any(has_open(found.pid, directory / "lock") for found in marked(mark)))
            fcntl.flock(lock, fcntl.LOCK_UN)
    assert is_kept(directory)
    await killed(await attach(directory))


def has_open(pid: int, path: Path) -> bool:
    with suppress(OSError):
        return any(file.resolve() == path for file in Path(f"/proc/{pid}/fd").iterdir())
    return False


async def test_files_of_whoever_started_it_are_not_held_open(place: Path) -> None:
    ours, theirs = os.pipe()
    command = [sys.executable, "-I", "-S", str(PROGRAM), str(place)]
    spec = json.dumps(SPEC | {"argv": ["cat"], "env": dict(os.environ)}).encode()
    subprocess.run(command, input=spec, check=True, pass_fds=[theirs])
    os.close(theirs)
    assert os.read(ours, 1) == b""
    os.close(ours)
    await killed(await attach(place))


async def test_only_its_owner_can_reach_it(keep: Keep) -> None:
    kept = await keep(["cat"])
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in kept.directory.iterdir()}
    assert set(modes.values()) == {0o600}
    assert sorted(modes) == ["journal.00000000000000000000", "lock", "marks.json", "socket"]
    assert stat.S_IMODE(kept.directory.stat().st_mode) == 0o700


async def test_the_marks_name_the_keeper_and_the_agent(keep: Keep) -> None:
    kept = await keep(["cat"])
    marks = json.loads((kept.directory / "marks.json").read_text())
    assert marks["keeper"]["pid"] == kept.keeper
    assert marks["agent"]["pid"] == marks["agent"]["group"] == kept.agent
    ticks = Path(f"/proc/{kept.agent}/stat").read_text().rpartition(")")[2].split()[19]
    assert marks["agent"]["start"] == int(ticks)


async def test_it_belongs_to_nobody(keep: Keep) -> None:
    kept = await keep(["cat"])
    found = look_at(kept.keeper)
    assert found is not None
    assert found.parent != os.getpid()
    assert os.getsid(kept.keeper) not in (os.getsid(0), kept.keeper)
    files = {os.readlink(f"/proc/{kept.keeper}/fd/{n}") for n in (0, 1, 2)}
    assert files == {"/dev/null"}


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EACCES, errno.ENOMEM, errno.ENOTCONN])
def test_a_disk_that_fails_for_a_moment_has_lost_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Also if it fails at the very first look."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lock").touch()
    (tmp_path / "socket").touch()

    def fail(*_: object) -> os.stat_result:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(os, "stat", fail)
        late = Home()
    for home in (Home(), late):
        with monkeypatch.context() as broken:
            broken.setattr(os, "stat", fail)
            assert not home.is_lost()
            assert home.listen_again(1) is None
        assert not home.is_lost()
        assert home.listen_again(1) is None
    (tmp_path / "lock").rename(tmp_path / "moved")
    assert home.is_lost()
    (tmp_path / "lock").touch()
    assert home.is_lost()


SPEC = {"id": "x", "argv": ["touch", "started"], "cwd": "/", "env": {}}


@pytest.mark.parametrize(
    "spec",
    [
        b"",
        json.dumps(SPEC).encode()[:-1],
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        json.dumps(SPEC | {"version": 2}).encode(),
        json.dumps(SPEC | {"argv": []}).encode(),
        json.dumps(SPEC | {"argv": "touch"[:0]}).encode(),
        json.dumps(SPEC | {"argv": [1]}).encode(),
        json.dumps(SPEC | {"argv": ["a\0b"]}).encode(),
        json.dumps(SPEC | {"env": {"A=B": ""}}).encode(),
        json.dumps(SPEC | {"env": {"": ""}}).encode(),
        json.dumps(SPEC | {"env": []}).encode(),
        json.dumps(SPEC | {"cwd": None}).encode(),
        json.dumps(SPEC | {"idle_seconds": "1"}).encode(),
        json.dumps(SPEC | {"idle_seconds": -1}).encode(),
        json.dumps(SPEC | {"idle_seconds": float("nan")}).encode(),
        json.dumps(SPEC | {"grace_seconds": [1]}).encode(),
        json.dumps({"id": "x"}).encode(),
    ],
)
def test_a_spec_that_makes_no_sense_starts_nothing(place: Path, spec: bytes) -> None:
    command = [sys.executable, "-I", "-S", str(PROGRAM), str(place)]
    done = subprocess.run(command, input=spec, check=False, capture_output=True)
    assert done.returncode == 5
    assert done.stderr.count(b"\n") == 1
    assert list(place.iterdir()) == []


async def test_a_directory_that_cannot_be_used_is_told(place: Path) -> None:
    (place / "file").write_text("")
    with pytest.raises(KeeperFailed, match="did not start"):
        await start_keeper(place / "file", spec_for(["true"], place))


async def test_a_very_long_path_is_no_obstacle(keep: Keep, place: Path) -> None:
    directory = place / ("long" * 50) / ("path" * 20)
    assert len(str(directory)) > 280
    kept = await keep(["cat"], directory)
    kept.send("one")
    await kept.line("one")


async def test_a_long_path_can_be_reached_without_proc_too(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = place / ("long" * 50)
    kept = await start_kept(directory, ["cat"], place)
    await kept.attachment.close()
    isdir = os.path.isdir
    monkeypatch.setattr(os.path, "isdir", lambda path: path != "/proc/self/fd" and isdir(path))
    again = await attach(directory)
    assert again.hello.keeper == kept.keeper
    await killed(again)


async def test_there_is_nothing_to_attach_to_before_a_keeper_started(place: Path) -> None:
    assert not is_kept(place)
    with pytest.raises(KeeperGone):
        await attach(place)


async def test_a_keeper_outlives_the_process_that_started_it(place: Path, mark: str) -> None:
    code = f"""
import asyncio, os, signal, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from tests.keeper.kept import spec_for
from voxpilot.keeper.attach import start_keeper
asyncio.run(start_keeper(Path({str(place / "kept")!r}), spec_for(["cat"], Path({str(place)!r}))))
os.killpg(0, signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, start_new_session=True)
    assert done.returncode == -9
    attachment = await attach(place / "kept")
    attachment.send(1, "still here")
    assert await attachment.grown_past(0)
    await killed(attachment)


def test_it_works_under_uvloop(place: Path) -> None:
    async def story() -> Kept:
        kept = await start_kept(place / "kept", ["cat"], place)
        kept.send("one")
        await kept.line("one")
        kept.attachment.stop()
        assert (await kept.end())["reason"] == "stopped"
        await killed(kept.attachment)
        return kept

    assert uvloop.run(story()).lines == ["one"]


async def test_a_keeper_that_does_not_answer_is_not_taken_for_gone(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await keep(["cat"])
    monkeypatch.setattr(attach_module, "_HELLO_SECONDS", 0.1)
    os.kill(kept.keeper, 19)
    try:
        with pytest.raises(KeeperFailed, match="not responding"):
            await attach(kept.directory)
    finally:
        os.kill(kept.keeper, 18)


def test_the_program_uses_the_standard_library_only() -> None:
    code = f"import sys; sys.path.append({str(PROGRAM.parent)!r}); import program.launch; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True, text=True
    )
    names = {name.partition(".")[0] for name in done.stdout.split()}
    assert names - set(sys.stdlib_module_names) == {"program", "__main__"}
    assert not names & {"asyncio", "threading", "typing", "subprocess", "dataclasses", "logging"}
