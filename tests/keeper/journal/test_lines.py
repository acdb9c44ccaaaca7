"""What an agent prints and receives: in order, complete, on the disk first."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from anyio import fail_after

from tests.keeper.conftest import Keep
from tests.kit.machine.processes import rss_bytes, sampling
from voxpilot.keeper.attach import Refusal, attach
from voxpilot.keeper.journal import PRINTED
from voxpilot.keeper.program.lines import READ_BYTES

MB = 2**20
LOOKS_INTO_THE_JOURNAL = """
import glob, os, sys
for line in sys.stdin.buffer:
    with open(glob.glob(os.environ["HOME"] + "/journal.*")[0], "rb") as journal:
        print(line.strip() in journal.read(), flush=True)
"""


async def test_a_line_is_in_the_journal_before_the_agent_gets_it(keep: Keep, place: Path) -> None:
    directory = place / "kept"
    kept = await keep(LOOKS_INTO_THE_JOURNAL, directory, env=dict(os.environ) | {"HOME": str(directory)})
    kept.send("first-of-all")
    await kept.read_until(lambda: kept.lines)
    assert kept.lines == ["True"]


async def test_what_is_told_to_have_grown_can_be_read(keep: Keep) -> None:
    kept = await keep(["cat"])
    kept.send("one")
    with fail_after(5):
        assert await kept.attachment.grown_past(0)
    told = kept.attachment.end
    read = kept.reader.read()
    assert read[-1].end >= told


async def test_only_the_next_number_is_taken(keep: Keep) -> None:
    kept = await keep(["cat"])
    kept.attachment.send(2, "too early")
    kept.attachment.send(1, "one")
    kept.attachment.send(1, "one again")
    kept.attachment.send(3, "a gap")
    kept.attachment.send(2, "two")
    await kept.line("two")
    assert kept.lines == ["one", "two"]
    assert kept.taken == [b"1 one\n", b"2 two\n"]
    assert list(kept.attachment.refusals) == [Refusal(2, 0), Refusal(1, 1), Refusal(3, 1)]
    again = await attach(kept.directory)
    assert again.hello.sent == 2
    await again.close()


async def test_twenty_thousand_lines_come_back_as_they_were(keep: Keep) -> None:
    kept = await keep(["cat"], segment_bytes=100_000)
    lines = [f'{{"n": {n}, "text": "{"ä" * (n % 50)}"}}' for n in range(20_000)]
    kept.send(*lines)
    await kept.read_until(lambda: kept.printed.count(b"\n") >= len(lines), within=30)
    assert kept.lines == lines
    assert len(kept.taken) == len(lines)
    assert len(list(kept.directory.glob("journal.*"))) > 5


async def test_a_line_of_many_megabytes_reaches_the_agent(keep: Keep) -> None:
    kept = await keep("""
import hashlib, sys
print(hashlib.sha256(sys.stdin.buffer.readline()).hexdigest(), flush=True)
""")
    line = "é" * (10 * MB)
    kept.send(line)
    await kept.line(hashlib.sha256(line.encode() + b"\n").hexdigest())


async def test_only_newlines_part_lines_and_bytes_need_not_be_text(keep: Keep) -> None:
    printed = b"a\rb\x85c\xe2\x80\xa8d\x0b\x0c\n\xff\xfe\x00\n\n  \nno newline at the end"
    kept = await keep(f"import os, sys; sys.stdin.readline(); os.write(1, {printed!r})")
    kept.send("go")
    end = await kept.end()
    assert kept.printed == printed + b"\n"
    assert (end["exit"], end["signal"], end["reason"]) == (0, None, "exited")


async def test_bytes_that_are_no_text_can_be_sent_too(keep: Keep) -> None:
    kept = await keep(["cat"])
    kept.send(b"\xff\x00\xc3")
    await kept.read_until(lambda: kept.printed)
    assert kept.printed == b"\xff\x00\xc3\n"


async def test_a_line_may_not_hold_a_line_break(keep: Keep) -> None:
    kept = await keep(["cat"])
    with pytest.raises(ValueError, match="line break"):
        kept.attachment.send(1, "one\ntwo")


async def test_whole_lines_of_one_write_are_one_record(keep: Keep) -> None:
    kept = await keep(r"import os, sys; sys.stdin.readline(); os.write(1, b'x\n' * 1000)")
    kept.send("go")
    await kept.end()
    assert [len(record.payload) for record in kept.records if record.type == PRINTED] == [2000]


async def test_a_line_of_a_hundred_megabytes_is_skipped_at_little_cost(keep: Keep) -> None:
    kept = await keep("""
import os, sys
print("before", flush=True)
sys.stdin.readline()
for _ in range(100):
    os.write(1, b"x" * 1_000_000)
print("\\nafter", flush=True)
sys.stdin.read()
""")
    await kept.line("before")
    async with sampling(kept.keeper, every=0.005) as usage:
        kept.send("go")
        await kept.line("after", within=20)
    assert kept.lines == ["before", "after"]
    assert kept.skipped == [100_000_000]
    assert usage.growth_bytes < 64 * MB


async def test_the_cap_is_exact_however_the_bytes_arrive(keep: Keep) -> None:
    kept = await keep(
        r"""
import os, sys
sys.stdin.readline()
os.write(1, b"a\n" + b"b" * 1000 + b"\n" + b"c" * 1001 + b"\n" + b"d\n")
for line in (b"e" * 1000, b"f" * 1001, b"g" * 5000):
    for byte in line:
        os.write(1, bytes([byte]))
    os.write(1, b"\nh\n")
os.write(1, b"i" * 3000)
""",
        line_cap=1000,
    )
    kept.send("go")
    await kept.end()
    assert kept.lines == ["a", "b" * 1000, "d", "e" * 1000, "h", "h", "h"]
    assert kept.skipped == [1001, 1001, 5000, 3000]


async def test_a_flood_on_stderr_blocks_nothing_and_is_not_kept(keep: Keep) -> None:
    kept = await keep("""
import os, sys
sys.stdin.readline()
for _ in range(200):
    os.write(2, b"e" * 1_000_000)
os.write(2, b"last words \\xff")
print("still here", flush=True)
sys.stdin.readline()
""")
    async with sampling(kept.keeper, every=0.005) as usage:
        kept.send("go")
        await kept.line("still here", within=20)
    assert usage.growth_bytes < 8 * MB
    tail = await kept.attachment.stderr_tail()
    assert tail.endswith("elast words \ufffd")
    assert len(tail) <= 64 << 10
    kept.send("leave")
    assert (await kept.end())["stderr"] == tail


async def test_an_agent_that_reads_nothing_can_still_speak(keep: Keep) -> None:
    kept = await keep("""
import sys
sys.stdin.buffer.read(1)
for n in range(1000):
    print(n, flush=True)
sys.stdin.buffer.read()
""")
    kept.send(*["x" * 10_000] * 200)
    await kept.line("999")
    assert kept.lines == [str(n) for n in range(1000)]


async def test_a_prompt_is_open_until_its_own_answer_passes(keep: Keep) -> None:
    kept = await keep(["cat"])

    async def still_open() -> tuple[str, ...]:
        """As reported to a new peer, after everything sent so far has returned."""
        kept.send("sync")
        count = kept.sent
        await kept.read_until(lambda: kept.printed.count(b"\n") >= count)
        peer = await attach(kept.directory)
        await peer.close()
        return peer.hello.open

    kept.send('{"prompting": 1}', prompt="0")
    kept.send('{"prompting": 2}', prompt='"0"')
    kept.send('{"prompting": 3}', prompt=' "a" ')
    assert await still_open() == ('"0"', '"a"', "0")
    kept.send('{"id": 0, "method": "session/request_permission", "params": {"result": 1}}')
    kept.send('{"id": 0, "method": "no/such", "result": {}}')
    kept.send('{"params": {"id": 0, "result": {}}}', '{"id": 0}', '"id" "result"', '{"id": 1, "result": {}}')
    kept.send("[" * 100_000 + '"id" "result"', '{"id": [0], "result": {}}')
    assert await still_open() == ('"0"', '"a"', "0")
    kept.send('{"result": {"text": "any"}, "id": 0}')
    assert await still_open() == ('"0"', '"a"')
    kept.send('{"jsonrpc": "2.0", "id": "a", "error": {"code": -1}}', '{"id":"0","result":null}')
    assert await still_open() == ()


async def test_a_line_that_cannot_be_a_prompt_is_not_sent(keep: Keep) -> None:
    kept = await keep(["cat"])
    kept.attachment.send(1, "one", prompt="no json")
    kept.attachment.send(1, "really one")
    await kept.line("really one")
    assert kept.lines == ["really one"]


async def test_memory_stays_small_while_a_gigabyte_goes_by(keep: Keep) -> None:
    kept = await keep(
        """
import os, sys
block = (b"x" * 199 + b"\\n") * 1000
sys.stdin.readline()
for _ in range(2500):
    os.write(1, block)
""",
        keep_bytes=8 * MB,
    )
    before = rss_bytes(kept.keeper)
    passed, peak = 0, before
    kept.send("go")
    while await kept.attachment.grown_past(kept.reader.offset):
        passed += sum(len(record.payload) for record in kept.reader.read() if record.type == PRINTED)
        kept.attachment.ack(kept.reader.offset)
        peak = max(peak, rss_bytes(kept.keeper))
    while records := kept.reader.read():
        passed += sum(len(record.payload) for record in records if record.type == PRINTED)
    assert passed == 500_000_000
    assert peak - before < 8 * MB


async def test_an_agent_that_prints_without_end_waits_until_somebody_has_read_it(keep: Keep) -> None:
    """B5: otherwise it would fill the disk, however fast a server reads."""
    ahead = 1 * MB
    kept = await keep(["yes"], ahead_bytes=ahead)
    attachment = kept.attachment
    for _ in range(3):
        allowed = kept.reader.offset + ahead
        await kept.read_until(lambda allowed=allowed: kept.reader.offset >= allowed)  # type: ignore[misc]
        for _ in range(20):  # the keeper would read from the agent as often
            await attachment.stderr_tail()
        assert attachment.end < allowed + 2 * READ_BYTES
        kept.records += kept.reader.read()
        attachment.ack(kept.reader.offset)
