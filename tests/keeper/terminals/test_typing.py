"""Commands in their own terminal: typed input reaches them once, and is not stored."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.keeper.commands import WAITING, end_of, output, shell
from tests.keeper.conftest import Keep
from tests.keeper.kept import Kept
from tests.kit.machine.processes import look_at
from tests.kit.machine.sandboxes import in_every_sandbox
from tests.kit.waiting import until
from voxpilot.keeper.attach import attach

PASSWORD = "import getpass; print('got', len(getpass.getpass('Word: ')))"


def in_terminal(kept: Kept, name: str, *argv: str) -> None:
    kept.attachment.run(name, argv, str(kept.directory.parent), {}, in_terminal=True)


@in_every_sandbox
async def test_a_command_can_be_typed_into_and_ask_for_a_password(keep: Keep) -> None:
    """Its own terminal, with a known size and type, which echoes only what its program allows."""
    kept = await keep(WAITING)
    in_terminal(kept, "a-1", "/bin/sh", "-c", 'tty -s && stty size && echo "$TERM" && read a && echo "<$a>"')
    await until(lambda: output(kept, "a-1").endswith(b"24 80\r\nxterm-256color\r\n"), 10)
    assert await kept.attachment.type_in("a-1", "ünï\r", "k")
    assert (await end_of(kept, "a-1"))["exit_code"] == 0
    assert output(kept, "a-1").decode().endswith("xterm-256color\r\nünï\r\n<ünï>\r\n")

    in_terminal(kept, "a-2", sys.executable, "-c", PASSWORD)
    await until(lambda: b"Word: " in output(kept, "a-2"), 20)
    assert await kept.attachment.type_in("a-2", "hunter2\r", "k")
    assert (await end_of(kept, "a-2"))["exit_code"] == 0
    assert output(kept, "a-2") == b"Word: \r\ngot 7\r\n"
    kept_files = [path for path in kept.directory.rglob("*") if path.is_file()]
    assert not [path for path in kept_files if b"hunter2" in path.read_bytes()]


async def test_the_same_key_is_typed_once_whoever_sends_it(keep: Keep) -> None:
    kept = await keep(WAITING)
    in_terminal(kept, "a-1", "/bin/sh", "-c", "stty -echo; echo up; read a; read b; echo $a,$b")
    await until(lambda: output(kept, "a-1") == b"up\r\n", 10)
    assert await kept.attachment.type_in("a-1", "one\r", "first")
    assert await kept.attachment.type_in("a-1", "one\r", "first")
    again = await attach(kept.directory)
    assert await again.type_in("a-1", "one\r", "first")
    assert await again.type_in("a-1", "two\r", "second")
    await end_of(kept, "a-1")
    assert output(kept, "a-1") == b"up\r\none,two\r\n"
    await again.close()


async def test_what_nobody_would_read_is_not_taken(keep: Keep) -> None:
    """A command without a terminal, one that has ended, one that never existed, and too much input."""
    kept = await keep(WAITING)
    shell(kept, "a-1", "echo up; exec sleep 1000")
    in_terminal(kept, "a-2", "true")
    in_terminal(kept, "a-3", "/bin/sh", "-c", "stty raw -echo; echo up; exec sleep 1000")
    await until(lambda: all(output(kept, name) for name in ("a-1", "a-3")), 10)
    await end_of(kept, "a-2")
    for name in ("a-1", "a-2", "a-4"):
        assert not await kept.attachment.type_in(name, "x", f"key of {name}")
    taken = [await kept.attachment.type_in("a-3", "x" * 16_000, str(number)) for number in range(20)]
    assert taken[0]
    assert not taken[-1]
    for wrong in ({"id": "a-3", "key": []}, {"id": "a-3", "key": "k", "data": None}, {}):
        kept.attachment._order({"do": "type", **wrong})
    assert not await kept.attachment.type_in("a-2", "x", "k")  # it still obeys


@pytest.mark.parametrize("way", ["typed", "killed"])
async def test_a_terminal_ends_by_ctrl_c_and_with_all_in_it(keep: Keep, place: Path, way: str) -> None:
    kept = await keep(WAITING)
    in_terminal(kept, "a-1", "/bin/sh", "-c", "sleep 1000 & echo $! > child; wait")
    await until(lambda: (place / "child").exists() and (place / "child").read_text().endswith("\n"), 10)
    if way == "typed":
        assert await kept.attachment.type_in("a-1", "\x03", "k")
    else:
        kept.attachment.kill_command("a-1")
    end = await end_of(kept, "a-1")
    assert (end["signal"], end["exit_code"]) in (("SIGINT", None), ("SIGKILL", None), (None, 130))
    kept.attachment.forget_command("a-1")
    child = int((place / "child").read_text())
    await until(lambda: look_at(child) is None, 10, "the child is still running")
