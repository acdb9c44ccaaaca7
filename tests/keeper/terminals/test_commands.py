"""Commands that the keeper runs for its agent: run once, output stored, ended with their children."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.keeper.commands import WAITING, end_of, ends, output, shell
from tests.keeper.conftest import Keep
from tests.keeper.kept import read_all, spec_for
from tests.kit.machine.hung import can_hang, hung_folder
from tests.kit.machine.processes import look_at
from tests.kit.machine.sandboxes import in_every_sandbox
from tests.kit.waiting import until
from voxpilot.keeper.attach import attach, start_keeper
from voxpilot.keeper.journal import ENDED
from voxpilot.keeper.output import (
    KEPT_BYTES,
    Printed,
    from_character,
    read_end,
    read_output,
    text_at_end,
    text_at_start,
)
from voxpilot.keeper.reaching import KeeperGone, is_kept


@in_every_sandbox
async def test_a_command_is_run_and_its_end_is_told_with_all_it_printed(keep: Keep) -> None:
    """R95: both outputs in one, in order; the agent's environment plus more; a status or a signal."""
    kept = await keep(WAITING, env={**os.environ, "ONE": "1", "TWO": "2"})
    shell(kept, "a-1", 'echo "$ONE $TWO"; echo err >&2; echo out; exit 3', TWO="two")
    assert await end_of(kept, "a-1") == {"terminal": "a-1", "bytes": 14, "exit_code": 3, "signal": None}
    assert output(kept, "a-1") == b"1 two\nerr\nout\n"
    shell(kept, "a-2", "kill -TERM $$")
    ended = await end_of(kept, "a-2")
    # Bubblewrap reports a signal like a shell.
    assert (ended["exit_code"], ended["signal"]) in [(None, "SIGTERM"), (128 + signal.SIGTERM, None)]
    kept.attachment.run("a-3", ["no-such-program", "x"], "/", {})
    assert (await end_of(kept, "a-3"))["exit_code"] == 127
    assert b"no-such-program" in output(kept, "a-3")
    kept.attachment.run("a-4", ["true"], "/no/such/folder", {})
    assert (await end_of(kept, "a-4"))["exit_code"] == 127


async def test_the_same_order_twice_runs_once(keep: Keep, place: Path) -> None:
    """R95: also from another server, and long after the command has ended."""
    kept = await keep(WAITING)
    for _ in range(3):
        shell(kept, "a-1", "echo once >> ran")
    await end_of(kept, "a-1")
    again = await attach(kept.directory)
    again.run("a-1", ["/bin/sh", "-c", "echo twice >> ran"], str(place), {})
    again.run("a-2", ["/bin/sh", "-c", "echo other"], str(place), {})
    await end_of(kept, "a-2")
    kept.attachment.forget_command("a-1")
    shell(kept, "a-1", "echo thrice >> ran")
    shell(kept, "a-3", "echo last")
    await end_of(kept, "a-3")
    assert (place / "ran").read_text() == "once\n"
    assert output(kept, "a-1") == b""
    await again.close()


async def test_a_command_goes_on_with_nobody_attached(keep: Keep, place: Path) -> None:
    kept = await keep(WAITING)
    shell(kept, "a-1", "while [ ! -e go ]; do sleep 0.01; done; echo done")
    shell(kept, "a-2", "echo started")
    await end_of(kept, "a-2")
    await kept.attachment.close()
    (place / "go").touch()
    kept.attachment = await attach(kept.directory)
    await end_of(kept, "a-1")
    assert output(kept, "a-1") == b"done\n"


@pytest.mark.parametrize("way", ["", "setsid "])
async def test_killing_a_command_ends_all_that_it_started(keep: Keep, place: Path, way: str) -> None:
    """R99, F88: its children too, including those that left its group."""
    kept = await keep(WAITING)
    shell(kept, "a-1", f"{way}sh -c 'echo $$ > child; exec sleep 1000' & sleep 1000")
    await until(lambda: (place / "child").exists() and (place / "child").read_text().endswith("\n"), 10)
    child = int((place / "child").read_text())
    kept.attachment.kill_command("a-1")
    assert (await end_of(kept, "a-1"))["signal"] == "SIGKILL"
    await until(lambda: look_at(child) is None, 10, "the child is still running")


@in_every_sandbox
async def test_commands_end_with_the_agent_and_before_its_own_end_is_told(keep: Keep) -> None:
    """R99: none is left (checked by the fixture), and each end is in the journal."""
    kept = await keep("import time; print('up', flush=True); time.sleep(1000)")
    await kept.line("up")
    for number in range(3):
        shell(kept, f"a-{number}", "echo begun; exec sleep 1000")
    await until(lambda: all(output(kept, f"a-{number}") for number in range(3)), 10)
    kept.attachment.kill()
    await kept.end()
    assert sorted(end["terminal"] for end in ends(kept)) == ["a-0", "a-1", "a-2"]
    assert kept.records[-1].type == ENDED
    assert all(end["bytes"] == 6 for end in ends(kept))


async def test_a_child_that_holds_the_output_holds_up_nobody(keep: Keep) -> None:
    kept = await keep(WAITING)
    shell(kept, "a-1", "sleep 1000 & echo done")
    end = await end_of(kept, "a-1", within=5)
    assert (end["exit_code"], end["bytes"]) == (0, 5)
    kept.attachment.forget_command("a-1")
    shell(kept, "a-2", "true")
    await end_of(kept, "a-2")


async def test_of_a_flood_only_the_end_is_kept_and_the_agent_is_heard_meanwhile(keep: Keep) -> None:
    """F88: 200 MB; a few are on the disk, none in the journal, and the keeper stays responsive."""
    kept = await keep("import sys\nfor line in sys.stdin: print('heard', line.strip(), flush=True)")
    code = "import sys\nfor i in range(200): sys.stdout.write(('%07d\\n' % i) * 131072)"
    kept.attachment.run("a-1", [sys.executable, "-I", "-S", "-c", code], "/", {})
    kept.send("you")
    await kept.line("heard you", within=30)
    end = await end_of(kept, "a-1", within=60)
    assert end["bytes"] == 200 << 20
    kept_bytes = sum(path.stat().st_size for path in kept.directory.glob("terminal.*"))
    assert KEPT_BYTES <= kept_bytes <= KEPT_BYTES + (2 << 20)
    assert sum(path.stat().st_size for path in kept.directory.glob("journal.*")) < 10_000
    assert read_end(kept.directory, "a-1", 16) == Printed((200 << 20) - 16, b"0000199\n0000199\n")
    found = read_output(kept.directory, "a-1", 0, 100)
    assert found.start >= (200 << 20) - kept_bytes
    assert len(found.data) == 100


async def test_an_order_that_makes_no_sense_is_refused_and_nothing_else_happens(keep: Keep) -> None:
    kept = await keep(WAITING)
    for wrong in ({"id": "../x"}, {"id": 7}, {}, {"id": "x", "argv": None}):
        kept.attachment._order({"do": "run", "argv": ["true"], "cwd": "/", "env": {}, **wrong})
        kept.attachment._order({"do": "forget-command", **wrong})
    shell(kept, "a-1", "echo fine")
    await end_of(kept, "a-1")
    assert output(kept, "a-1") == b"fine\n"


TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)


@given(TEXTS, st.integers(0, 80))
def test_the_end_of_a_text_is_cut_between_characters(text: str, limit: int) -> None:
    """R96, F88: never more bytes than requested, never half a character, always the end."""
    shown, is_cut = text_at_end(text.encode(), limit, is_cut=False, is_last=True)
    assert len(shown.encode()) <= limit
    assert text.endswith(shown)
    assert is_cut == (shown != text)
    missing = len(text) - len(shown)
    assert not missing or len(text[missing - 1 :].encode()) > limit, "one more character would have fitted"


@given(st.binary(max_size=60), st.integers(0, 80), st.booleans(), st.booleans())
def test_whatever_bytes_come_the_limit_holds(data: bytes, limit: int, is_cut: bool, is_last: bool) -> None:
    """R96, F88: invalid bytes become replacement characters, which are longer."""
    shown, cut = text_at_end(data, limit, is_cut, is_last)
    assert len(shown.encode()) <= limit
    assert cut or not is_cut


@given(TEXTS, st.lists(st.integers(1, 7), max_size=80))
def test_output_read_in_pieces_is_the_output(text: str, sizes: list[int]) -> None:
    """R96: wherever the reads are split, each character is returned once and complete."""
    data, offset, shown = text.encode(), 0, ""
    end = 0
    for size in [*sizes, len(data)]:
        end = min(len(data), end + size)
        piece, used = text_at_start(data[offset:end], is_last=False)
        shown += piece
        offset += used
    assert shown == text


@given(TEXTS, st.integers(0, 20))
def test_the_rest_of_a_character_is_dropped(text: str, start: int) -> None:
    data = text.encode()[start:]
    assert text.endswith(from_character(data).decode())


@pytest.mark.skipif(not can_hang(), reason="a folder that hangs needs root and FUSE")
@pytest.mark.parametrize("which", ["cwd", "path"])
async def test_a_command_that_waits_for_a_disk_does_not_hold_up_the_keeper(
    keep: Keep, place: Path, which: str
) -> None:
    """It is ended, and its output says why; the agent keeps working."""
    kept = await keep("for line in __import__('sys').stdin: print(line, end='', flush=True)")
    with hung_folder(place / "mounted") as folder:
        cwd = str(folder) if which == "cwd" else "/"
        kept.attachment.run("a-1", ["ls"], cwd, {"PATH": f"{folder}:/bin"} if which == "path" else {})
        kept.send("hello")
        await kept.line("hello")
        assert (await end_of(kept, "a-1"))["exit_code"] == 127
        assert b"did not respond" in output(kept, "a-1")


@pytest.mark.skipif(not can_hang(), reason="a folder that hangs needs root and FUSE")
async def test_an_agent_whose_folder_does_not_answer_is_not_started_and_its_keeper_is_gone(
    place: Path,
) -> None:
    with hung_folder(place / "mounted") as folder:
        await start_keeper(place / "keeper", spec_for([sys.executable], place, cwd=str(folder)))
        with pytest.raises(KeeperGone):
            await attach(place / "keeper")
        end = json.loads(read_all(place / "keeper")[-1].payload)
        assert (end["reason"], end["where"]) == ("not-started", "disk")
        await until(lambda: not is_kept(place / "keeper"), 10, "the child that hangs holds the keeper's lock")
