"""From a key to the first results of a search over 100,000 files.

Lives here: typing several names letter by letter, compared with listing the files and matching them with
`rg --files` (or `find`) and `grep` for each letter. Lives elsewhere: the search (workspace/file_search.py).
"""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import statistics
import subprocess
import time
from pathlib import Path

from bench.figures import Aim, Figure
from voxpilot.workspace.file_search import FileSearch

FILES = 100_000
_IN_A_FOLDER = 50
_WORDS = (
    *("app", "core", "user", "test", "model", "view", "parse", "build", "config", "server"),
    *("client", "util", "data", "index", "render", "page"),
)
_TYPED = ("server", "usermodel", "prsbld", "zzz", "cnfg", "core5/view", "index_page9.py")
_SETTLED_SECONDS = 60.0


async def from_key_to_results(folder: Path, rounds: int) -> list[Figure]:
    _make(folder)
    search = FileSearch()
    try:
        await _ready(search, folder)
        ours = [await _one(search, folder, text) for _ in range(rounds) for text in _prefixes()]
    finally:
        await search.close()
    bare = [_listed(folder, text) for text in _prefixes()[::4]]
    p95 = sorted(ours)[int(len(ours) * 0.95)]
    return [
        Figure(
            name=f"key to first results over {FILES:,} files, p95",
            value=p95,
            unit="ms",
            measured=f"median {statistics.median(ours):.1f} ms",
            baseline=f"{_lister()[0]} and grep: median {statistics.median(bare):.0f} ms",
            aim=Aim(50),
        )
    ]


def _make(folder: Path) -> None:
    dice = random.Random(1)
    for number in range(FILES // _IN_A_FOLDER):
        place = folder / f"{dice.choice(_WORDS)}{number % 100}" / f"{dice.choice(_WORDS)}_{number}"
        place.mkdir(parents=True, exist_ok=True)
        for file in range(_IN_A_FOLDER):
            (place / f"{dice.choice(_WORDS)}_{dice.choice(_WORDS)}{file}.py").touch()


async def _ready(search: FileSearch, folder: Path) -> None:
    ends = time.monotonic() + _SETTLED_SECONDS
    while not (await search.search(str(folder), "a", 20, (), ()))["is_complete"]:
        if time.monotonic() > ends:
            raise TimeoutError("the folder was not read in time")
        await asyncio.sleep(0.1)


def _prefixes() -> list[str]:
    return [text[:length] for text in _TYPED for length in range(1, len(text) + 1)]


async def _one(search: FileSearch, folder: Path, text: str) -> float:
    began = time.perf_counter()
    await search.search(str(folder), text, 20, (), ())
    return (time.perf_counter() - began) * 1000


def _lister() -> list[str]:
    return ["rg", "--files"] if shutil.which("rg") else ["find", ".", "-type", "f"]


def _listed(folder: Path, text: str) -> float:
    began = time.perf_counter()
    pattern = ".*".join(map(re.escape, text))
    with subprocess.Popen(_lister(), cwd=folder, stdout=subprocess.PIPE) as listing:
        subprocess.run(["grep", "-i", pattern], stdin=listing.stdout, stdout=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - began) * 1000
