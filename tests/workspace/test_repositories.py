"""Ordinary repositories of every kind: our tools show the same as git itself."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voxpilot.assistant import toolbox
from voxpilot.assistant.shapes import ToolCall
from voxpilot.workspace import looker

PLAIN = "-c core.quotePath=false diff --no-ext-diff --no-textconv --no-color"
ME = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "file",
}


def run(folder: Path, command: str) -> str:
    done = subprocess.run(
        ["sh", "-ec", command], cwd=folder, env={**os.environ, **ME}, check=True, capture_output=True
    )
    return done.stdout.decode(errors="replace")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return made(tmp_path / "root")


def made(root: Path, options: str = "") -> Path:
    (root / "src").mkdir(parents=True)
    for name in ("a.txt", "src/b.py", "src/c.py", "é ü.txt"):
        (root / name).write_text("".join(f"{name} {number}\n" for number in range(30)))
    run(root, f"git init -q -b main {options} . && git add -A && git commit -qm first")
    return root


def change(path: Path, by: str = "changed") -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:10], f"{by}\n", *lines[11:]]))


async def use(root: Path, tool: str, trusted: tuple[Path, ...] = (), **arguments: Any) -> str:
    """What the tool shows; it must leave every file in the folder exactly as it was."""
    before = on_disk(root)
    found = await toolbox.run(
        [str(root)], ToolCall("1", tool, arguments, ""), trusted=[str(t) for t in trusted]
    )
    assert on_disk(root) == before
    return found.content


def on_disk(root: Path) -> dict[Path, tuple[int, ...]]:
    """All that changes when a file or folder is written, replaced or touched."""
    found = {path: path.lstat() for path in (root, *root.rglob("*"))}
    return {
        path: (about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        for path, about in found.items()
    }


async def same(root: Path, options: str = "", trusted: tuple[Path, ...] = (), **arguments: Any) -> str:
    """Our diff, which must equal git's."""
    ours = await use(root, "git_diff", trusted, **arguments)
    wanted = run(root, f"git {PLAIN} {options}").rstrip("\n") or "Nothing has changed."
    assert "\n".join(line for line in ours.splitlines() if not line.startswith("[")) == wanted
    return ours


def everyday(root: Path) -> None:
    change(root / "a.txt")
    change(root / "é ü.txt")
    (root / "src" / "b.py").unlink()
    (root / "new.txt").write_text("new\n")


def renamed(root: Path) -> None:
    run(root, "git mv src/b.py src/renamed.py && git mv a.txt 'with \"quotes\"\tand tab.txt'")
    change(root / "src" / "renamed.py")


def modes(root: Path) -> None:
    (root / "a.txt").chmod(0o755)
    (root / "src" / "b.py").unlink()
    (root / "src" / "b.py").symlink_to("c.py")


def no_modes(root: Path) -> None:
    run(root, "git config core.fileMode false")
    (root / "a.txt").chmod(0o755)
    change(root / "src" / "b.py")


def links(root: Path) -> None:
    (root / "link").symlink_to("a.txt")
    run(root, "git add link && git commit -qm link && rm link && ln -s src/c.py link")


def binary(root: Path) -> None:
    (root / "x.bin").write_bytes(bytes(range(256)) * 10)
    run(root, "git add x.bin && git commit -qm bin")
    (root / "x.bin").write_bytes(bytes(range(255, -1, -1)) * 10)


def packed(root: Path) -> None:
    run(root, "git gc -q && git pack-refs --all")
    everyday(root)


def with_remotes(root: Path) -> None:
    run(root, "git remote add origin https://example.org/x.git && git config branch.main.remote origin")
    run(
        root,
        "git config branch.main.merge refs/heads/main && git config user.name B && git config alias.d diff",
    )
    run(root, "git config 'url.git@example.org:.insteadOf' https://example.org/")
    everyday(root)


def many_lines(root: Path) -> None:
    run(root, "git config core.autocrlf true")
    path = root / "a.txt"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").replace(b"a.txt 7\r", b"seven\r"))


def line_ends_by_attributes(root: Path) -> None:
    (root / ".gitattributes").write_text("*.txt text eol=crlf\n")
    run(root, "git add .gitattributes && git commit -qm attributes")
    path = root / "a.txt"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").replace(b"a.txt 7\r", b"seven\r"))


def touched(root: Path) -> None:
    for path in root.rglob("*.*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (1_000_000_000, 1_000_000_000))


def index_of_version_4(root: Path) -> None:
    run(root, "git update-index --index-version 4")
    everyday(root)


def index_in_two_parts(root: Path) -> None:
    run(root, "git update-index --split-index")
    change(root / "src" / "c.py")
    run(root, "git add src/c.py")
    everyday(root)


def sparse(root: Path) -> None:
    run(root, "mkdir other && echo x > other/x && git add other && git commit -qm other")
    run(root, "git sparse-checkout set --cone --sparse-index src")
    change(root / "src" / "b.py")


def intended(root: Path) -> None:
    (root / "later.txt").write_text("later\n")
    run(root, "git add -N later.txt")


def attributes(root: Path) -> None:
    (root / ".gitattributes").write_text("*.py diff=python\n*.txt -text\n")
    everyday(root)


def ignored_files(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\nnode_modules/\n")
    (root / "node_modules").mkdir()
    (root / "node_modules" / "x.js").write_text("x")
    (root / "a.log").write_text("x")
    everyday(root)


SCENES: tuple[Callable[[Path], None], ...] = (
    everyday, renamed, modes, no_modes, links, binary, packed, with_remotes, many_lines,
    line_ends_by_attributes, touched, index_of_version_4, index_in_two_parts, sparse, intended,
    attributes, ignored_files,
)  # fmt: skip


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
async def test_a_difference_is_what_git_shows(root: Path, scene: Callable[[Path], None]) -> None:
    scene(root)
    await same(root)
    await same(root, "--cached", staged=True)
    await same(root, "HEAD", revision="HEAD")


async def test_part_of_a_repository_is_asked_for(root: Path) -> None:
    everyday(root)
    await same(root, "-- src", path="src")
    await same(root, "-- a.txt", path="a.txt")
    run(root, "git add -A && git commit -qm second")
    await same(root, "HEAD~1..HEAD", revision="HEAD~1..HEAD")
    await same(root, "HEAD~1 HEAD -- src", revision="HEAD~1..HEAD", path="src")
    await same(root, "HEAD~1", revision="HEAD~1")
    shown = await use(root, "git_show", revision="HEAD")
    assert "second" in shown
    assert "src/b.py" in shown
    assert await use(root, "git_show", revision="HEAD~1", path="src/b.py") == run(
        root, "git show HEAD~1:src/b.py"
    )
    assert "first" in await use(root, "git_show", revision="HEAD@{1}")


async def test_a_repository_with_longer_names_of_objects(tmp_path: Path) -> None:
    root = made(tmp_path / "root", "--object-format=sha256")
    everyday(root)
    await same(root)
    await same(root, "HEAD", revision="HEAD")
    assert "first" in await use(root, "git_show")


async def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    run(tmp_path, "git init -q . && git add a.txt")
    await same(tmp_path)
    await same(tmp_path, "--cached", staged=True)
    (tmp_path / "b.txt").write_text("b\n")
    assert await use(tmp_path, "git_diff") == "[New files, not yet tracked: b.txt]"


async def test_a_merge_that_is_not_done(root: Path) -> None:
    run(
        root,
        "git checkout -q -b other && echo theirs > a.txt && git commit -qam theirs && git checkout -q main",
    )
    run(root, "echo ours > a.txt && git commit -qam ours && git merge -q other || true")
    shown = await use(root, "git_diff")
    assert "+<<<<<<< HEAD" in shown
    assert "[Not merged yet: a.txt.]" in shown


async def test_files_that_a_filter_stores_otherwise_are_shown_as_on_disk(root: Path) -> None:
    """As with LFS: an untouched file has not changed, whatever its blob contains."""
    run(root, "git config filter.big.clean 'sed s/./p/' && git config filter.big.smudge cat")
    (root / ".gitattributes").write_text("*.big filter=big\n")
    (root / "x.big").write_text("large\n")
    run(root, "git add -A && git commit -qm big && touch .git/index")
    os.utime(root / "x.big", (1_000_000_000, 1_000_000_000))
    run(root, "git add -u && git update-index --refresh && touch .git/index")
    assert await use(root, "git_diff") == "Nothing has changed."
    (root / "x.big").write_text("other\n")
    assert "+other" in await use(root, "git_diff")


async def test_a_submodule_shows_its_commit(root: Path, tmp_path: Path) -> None:
    made(tmp_path / "library")
    run(root, f"git submodule --quiet add {tmp_path}/library library && git commit -qm library")
    assert await same(root) == "Nothing has changed."
    run(root / "library", "git commit -q --allow-empty -m more")
    shown = await same(root)
    assert "+Subproject commit" in shown
    (root / "library" / "new.txt").write_text("x")
    assert "library/new.txt" not in await same(root)
    change(root / "library" / "a.txt")
    assert "a.txt" in await same(root / "library", trusted=(root,)), "its git directory is in the other"
    assert "outside this chat's folders" in await use(root / "library", "git_diff")


async def test_a_linked_work_tree_inside_the_folder(root: Path) -> None:
    run(root, "git worktree add -q linked")
    change(root / "linked" / "a.txt")
    await same(root / "linked", trusted=(root,))
    said = await use(root / "linked", "git_diff")
    assert f"The git directory of this folder is {root}/.git/worktrees/linked" in said
    two = ToolCall("1", "git_diff", {}, "")
    found = await toolbox.run([str(root / "linked"), str(root)], two)
    assert "+changed" in found.content, "both are the chat's folders"


async def test_a_linked_work_tree_of_a_repository_elsewhere_is_refused(root: Path, tmp_path: Path) -> None:
    run(root, "git worktree add -q ../linked")
    assert "outside this chat's folders" in await use(tmp_path / "linked", "git_diff")
    assert "first" not in await use(tmp_path / "linked", "git_show")
    assert "first" in await use(tmp_path / "linked", "git_show", trusted=(tmp_path,))


async def test_a_shallow_clone(root: Path, tmp_path: Path) -> None:
    run(root, "git commit -q --allow-empty -m second && git commit -q --allow-empty -m third")
    run(tmp_path, f"git clone -q --depth 1 file://{root} shallow")
    change(tmp_path / "shallow" / "a.txt")
    await same(tmp_path / "shallow")
    assert "third" in await use(tmp_path / "shallow", "git_show")


async def test_a_clone_with_hard_links_and_one_that_borrows(root: Path, tmp_path: Path) -> None:
    """Hard-linked objects are read; those in another place are not, and the error says where they are."""
    run(tmp_path, "git clone -q root linked && git clone -q --shared root borrows")
    for name in ("linked", "borrows"):
        change(tmp_path / name / "a.txt")
    await same(tmp_path / "linked")
    said = await use(tmp_path / "borrows", "git_diff")
    assert said == f"The repository borrows objects from {root}/.git/objects, outside this chat's folders."
    call = ToolCall("1", "git_diff", {}, "")
    assert "+changed" in (await toolbox.run([str(tmp_path / "borrows"), str(root)], call)).content


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
async def test_a_repository_of_somebody_else(root: Path) -> None:
    everyday(root)
    wanted = run(root, f"git {PLAIN}").rstrip("\n")
    run(root, "chown -R 65534:65534 .")
    shown = await use(root, "git_diff")
    assert "+changed" in shown
    assert shown.splitlines()[0] == wanted.splitlines()[0]


def test_a_person_who_may_not_write_the_objects_sees_the_difference(root: Path, tmp_path: Path) -> None:
    """Git stores objects read-only. A file whose contents are in one of them is not stored again."""
    touched(root)
    change(root / "src" / "b.py")
    before = on_disk(root)
    private = tmp_path / "private"
    private.mkdir()
    task = {
        "do": "diff", "roots": [str(root)], "trusted": [], "private": str(private),
        "git": shutil.which("git"), "revision": "", "where": ".", "staged": False, "most": 100_000,
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-I", "-S", looker.__path__[0] + "/__main__.py"],
        input=json.dumps(task).encode(),
        capture_output=True,
        preexec_fn=obey_modes,
    )
    assert ran.stderr == b""
    assert on_disk(root) == before
    assert ran.stdout.decode().rstrip("\n") == run(root, f"git {PLAIN}").rstrip("\n")


def obey_modes() -> None:
    """From the next program on, the modes of files apply to root as to any other owner."""
    drop_from_bounding_set, overrides = 24, (1, 2)
    for capability in overrides:
        ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("git_diff", {}),
        ("git_show", {}),
        ("glob_search", {"pattern": "*"}),
        ("grep_search", {"pattern": "txt"}),
        ("read_file", {"path": "a.txt"}),
        ("list_directory", {}),
    ],
)
async def test_a_folder_that_was_replaced_with_a_link_is_not_shown(
    root: Path, tmp_path: Path, tool: str, arguments: Any
) -> None:
    everyday(root)
    root.rename(tmp_path / "elsewhere")
    root.symlink_to("elsewhere")
    call = ToolCall("1", tool, arguments, "")
    found = await toolbox.run([str(root)], call, trusted=[str(tmp_path)])
    assert "leads elsewhere" in found.content
    assert "a.txt" not in found.content


async def test_references_that_fill_the_disk_are_not_copied(root: Path) -> None:
    """A2"""
    (root / ".git/reftable").mkdir()
    for number in range(6):
        with (root / f".git/reftable/{number}.ref").open("wb") as file:
            file.truncate(63_000_000)
    assert "too large" in await use(root, "git_diff")
