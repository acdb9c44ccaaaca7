"""Commands that the keeper runs for its agent: run once, their output kept, ended with all they started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.processes import look_at
from tests.kit.waiting import until
from voxpilot.keeper.attach import attach
from voxpilot.keeper.journal import COMMAND_ENDED, ENDED
from voxpilot.keeper.output import (
    KEPT_BYTES,
    Printed,
    from_character,
    read_end,
    read_output,
    text_at_end,
    text_at_start,
)

from .conftest import Keep
from .kept import Kept

WAITING = "import sys; sys.stdin.read()"
"""An agent that does nothing until its stdin closes."""


def shell(kept: Kept, name: str, line: str, **env: str) -> None:
    kept.attachment.run(name, ["/bin/sh", "-c", line], str(kept.directory.parent), env)


def ends(kept: Kept) -> list[dict[str, Any]]:
    return [json.loads(record.payload) for record in kept.records if record.type == COMMAND_ENDED]


async def end_of(kept: Kept, name: str, within: float = 20) -> dict[str, Any]:
    await kept.read_until(lambda: [end for end in ends(kept) if end["terminal"] == name], within)
    return next(end for end in ends(kept) if end["terminal"] == name)


def output(kept: Kept, name: str) -> bytes:
    return read_output(kept.directory, name, 0, 10 << 20).data


async def test_a_command_is_run_and_its_end_is_told_with_all_it_printed(keep: Keep) -> None:
    """R95: both outputs in one, in order; the agent's environment with more on top; a status or a signal."""
    kept = await keep(WAITING, env={**os.environ, "ONE": "1", "TWO": "2"})
    shell(kept, "a-1", 'echo "$ONE $TWO"; echo err >&2; echo out; exit 3', TWO="two")
    assert await end_of(kept, "a-1") == {"terminal": "a-1", "bytes": 14, "exit_code": 3, "signal": None}
    assert output(kept, "a-1") == b"1 two\nerr\nout\n"
    shell(kept, "a-2", "kill -TERM $$")
    assert await end_of(kept, "a-2") == {
        "terminal": "a-2",
        "bytes": 0,
        "exit_code": None,
        "signal": "SIGTERM",
    }
    kept.attachment.run("a-3", ["no-such-program", "x"], "/", {})
    assert (await end_of(kept, "a-3"))["exit_code"] == 127
    assert b"no-such-program" in output(kept, "a-3")
    kept.attachment.run("a-4", ["true"], "/no/such/folder", {})
    assert (await end_of(kept, "a-4"))["exit_code"] == 127


async def test_the_same_order_twice_runs_once(keep: Keep, place: Path) -> None:
    """R95: also from another server, also when the command has ended long ago."""
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
    """R99, F88: its children too, those that left its group as well."""
    kept = await keep(WAITING)
    shell(kept, "a-1", f"{way}sh -c 'echo $$ > child; exec sleep 1000' & sleep 1000")
    await until(lambda: (place / "child").exists() and (place / "child").read_text().endswith("\n"), 10)
    child = int((place / "child").read_text())
    kept.attachment.kill_command("a-1")
    assert (await end_of(kept, "a-1"))["signal"] == "SIGKILL"
    await until(lambda: look_at(child) is None, 10, "the child lives on")


async def test_commands_end_with_the_agent_and_before_its_own_end_is_told(keep: Keep) -> None:
    """R99: none is left (which the fixture looks at), and each end is in the journal."""
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
    """F88: 200 MB; the disk holds a few, the journal none, and the keeper goes on listening."""
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
    """R96, F88: never more bytes than asked for, never half a character, always the very end."""
    shown, is_cut = text_at_end(text.encode(), limit, is_cut=False, is_last=True)
    assert len(shown.encode()) <= limit
    assert text.endswith(shown)
    assert is_cut == (shown != text)
    missing = len(text) - len(shown)
    assert not missing or len(text[missing - 1 :].encode()) > limit, "one more character would have fitted"


@given(st.binary(max_size=60), st.integers(0, 80), st.booleans(), st.booleans())
def test_whatever_bytes_come_the_limit_holds(data: bytes, limit: int, is_cut: bool, is_last: bool) -> None:
    """R96, F88: what is no text becomes marks, which are longer than what they stand for."""
    shown, cut = text_at_end(data, limit, is_cut, is_last)
    assert len(shown.encode()) <= limit
    assert cut or not is_cut


@given(TEXTS, st.lists(st.integers(1, 7), max_size=80))
def test_output_read_in_pieces_is_the_output(text: str, sizes: list[int]) -> None:
    """R96: wherever the reads are cut, each character comes once and whole."""
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
