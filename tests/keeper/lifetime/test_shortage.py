"""A machine that is out of files or processes: nothing new starts, and what runs keeps running."""

from __future__ import annotations

import errno
import json
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.keeper.commands import WAITING, end_of, output, shell
from tests.keeper.conftest import Keep
from tests.keeper.kept import read_all, spec_for
from tests.kit.machine.processes import is_alive
from tests.kit.waiting import until
from voxpilot.keeper.attach import start_keeper
from voxpilot.keeper.journal import ENDED
from voxpilot.keeper.program import processes, tcp
from voxpilot.keeper.reaching import is_kept


async def test_a_command_that_cannot_be_started_ends_alone(keep: Keep) -> None:
    kept = await keep(WAITING)
    shell(kept, "a-1", "echo one")
    await end_of(kept, "a-1")
    used = len(os.listdir(f"/proc/{kept.keeper}/fd"))
    most = resource.prlimit(kept.keeper, resource.RLIMIT_NOFILE)
    resource.prlimit(kept.keeper, resource.RLIMIT_NOFILE, (used + 1, most[1]))
    shell(kept, "a-2", "echo two")
    assert (await end_of(kept, "a-2"))["exit_code"] == 127
    assert output(kept, "a-2") == b"The machine cannot start a program now: Too many open files\n"
    assert is_alive(kept.agent)
    resource.prlimit(kept.keeper, resource.RLIMIT_NOFILE, most)
    shell(kept, "a-3", "echo three")
    assert (await end_of(kept, "a-3"))["exit_code"] == 0


STARTS: dict[str, Callable[[], object]] = {
    "agent": lambda: processes.start(["true"], {}, "/", 0o022),
    "agent behind a socket": lambda: tcp.Program(["true"], {}, "/", 0o022),
    "command": lambda: processes.start_command(["true"], {}, "/", 0o022),
    "command in a terminal": lambda: processes.start_command(["true"], {}, "/", 0o022, True),
}


@pytest.mark.parametrize("working", range(5))
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_whatever_a_start_lacks_it_leaves_nothing_open(
    start: Callable[[], object], working: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This many files can be opened, and then no process can be started."""
    before, left = os.listdir("/proc/self/fd"), iter(range(working))

    def short_of(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            if next(left, None) is None:
                raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
            return real(*given)

        return call

    with monkeypatch.context() as short:
        for name in ("pipe", "open", "openpty"):
            short.setattr(os, name, short_of(getattr(os, name)))
        short.setattr(os, "fork", no_process)
        with pytest.raises(processes.NotStarted, match="temporarily unavailable") as failure:
            start()
    assert failure.value.errno == errno.EAGAIN
    assert os.listdir("/proc/self/fd") == before


def no_process() -> int:
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")


async def test_an_agent_without_room_for_its_sandbox_is_told_as_not_started(place: Path) -> None:
    directory = place / "keeper"
    directory.mkdir()
    (directory / "tmp").write_text("where its folder should be")
    sandbox = {"kind": "landlock", "argv": ["sandbox"], "env": {}}
    await start_keeper(directory, spec_for(["true"], place, sandbox=sandbox))
    await until(lambda: not is_kept(directory))
    [end] = read_all(directory)
    told = json.loads(end.payload)
    assert (end.type, told["reason"], told["where"]) == (ENDED, "not-started", "machine")
