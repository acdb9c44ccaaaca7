"""Names of files that people attach."""

from __future__ import annotations

import time

import pytest

from voxpilot.storage.directory.uploads import LONGEST_NAME, safe_name


@pytest.mark.parametrize(
    ("given", "stored"),
    [("../../etc/passwd", "passwd"), ("a\\b.txt", "b.txt"), (".part", "part"), ("", "file"), ("x\ny", "x_y")],
)
def test_a_name_is_only_a_name(given: str, stored: str) -> None:
    """Whatever a page sends as a name."""
    assert safe_name(given) == stored


def test_a_long_name_is_cut_at_once() -> None:
    """A name of a megabyte takes no longer than others, and keeps its ending."""
    began = time.thread_time()
    found = safe_name("ä" * 200_000 + ".txt")
    assert time.thread_time() - began < 1
    assert found.endswith("ä.txt")
    assert len(found.encode()) <= LONGEST_NAME
