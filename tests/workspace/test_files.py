"""Reading within limits, and writing that loses nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpilot.errors import NotFound
from voxpilot.workspace import files
from voxpilot.workspace.files import ChangedMeanwhile, look, part_of, read, write
from voxpilot.workspace.folder import PathRefused


@pytest.mark.parametrize(
    ("line", "limit", "shown"),
    [
        (None, None, "a\nb\r\n\nc"),
        (1, None, "a\nb\r\n\nc"),
        (0, 1, "a\n"),
        (2, 1, "b\r\n"),
        (2, 2, "b\r\n\n"),
        (4, 9, "c"),
        (5, None, ""),
        (99, 1, ""),
        (None, 0, ""),
        (None, 3, "a\nb\r\n\n"),
    ],
)
def test_lines_count_from_one(line: int | None, limit: int | None, shown: str) -> None:
    """R90"""
    assert part_of("a\nb\r\n\nc", line, limit) == shown


@given(st.text(alphabet="ab\n\r\x0b\x85\u2028", max_size=30))
def test_the_lines_of_a_text_are_the_text(text: str) -> None:
    """R90: only a line feed ends a line, and nothing is changed on the way."""
    pieces = [part_of(text, line, 1) for line in range(1, text.count("\n") + 2)]
    assert "".join(pieces) == text
    assert part_of(text, 1, len(text) + 1) == text


def test_what_is_read_is_what_is_there(root: Path) -> None:
    (root / "x").write_bytes("\ufeffgrüße\r\n".encode())
    found = read([str(root)], f"{root}/x")
    assert found.text == "\ufeffgrüße\r\n"
    assert look([str(root)], f"{root}/x") == found
    with pytest.raises(NotFound):
        read([str(root)], f"{root}/none")
    assert look([str(root)], f"{root}/none") is None
    assert look([str(root)], f"{root}/no/folder/yet") is None


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b", b"x" * (files.LARGEST_FILE + 1)])
def test_what_is_no_text_or_too_large_is_refused(root: Path, data: bytes) -> None:
    (root / "x").write_bytes(data)
    for touch in (read, look):
        with pytest.raises(PathRefused):
            touch([str(root)], f"{root}/x")


def test_a_file_is_made_with_the_folders_it_needs(root: Path) -> None:
    version = write([str(root)], f"{root}/a/b/c.txt", "new", None, "n")
    assert (root / "a" / "b" / "c.txt").read_text() == "new"
    assert read([str(root)], f"{root}/a/b/c.txt").version == version
    assert os.listdir(root / "a" / "b") == ["c.txt"]


def test_a_write_keeps_the_mode_and_is_never_half_done(root: Path) -> None:
    path = root / "run.sh"
    path.write_text("old")
    path.chmod(0o750)
    with path.open() as held:
        before = read([str(root)], str(path)).version
        write([str(root)], str(path), "new", before, "n")
        assert held.read() == "old"
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o750
    assert os.listdir(root) == ["run.sh"]


def test_a_write_that_was_cut_short_is_done_again_and_leaves_nothing_behind(root: Path) -> None:
    (root / "x").write_text("old")
    (root / ".n.voxpilot").write_text("half of wh")
    before = read([str(root)], f"{root}/x").version
    after = write([str(root)], f"{root}/x", "new", before, "n")
    assert write([str(root)], f"{root}/x", "new", before, "n") == after
    assert (root / "x").read_text() == "new"
    assert os.listdir(root) == ["x"]


def test_nobodys_change_is_written_over(root: Path) -> None:
    """F89"""
    path = f"{root}/x"
    (root / "x").write_text("old")
    before = read([str(root)], path).version
    (root / "x").write_text("by a person")
    with pytest.raises(ChangedMeanwhile):
        write([str(root)], path, "by an agent", before, "n")
    with pytest.raises(ChangedMeanwhile):
        write([str(root)], path, "by an agent", None, "n")
    (root / "x").unlink()
    with pytest.raises(ChangedMeanwhile):
        write([str(root)], path, "by an agent", before, "n")
    assert os.listdir(root) == []
