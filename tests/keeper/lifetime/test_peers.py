"""Clients of the control socket cannot harm the keeper."""

from __future__ import annotations

import errno
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest.mock import Mock

import pytest

from tests.keeper.conftest import Keep
from tests.keeper.kept import Kept
from tests.kit.machine.processes import open_descriptors, rss_bytes
from tests.kit.waiting import until
from voxpilot.keeper.attach import attach
from voxpilot.keeper.program import peers
from voxpilot.keeper.program.peers import Peers

MB = 2**20


@contextmanager
def peer_of(kept: Kept, seconds: float = 5.0) -> Iterator[socket.socket]:
    """A connection that breaks the protocol."""
    folder = os.open(kept.directory, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(seconds)
        peer.connect(f"/proc/self/fd/{folder}/socket")
        os.close(folder)
        yield peer


def ask(peer: socket.socket, line: bytes) -> dict[str, Any]:
    peer.sendall(line + b"\n")
    answer = b""
    while not answer.endswith(b"\n"):
        answer += peer.recv(65536)
    return dict(json.loads(answer))


async def still_works(kept: Kept) -> None:
    kept.send("still here")
    count = kept.sent
    await kept.read_until(lambda: kept.lines.count("still here") == count)


NONSENSE = [
    b"",
    b"\xff\xfe\x00",
    b"{",
    b"[]",
    b"7",
    b'"hello"',
    b"[" * 200_000,
    b'{"do": null}',
    b'{"do": ["hello"]}',
    b'{"do": "dance"}',
    b'{"do": "send"}',
    b'{"do": "send", "n": "1", "line": "x"}',
    b'{"do": "send", "n": true, "line": "x"}',
    b'{"do": "send", "n": 1.0, "line": "x"}',
    b'{"do": "send", "n": 1, "line": 5}',
    b'{"do": "send", "n": 1, "line": "a\\nb"}',
    b'{"do": "send", "n": 1, "line": "\\ud800"}',
    b'{"do": "send", "n": 1, "line": "x", "prompt": 5}',
    b'{"do": "send", "n": 1, "line": "x", "prompt": "{"}',
    b'{"do": "ack"}',
    b'{"do": "ack", "offset": "all"}',
    b'{"do": "ack", "offset": true}',
    b'{"do": "' + b"x" * 100_000 + b'"}',
]


async def test_nonsense_is_answered_and_forgotten(keep: Keep) -> None:
    kept = await keep(["cat"])
    for line in NONSENSE:
        with peer_of(kept) as peer:
            answer = ask(peer, line)
            assert set(answer) == {"error"}, line[:100]
            assert len(answer["error"]) < 300
    await still_works(kept)
    assert kept.lines == ["still here"]


async def test_strange_acknowledgements_delete_nothing_that_matters(keep: Keep) -> None:
    kept = await keep(["cat"], segment_bytes=100, keep_bytes=0)
    for offset in (-1, 0, 2**70):
        kept.attachment.ack(offset)
        await still_works(kept)
    assert await kept.attachment.grown_past(kept.reader.offset - 1)
    assert kept.reader.offset == kept.attachment.end


async def test_for_a_peer_that_never_reads_news_does_not_pile_up(keep: Keep) -> None:
    kept = await keep(["cat"])
    with peer_of(kept) as peer:
        peer.sendall(b'{"do": "hello"}\n')
        for n in range(1, 1501):
            kept.attachment.send(n, "x")
            while len(kept.records) < 2 * n:
                await kept.attachment.grown_past(kept.reader.offset)
                kept.records += kept.reader.read()
        told = b""
        while f'"end": {kept.reader.offset},'.encode() not in told:
            told += peer.recv(MB)
        assert told.startswith(b'{"hello": 1')
        assert told.count(b"\n") < 1000


async def test_a_peer_that_asks_and_asks_but_never_reads_is_sent_away(keep: Keep) -> None:
    kept = await keep(
        "import os, sys; os.write(2, b'e' * 60_000); os.write(1, b'ready\\n'); sys.stdin.read()"
    )
    await kept.line("ready")
    before = rss_bytes(kept.keeper)
    with peer_of(kept) as peer, suppress(BrokenPipeError, ConnectionResetError):
        for _ in range(100):
            peer.sendall(b'{"do": "stderr"}\n' * 1000)
    assert rss_bytes(kept.keeper) - before < 32 * MB
    assert len(await kept.attachment.stderr_tail()) == 60_000


async def test_a_line_without_end_is_not_collected_for_ever(keep: Keep) -> None:
    kept = await keep(["cat"])
    before = rss_bytes(kept.keeper)
    with peer_of(kept) as peer, pytest.raises((BrokenPipeError, ConnectionResetError)):
        peer.sendall(b"x" * (200 * MB))
    await still_works(kept)
    await until(lambda: rss_bytes(kept.keeper) - before < 8 * MB)


async def test_a_crowd_is_kept_at_the_door(keep: Keep) -> None:
    kept = await keep(["cat"])
    before = open_descriptors(kept.keeper)
    folder = os.open(kept.directory, os.O_RDONLY)
    crowd = [socket.socket(socket.AF_UNIX) for _ in range(60)]
    for peer in crowd:
        peer.connect(f"/proc/self/fd/{folder}/socket")
    os.close(folder)
    await still_works(kept)
    assert open_descriptors(kept.keeper) - before < 32
    for peer in crowd:
        peer.close()
    await until(lambda: open_descriptors(kept.keeper) <= before)
    another = await attach(kept.directory)
    await another.close()


async def test_all_who_are_attached_hear_the_news(keep: Keep) -> None:
    kept = await keep(["cat"])
    second = await attach(kept.directory)
    kept.send("one")
    await kept.line("one")
    await until(lambda: second.end == kept.attachment.end)
    second.send(2, "two")
    await kept.line("two")
    await second.close()
    second.send(3, "into the void")
    kept.sent = 2
    kept.send("three")
    await kept.line("three")


async def test_orders_given_before_hanging_up_are_obeyed(keep: Keep) -> None:
    kept = await keep(["cat"])
    lines = b"".join(b'{"do": "send", "n": %d, "line": "x"}\n' % n for n in range(1, 20_001))
    with peer_of(kept) as peer:
        peer.sendall(b'{"do": "hello"}\n' + lines + b'{"do": "stop"}\n')
    assert (await kept.end())["reason"] == "stopped"
    assert len(kept.lines) == 20_000


async def test_half_an_order_is_none(keep: Keep) -> None:
    kept = await keep(["cat"])
    with peer_of(kept) as peer:
        peer.sendall(b'{"do": "kill"}')
    await still_works(kept)


async def test_a_peer_that_has_not_said_hello_is_not_told_the_news(keep: Keep) -> None:
    kept = await keep(["cat"])
    with peer_of(kept) as peer:
        await still_works(kept)
        assert ask(peer, b'{"do": "stderr"}') == {"stderr": ""}


def test_a_peer_that_cannot_be_accepted_is_not_tried_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """B4: it stays in the queue, so that the keeper would otherwise never wait for anything."""
    listener = Mock()
    listener.accept.side_effect = OSError(errno.EMFILE, "Too many open files")
    clock = iter([10.0, 10.0, 10.1, 10.6])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    here = Peers(listener, lambda *_: None)
    assert here.to_read() == [listener]
    here.hear([listener])
    assert here.accepts_at == 10.0 + peers.RETRY_SECONDS
    assert here.to_read() == []
    assert here.to_read() == [listener]
