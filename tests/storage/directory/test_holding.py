"""Who holds a data directory: one server, one command, or nobody."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voxpilot.storage.directory import data_dir
from voxpilot.storage.directory.data_dir import AlreadyRunning, BadDataDir
from voxpilot.storage.directory.server_process import this_process

FailLocks = Callable[[int, Callable[[int], bool]], None]
GONE = {**this_process(), "start": 1, "port": 7777}
"""What a server has left whose pid is another's by now."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(data_dir, "_TRIES", 1)
    data_dir.prepare(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def fail_locks(monkeypatch: pytest.MonkeyPatch) -> FailLocks:
    real = fcntl.flock

    def begin(number: int, does_fail: Callable[[int], bool]) -> None:
        def flock(file: int, kind: int) -> None:
            if does_fail(file):
                raise OSError(number, os.strerror(number))
            real(file, kind)

        monkeypatch.setattr(fcntl, "flock", flock)

    return begin


def is_folder(file: int) -> bool:
    return os.path.isdir(f"/proc/self/fd/{file}")


def is_file(file: int) -> bool:
    return not is_folder(file)


def hold(folder: Path) -> None:
    with data_dir.held(folder):
        pytest.fail("it was taken")


def be_alone(folder: Path) -> None:
    with data_dir.alone(folder):
        pytest.fail("it was taken")


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOLCK, errno.EINTR, errno.ENOMEM, errno.ESTALE])
@pytest.mark.parametrize("use", [hold, be_alone, data_dir.running_server])
@pytest.mark.parametrize("which", [is_folder, is_file])
def test_a_lock_that_fails_is_not_held(
    folder: Path,
    fail_locks: FailLocks,
    number: int,
    use: Callable[[Path], Any],
    which: Callable[[int], bool],
) -> None:
    """Two servers used to run on a directory whose disk reported an error for a moment."""
    (folder / "server.lock").touch()
    fail_locks(number, which)
    with pytest.raises(BadDataDir, match=os.strerror(number)):
        use(folder)


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EBADF])
def test_without_locks_for_directories_the_file_is_enough(
    folder: Path, fail_locks: FailLocks, number: int
) -> None:
    fail_locks(number, is_folder)
    with data_dir.held(folder):
        assert (data_dir.running_server(folder) or {})["pid"] == os.getpid()
        for use in (hold, be_alone):
            with pytest.raises(AlreadyRunning, match="A server is already running"):
                use(folder)
    assert data_dir.running_server(folder) is None
    with data_dir.alone(folder), pytest.raises(AlreadyRunning):
        hold(folder)


def test_a_file_system_without_any_locks_is_refused(folder: Path, fail_locks: FailLocks) -> None:
    fail_locks(errno.ENOTSUP, lambda _: True)
    with pytest.raises(BadDataDir, match="cannot be locked"):
        hold(folder)


def test_a_command_is_not_mistaken_for_the_server_that_was_killed(folder: Path) -> None:
    """What the server left used to be believed while a command held the directory."""
    (folder / "server.lock").write_text(json.dumps({"pid": os.getpid(), "port": 7777}))
    with data_dir.alone(folder):
        assert data_dir.running_server(folder) == {}
        for use in (hold, be_alone):
            with pytest.raises(AlreadyRunning, match="A server or another command is already running"):
                use(folder)
    assert data_dir.running_server(folder) is None
    assert json.loads((folder / "server.lock").read_bytes())["port"] == 7777, "it changes nothing"


@pytest.mark.parametrize("left", ["", "{", "[]", '{"pid": -1}', '{"pid": true}', json.dumps(GONE)])
def test_a_starting_server_is_not_mistaken_for_the_one_before(folder: Path, left: str) -> None:
    (folder / "server.lock").write_text(left)
    with (folder / "server.lock").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # it has not written anything yet
        assert data_dir.running_server(folder) == {}


@pytest.mark.parametrize("other", [{}, {"boot": "another"}, {"pid_namespace": "pid:[1]"}])
def test_an_older_server_or_one_elsewhere_is_believed(folder: Path, other: dict[str, str]) -> None:
    """Older programs wrote only the pid; the start time of a process elsewhere cannot be checked."""
    told = {"pid": os.getpid(), "port": 7777} | ({**GONE, **other} if other else {})
    (folder / "server.lock").write_text(json.dumps(told))
    with (folder / "server.lock").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert data_dir.running_server(folder) == told


def test_older_programs_find_what_they_look_for(folder: Path) -> None:
    with data_dir.held(folder) as mark:
        assert json.loads((folder / "server.lock").read_bytes())["pid"] == os.getpid()
        mark.tell(host="127.0.0.1", port=7777)
        told = json.loads((folder / "server.lock").read_bytes())
        assert (told["pid"], told["host"], told["port"]) == (os.getpid(), "127.0.0.1", 7777)


def test_a_lock_file_that_cannot_be_locked_again_is_tried_again(
    folder: Path, fail_locks: FailLocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    with data_dir.held(folder) as mark:
        mark.tell(port=7777)
        (folder / "server.lock").unlink()
        fail_locks(errno.EIO, is_file)
        assert mark.is_at_home()
        monkeypatch.undo()
        assert data_dir.running_server(folder) == {}
        assert mark.is_at_home()
        assert (data_dir.running_server(folder) or {})["port"] == 7777
