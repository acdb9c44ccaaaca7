"""Finding files by a few letters, in the real program."""

from __future__ import annotations

import asyncio
import signal
import time
from array import array
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.waiting import until
from voxpilot.workspace.file_search import MOST_FOLDERS, FileSearch
from voxpilot.workspace.looker.ranking import Names


@pytest.fixture
async def search() -> AsyncIterator[FileSearch]:
    searching = FileSearch()
    try:
        yield searching
    finally:
        await searching.close()


async def paths(search: FileSearch, folder: Path, query: str, *recent: str) -> list[str]:
    found = await search.search(str(folder), query, 20, recent, [])
    return [file["path"] for file in found["files"]]


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


async def test_ignored_files_are_left_out_and_links_not_followed(search: FileSearch, tmp_path: Path) -> None:
    """R136: git's ignore rules, in every folder."""
    root = tmp_path / "root"
    files(root, "src/app.py", "src/app.log", "node_modules/app.js", "docs/app.md", ".git/app")
    (root / ".gitignore").write_text("node_modules/\n*.log\n")
    (root / "docs" / ".gitignore").write_text("*.md\n")
    files(tmp_path, "outside/app.py")
    (root / "link").symlink_to(tmp_path / "outside")
    assert await paths(search, root, "app") == ["src/app.py"]
    found = await search.search(str(root), "src", 20, [], [])
    assert found["files"][0] == {"path": "src", "folder": True, "changed": False, "recent": False}
    assert found["is_complete"] is True


async def test_new_files_are_found_a_moment_later(search: FileSearch, tmp_path: Path) -> None:
    files(tmp_path, "one.py")
    assert await paths(search, tmp_path, "py") == ["one.py"]
    files(tmp_path, "two.py")
    ends = time.monotonic() + 30
    while len(found := await paths(search, tmp_path, "py")) < 2:
        assert time.monotonic() < ends
    assert set(found) == {"one.py", "two.py"}


async def test_few_programs_run_and_none_is_left(search: FileSearch, tmp_path: Path) -> None:
    for number in range(MOST_FOLDERS + 2):
        files(tmp_path / str(number), "a.py")
        assert await paths(search, tmp_path / str(number), "a") == ["a.py"]
    running = [finder._child for finder in search._finders.values()]
    assert len(running) == MOST_FOLDERS
    await search.close()
    await until(lambda: all(child and child.returncode is not None for child in running), 10)


async def test_a_program_that_died_is_started_again(search: FileSearch, tmp_path: Path) -> None:
    files(tmp_path, "a.py")
    assert await paths(search, tmp_path, "a") == ["a.py"]
    (finder,) = search._finders.values()
    assert finder._child is not None
    finder._child.kill()
    await finder._child.wait()
    assert await paths(search, tmp_path, "a") == ["a.py"]


def names(*paths: str, old: float = 0.0) -> Names:
    return Names(list(paths), array("d", [old] * len(paths)), 0.0)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("app", "src/app.py"),
        ("src/app", "src/app.py"),
        ("um", "core/user_model.py"),
        ("usermodel", "core/user_model.py"),
        ("umpy", "core/user_model.py"),
        ("readme", "README.md"),
        ("core", "core/"),
        ("zzz", None),
    ],
)
def test_names_come_before_paths_and_word_starts_before_the_rest(query: str, first: str | None) -> None:
    known = names("lib/wrapper/x.py", "src/app.py", "core/", "core/user_model.py", "a/sum.py", "README.md")
    found = known.search(query, 5)
    assert (found[0]["path"] if found else None) == (first.rstrip("/") if first else None)


def test_mentioned_and_changed_files_come_first() -> None:
    now = time.time()
    times = array("d", [1.0, 1.0, now])
    known = Names(["a/util.py", "b/util.py", "c/util.py"], times, now - 60)
    assert [f["path"] for f in known.search("", 3, frozenset(["b/util.py"]))] == [
        "b/util.py",
        "c/util.py",
        "a/util.py",
    ]
    best = known.search("util", 1)[0]
    assert best == {"path": "c/util.py", "folder": False, "changed": True, "recent": True}


def test_each_further_letter_finds_what_a_whole_query_finds() -> None:
    many = [f"{a}/{b}_{c}.py" for a in "abc" for b in ("user", "view", "model") for c in range(150)]
    typed, whole = names(*many), "vw_14py"
    for length in range(1, len(whole) + 1):
        assert typed.search(whole[:length], 20) == names(*many).search(whole[:length], 20)


def test_a_hundred_thousand_names_take_little_processor_time() -> None:
    """Key to results; the wall clock of a busy machine proves nothing."""
    many = [f"dir{n % 400}/part_{n % 37}/file_{n}.py" for n in range(100_000)]
    known = names(*many)
    used = []
    for query in ("f", "fi", "file_9", "d", "dir3", "prt7", "part_3/fi", "zq", "99999"):
        began = time.thread_time()
        known.search(query, 20)
        used.append(time.thread_time() - began)
    assert sorted(used)[len(used) // 2] < 0.2


def test_a_path_of_one_letter_takes_no_longer_than_others() -> None:
    """Whether the letters are in it can be seen at one look, however often they could fit."""
    known = names("b" + "a" * 200, "a" * 200 + "-c-b")
    began = time.thread_time()
    assert [f["path"] for f in known.search("aaaaab", 5)] == ["a" * 200 + "-c-b"]
    assert time.thread_time() - began < 2


async def test_an_answer_that_nobody_waited_for_is_not_the_answer_to_the_next_question(
    search: FileSearch, tmp_path: Path
) -> None:
    files(tmp_path, "one.py", "two.md")
    assert await paths(search, tmp_path, "one") == ["one.py"]
    (finder,) = search._finders.values()
    assert finder._child is not None
    finder._child.send_signal(signal.SIGSTOP)  # so that it does not answer yet
    asking = asyncio.create_task(paths(search, tmp_path, "one"))
    await until(lambda: finder._one_by_one.locked(), 4)
    asking.cancel()
    await asyncio.wait([asking])
    finder._child.send_signal(signal.SIGCONT)
    assert await paths(search, tmp_path, "two") == ["two.md"]
