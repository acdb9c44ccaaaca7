"""Which files of a folder are shown, and running programs within limits."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.kit.waiting import until
from voxpilot.workspace.folder import Place
from voxpilot.workspace.listing import Listing, ignored, visible_files
from voxpilot.workspace.programs import run


@pytest.fixture(params=["plain", "git"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same files, inside and outside a repository."""
    root = tmp_path / "work"
    for name in (
        "src/a.py",
        "src/a.pyc",
        "build/out.js",
        "docs/b.md",
        "docs/drafts/c.md",
        ".hidden",
        "é.txt",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / ".gitignore").write_text("*.pyc\n/build/\n")
    (root / "docs" / ".gitignore").write_text("drafts\n")
    (root / "outside").symlink_to("/etc")
    if request.param == "git":
        make_repository(root)
    return root


def make_repository(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for name, value in (("user.name", "A"), ("user.email", "a@example.org")):
        subprocess.run(["git", "-C", str(root), "config", name, value], check=True)


async def test_ignored_files_do_not_count_and_links_are_not_followed(folder: Path) -> None:
    listing = await listed(folder)
    assert listing.paths == tuple(
        sorted([".gitignore", ".hidden", "docs/.gitignore", "docs/b.md", "outside", "src/a.py", "é.txt"])
    )
    assert not listing.is_cut


async def test_single_paths_can_be_asked_about(folder: Path) -> None:
    asked = [("src", True), ("build", True), ("src/a.pyc", False), ("docs/drafts", True), ("é.txt", False)]
    assert await ignored(Place(str(folder), ()), asked) == {"build", "src/a.pyc", "docs/drafts"}


async def test_a_program_is_ended_at_its_limits(tmp_path: Path) -> None:
    flood = await run(["yes"], str(tmp_path), limit_bytes=1000)
    assert (flood.is_cut, flood.code, len(flood.out)) == (True, None, 1000)
    late = await run(["sh", "-c", "echo begun; sleep 60"], str(tmp_path), limit_seconds=0.5)
    assert (late.is_late, late.out) == (True, b"begun\n")
    told = await run(["sh", "-c", "cat; echo no >&2; exit 3"], str(tmp_path), given=b"x" * 300_000)
    assert (told.code, len(told.out), told.complaints) == (3, 300_000, "no")


async def test_a_program_leaves_no_pipe_open(tmp_path: Path) -> None:
    """Although its output was not read to the end, or a process that it left behind holds its pipes."""
    begins = "echo $$ > pid.new; mv pid.new pid; exec sleep 60"
    leaves_one_behind = f"setsid sh -c '{begins}' & until [ -e pid ]; do sleep 0.01; done"
    before = len(os.listdir("/proc/self/fd"))
    await run(["yes"], str(tmp_path), limit_bytes=1000)
    await run(["sh", "-c", leaves_one_behind], str(tmp_path), given=b"x" * 300_000, limit_seconds=2)
    try:
        await until(lambda: len(os.listdir("/proc/self/fd")) <= before, 5)
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


async def test_a_program_ends_with_who_asked_for_it(tmp_path: Path) -> None:
    task = asyncio.create_task(
        run(["sh", "-c", "echo $$ > pid; exec sleep 60"], str(tmp_path), limit_seconds=60)
    )
    async with asyncio.timeout(20):
        await until(lambda: (tmp_path / "pid").exists() and bool((tmp_path / "pid").read_text().strip()), 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


async def test_a_folder_without_git_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a").write_text("")
    assert (await listed(tmp_path)).paths == ("a",)


async def test_tracked_files_are_shown_even_if_they_are_ignored(tmp_path: Path) -> None:
    make_repository(tmp_path)
    (tmp_path / "build").mkdir()
    for name in ("kept.log", "other.log", "build/kept.txt", "build/other.txt", "gone.log"):
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n")
    subprocess.run(
        "git add -f kept.log build/kept.txt gone.log && rm gone.log", shell=True, cwd=tmp_path, check=True
    )
    assert (await listed(tmp_path)).paths == (".gitignore", "build/kept.txt", "kept.log")


async def test_a_folder_in_a_repository_is_listed_by_its_rules(tmp_path: Path) -> None:
    make_repository(tmp_path)
    (tmp_path / ".git" / "info").mkdir(exist_ok=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("*.tmp\n")
    (tmp_path / ".gitignore").write_text("*.log\n/src/only/\n")
    for name in ("src/a.py", "src/a.log", "src/a.tmp", "src/only/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    roots, src = [str(tmp_path / "src")], Place(str(tmp_path / "src"), ())
    assert (await visible_files(roots, src, [str(tmp_path)])).paths == ("a.py",)
    assert "a.log" in (await visible_files(roots, src)).paths, "nobody trusts the folder above"


async def listed(folder: Path) -> Listing:
    return await visible_files([str(folder)], Place(str(folder), ()))


async def test_folders_may_be_as_deep_as_a_path_is_long(tmp_path: Path) -> None:
    """A2"""
    deep = "/".join(["d"] * 1500)
    asked = [(f"{deep}/a", False), ("b.log", False)]
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert await ignored(Place(str(tmp_path), ()), asked) == {"b.log"}


async def test_a_costly_ignore_file_holds_nothing_up(tmp_path: Path) -> None:
    """A2: files that are not checked in time are not hidden."""
    (tmp_path / ".gitignore").write_text("\n".join(f"*a{n}*b*c*d*" for n in range(2000)))
    asked = [(f"a{n}bcdaaaaaaaabbbbbcccccc{n}", False) for n in range(20_000)]
    begun = time.monotonic()
    await ignored(Place(str(tmp_path), ()), asked)
    assert time.monotonic() - begun < 10
