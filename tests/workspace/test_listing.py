"""Which files of a folder count, and git asked without running what a repository names."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from tests.kit.waiting import until
from voxpilot.workspace.git import PLAIN_DIFF, GitFailed, git, git_or_fail, is_repository
from voxpilot.workspace.listing import ignored, visible_files
from voxpilot.workspace.programs import run


@pytest.fixture(params=["plain", "git"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same files, in a repository and in none."""
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
    listing = await visible_files(str(folder))
    assert listing.paths == tuple(
        sorted([".gitignore", ".hidden", "docs/.gitignore", "docs/b.md", "outside", "src/a.py", "é.txt"])
    )
    assert not listing.is_cut


async def test_single_paths_can_be_asked_about(folder: Path) -> None:
    asked = [("src", True), ("build", True), ("src/a.pyc", False), ("docs/drafts", True), ("é.txt", False)]
    assert await ignored(str(folder), asked) == {"build", "src/a.pyc", "docs/drafts"}


async def test_a_program_is_ended_at_its_limits(tmp_path: Path) -> None:
    flood = await run(["yes"], str(tmp_path), limit_bytes=1000)
    assert (flood.is_cut, flood.code, len(flood.out)) == (True, None, 1000)
    late = await run(["sh", "-c", "echo begun; sleep 60"], str(tmp_path), limit_seconds=0.5)
    assert (late.is_late, late.out) == (True, b"begun\n")
    told = await run(["sh", "-c", "cat; echo no >&2; exit 3"], str(tmp_path), given=b"x" * 300_000)
    assert (told.code, len(told.out), told.complaints) == (3, 300_000, "no")


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


async def test_nothing_that_a_repository_names_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "x")
    root, proof = tmp_path / "work", tmp_path / "proof"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    make_repository(root)
    subprocess.run("git add -A && git commit -qm first", shell=True, cwd=root, check=True)
    sign(root)
    (root / "a.txt").write_text("two\n")
    touch = f"touch {proof};"
    (root / ".gitattributes").write_text("*.txt diff=evil filter=evil\n")
    hook = root / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\n{touch}\n")
    hook.chmod(0o755)
    for name, value in {
        "core.fsmonitor": f"sh -c '{touch}'",
        "core.pager": f"sh -c '{touch} cat'",
        "diff.external": f"sh -c '{touch}'",
        "diff.evil.command": f"sh -c '{touch}'",
        "diff.evil.textconv": f"sh -c '{touch} cat'",
        "filter.evil.clean": f"sh -c '{touch} cat'",
        "filter.evil.process": f"sh -c '{touch}'",
        "filter.evil.required": "true",
        "log.showSignature": "true",
        "gpg.program": str(hook),
    }.items():
        subprocess.run(["git", "-C", str(root), "config", name, value], check=True)
    assert "+two" in (await git_or_fail(str(root), "diff", *PLAIN_DIFF)).out.decode()
    assert "+one" in (await git_or_fail(str(root), "show", *PLAIN_DIFF, "HEAD")).out.decode()
    assert "a.txt" in (await visible_files(str(root))).paths
    assert not proof.exists()


def sign(root: Path) -> None:
    """Put a signature of sorts on the last commit, so that looking at it might run a program."""
    git = ["git", "-C", str(root)]
    head, _, message = subprocess.check_output([*git, "cat-file", "commit", "HEAD"], text=True).partition(
        "\n\n"
    )
    mark = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    signed = subprocess.check_output(
        [*git, "hash-object", "-t", "commit", "-w", "--stdin"],
        input=f"{head}\n{mark}\n\n{message}",
        text=True,
    )
    subprocess.run([*git, "reset", "-q", "--soft", signed.strip()], check=True)


async def test_a_repository_that_claims_another_folder_is_none(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    make_repository(root)
    subprocess.run(["git", "-C", str(root), "config", "core.worktree", "/etc"], check=True)
    assert not await is_repository(str(root))
    with pytest.raises(GitFailed, match="no git repository"):
        await git_or_fail(str(root), "diff")


async def test_a_folder_without_git_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a").write_text("")
    assert (await visible_files(str(tmp_path))).paths == ("a",)
    with pytest.raises(GitFailed, match="cannot be run"):
        await git(str(tmp_path), "status")
