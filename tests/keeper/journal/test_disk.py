"""A full disk: the agent is paused, nothing is lost or duplicated."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest

from tests.keeper.conftest import Keep
from tests.keeper.kept import Kept, read_all
from tests.kit.machine.disk import can_mount, small_disk
from tests.kit.waiting import until
from voxpilot.keeper.attach import Attachment
from voxpilot.keeper.journal import ENDED, PRINTED
from voxpilot.keeper.reaching import is_kept

COUNTS = """
import sys
sys.stdin.readline()
for n in range(40_000):
    sys.stdout.write(f"{n:06d} {'x' * 192}\\n")
    if n % 50 == 0:
        sys.stdout.flush()
sys.stdout.flush()
print(sys.stdin.readline().strip(), flush=True)
sys.stdin.read()
"""
"""Prints eight megabytes in numbered lines, then its input."""


async def becomes(attachment: Attachment, full: bool) -> None:
    await until(lambda: attachment.full is full, 10, f"full never becomes {full}")


async def everything_arrives(kept: Kept) -> None:
    # Not `line`, which would search all the megabytes again for each record.
    await kept.read_until(
        lambda: any(
            record.type == PRINTED and record.payload.endswith(b"second\n") for record in kept.records[-3:]
        ),
        within=30,
    )
    assert [int(line.split()[0]) for line in kept.lines[:-1]] == list(range(40_000))
    assert all(line.endswith("x" * 192) for line in kept.lines[:-1])
    assert kept.taken == [b"1 first\n", b"2 second\n"]


@pytest.mark.skipif(not can_mount(), reason="only root can mount a disk small enough to fill")
async def test_a_full_disk_holds_the_agent_back_until_there_is_room(keep: Keep, place: Path) -> None:
    with small_disk(place / "disk", 16 * 2**20) as disk:
        kept = await keep(COUNTS, disk.path / "kept", grace_seconds=(20, 20))
        disk.fill(leave_bytes=1_000_000)
        kept.send("first")
        await becomes(kept.attachment, True)
        kept.send("second")
        whole = read_all(kept.directory)
        assert 500_000 < sum(len(record.payload) for record in whole) < 1_100_000
        assert not kept.attachment.refusals
        disk.free()
        await becomes(kept.attachment, False)
        await everything_arrives(kept)
        kept.attachment.stop()
        assert (await kept.end(within=20))["exit"] == 0


async def test_a_limit_on_file_sizes_is_a_full_disk_too(keep: Keep) -> None:
    kept = await keep(COUNTS, segment_bytes=3_000_000)
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    kept.send("first")
    await becomes(kept.attachment, True)
    assert (kept.directory / "journal.00000000000000000000").stat().st_size == 1_000_000
    kept.send("second")
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await everything_arrives(kept)
    assert len(list(kept.directory.glob("journal.*"))) > 1


async def test_no_room_for_the_next_segment_waits_as_well(keep: Keep) -> None:
    kept = await keep(["cat"], segment_bytes=1)
    kept.send("one")
    await kept.line("one")
    segments = sorted(kept.directory.glob("journal.*"))
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (4, resource.RLIM_INFINITY))
    kept.send("two")
    await becomes(kept.attachment, True)
    assert sorted(kept.directory.glob("journal.*")) == segments
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await kept.line("two")


async def test_a_line_reaches_the_agent_only_after_the_disk(keep: Keep, place: Path) -> None:
    kept = await keep(f"""
import sys
print("ready", flush=True)
sys.stdin.readline()
open({str(place / "received")!r}, "w").close()
sys.stdin.read()
""")
    await kept.line("ready")
    size = kept.attachment.end + 8
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    kept.send("held")
    await becomes(kept.attachment, True)
    await kept.attachment.stderr_tail()  # the keeper's loop has run since then
    assert not (place / "received").exists()
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await until((place / "received").exists)


async def test_what_an_agent_printed_before_it_left_waits_for_room(keep: Keep) -> None:
    kept = await keep("""
import os, sys
sys.stdin.readline()
os.write(1, b"x" * 99 + b"\\n")
os.write(1, b"last\\n")
""")
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (60, resource.RLIM_INFINITY))
    kept.send("go")
    await becomes(kept.attachment, True)
    await until(lambda: not Path(f"/proc/{kept.agent}").exists())
    await kept.attachment.stderr_tail()
    assert is_kept(kept.directory)
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await kept.end()
    assert kept.lines == ["x" * 99, "last"]


async def test_a_stop_is_obeyed_on_a_full_disk(keep: Keep) -> None:
    kept = await keep(COUNTS, grace_seconds=(0.2, 0.2))
    resource.prlimit(kept.keeper, resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    kept.send("first")
    await becomes(kept.attachment, True)
    kept.attachment.send(2, "second")
    started = time.monotonic()
    kept.attachment.stop()
    await until(lambda: not is_kept(kept.directory), 10)
    assert time.monotonic() - started < 10
    assert not Path(f"/proc/{kept.agent}").exists()
    assert read_all(kept.directory)[-1].type != ENDED
