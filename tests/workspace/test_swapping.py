"""Somebody swaps files and folders for links as fast as possible, while we read and write."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.kit.clients.driver import LONG_SECONDS, NIGHTLY
from voxpilot.errors import VoxPilotError
from voxpilot.workspace.files import read, write

ATTEMPTS = 100_000
"""The promises for reading and for writing, each in both ways."""
SECONDS = float("inf") if NIGHTLY else 1.7
"""How long each runs in an ordinary run."""


SWAPPER = """
import ctypes, os, sys
one, other = map(os.fsencode, sys.argv[1:])
exchange = ctypes.CDLL(None).renameat2
print(flush=True)
swaps, parent = 0, os.getppid()
while os.getppid() == parent and not os.path.exists(one + b".stop"):
    swaps += sum(exchange(-100, one, -100, other, 2) == 0 for _ in range(100))
print(swaps)
"""


@contextmanager
def swapping(real: Path, link: Path) -> Iterator[None]:
    """A process that swaps two paths atomically, as fast as possible."""
    command = [sys.executable, "-I", "-S", "-c", SWAPPER, str(real), str(link)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapper:
        assert swapper.stdout is not None
        swapper.stdout.readline()
        try:
            yield
        finally:
            Path(f"{real}.stop").touch()
            swaps = int(swapper.stdout.read())
    print(f"{swaps} swaps")
    assert swaps > 100


def attack(attempt: Callable[[], None]) -> tuple[int, int]:
    """How often it was tried, and how often it succeeded."""
    until, tried, done = time.monotonic() + SECONDS, 0, 0
    while tried < ATTEMPTS and time.monotonic() < until:
        tried += 1
        with suppress(VoxPilotError):
            attempt()
            done += 1
    print(f"{tried} attempts, {done} went through")
    return tried, done


@pytest.mark.timeout(LONG_SECONDS)
@pytest.mark.parametrize("what", ["file", "folder"])
def test_no_swap_lets_a_read_out(root: Path, what: str) -> None:
    """A23: 100,000 reads in the nightly run; 0 escapes."""
    (root / "d").mkdir()
    (root / "d" / "secret.txt").write_text("inside")
    real, target = (
        (root / "d", "../outside")
        if what == "folder"
        else (root / "d" / "secret.txt", "../../outside/secret.txt")
    )
    link = real.with_name("link")
    link.symlink_to(target)

    def attempt() -> None:
        assert read([str(root)], f"{root}/d/secret.txt").text == "inside"

    with swapping(real, link):
        tried, done = attack(attempt)
    assert 0 < done < tried


@pytest.mark.timeout(LONG_SECONDS)
def test_no_swap_lets_a_write_out(root: Path) -> None:
    """A23: 100,000 writes in the nightly run; 0 escapes (the fixture checks the files outside)."""
    (root / "d").mkdir()
    (root / "link").symlink_to("../outside")
    number = 0

    def attempt() -> None:
        nonlocal number
        number += 1
        write([str(root)], f"{root}/d/new-{number}.txt", "text", None, "n")

    with swapping(root / "d", root / "link"):
        tried, done = attack(attempt)
    assert 0 < done < tried
    assert len(list(root.rglob("new-*.txt"))) == done
