"""`voxpilot stop` signals the server and nobody else."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from voxpilot.cli import stop
from voxpilot.cli.server import ServerFailed
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.directory import data_dir, server_process
from voxpilot.storage.directory.server_process import this_process

HELD = """
import signal, sys
from pathlib import Path
from voxpilot.storage.directory import data_dir
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background command ignores it
try:
    with data_dir.held(Path(sys.argv[1])):
        print("held", flush=True)
        sys.stdin.read()
except KeyboardInterrupt:
    pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stop, "STOP_SECONDS", 0)
    data_dir.prepare(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def facts_of(process: subprocess.Popen[bytes]) -> server_process.Facts:
    return {**this_process(), "pid": process.pid, "start": server_process._start_of(process.pid)}


@contextmanager
def starting(folder: Path) -> Iterator[None]:
    """A server that has locked the file, but not written anything yet."""
    with (folder / "server.lock").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.parametrize(
    ("holder", "left"),
    [
        (data_dir.alone, {}),
        (data_dir.alone, {"start": None}),
        (starting, {"start": 1}),
    ],
    ids=["a command", "a command, after an older server", "a starting server"],
)
def test_a_process_with_the_pid_of_a_killed_server_is_left_alone(
    folder: Path,
    stranger: subprocess.Popen[bytes],
    holder: Callable[[Path], AbstractContextManager[None]],
    left: server_process.Facts,
) -> None:
    (folder / "server.lock").write_text(json.dumps({**facts_of(stranger), **left}))
    with holder(folder), pytest.raises(ServerFailed, match="in use by another command"):
        stop._end_server(folder)
    assert stranger.poll() is None


@pytest.mark.parametrize("other", [{"boot": "another"}, {"pid_namespace": "pid:[1]"}])
def test_a_server_elsewhere_is_not_looked_for_here(
    folder: Path, stranger: subprocess.Popen[bytes], other: server_process.Facts
) -> None:
    """Its pid is that of another process here."""
    (folder / "server.lock").write_text(json.dumps({**facts_of(stranger), **other}))
    with starting(folder), pytest.raises(ServerFailed, match="another container"):
        stop._end_server(folder)
    assert stranger.poll() is None


def test_a_second_stop_leaves_the_first_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It must not be treated as a server while it ends agents that have none."""
    (folder / "keepers" / "k-1").mkdir(parents=True)
    seen = []

    async def end_all(_: list[Path]) -> int:
        seen.append(data_dir.running_server(folder))
        return 1

    monkeypatch.setattr(stop, "_end_all", end_all)
    stop._end_what_is_left(LiveSettings({"VOXPILOT_DATA_DIR": str(folder), "HOME": str(folder)}).now)
    assert seen == [{}]
    assert not (folder / "server.lock").exists()


@pytest.mark.parametrize("has_handles", [True, False])
@pytest.mark.parametrize("is_older", [True, False])
def test_the_server_is_stopped(
    folder: Path, monkeypatch: pytest.MonkeyPatch, has_handles: bool, is_older: bool
) -> None:
    monkeypatch.setattr(stop, "STOP_SECONDS", 30)
    if not has_handles:
        monkeypatch.setattr(os, "pidfd_open", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSYS, "")))
    with subprocess.Popen(
        [sys.executable, "-c", HELD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"held\n"
        if is_older:
            (folder / "server.lock").write_text(json.dumps({"pid": server.pid}))
        assert stop._end_server(folder) == server.pid
        assert server.wait() == 0


def test_a_server_of_somebody_else_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(signal, "pidfd_send_signal", refuse)
    with data_dir.held(folder), pytest.raises(ServerFailed, match="cannot be stopped: Operation not"):
        stop._end_server(folder)
