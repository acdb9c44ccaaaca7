"""Which disks a path leads through."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from voxpilot.mounts import disks_on_the_way

MEMORY = "/dev/shm"
"""A disk of its own on every Linux."""

pytestmark = pytest.mark.skipif(not os.path.ismount(MEMORY), reason="needs a second disk")


def test_a_path_on_another_disk_names_it() -> None:
    assert disk(MEMORY) in disks_on_the_way(f"{MEMORY}/a/b")
    assert disk(MEMORY) in disks_on_the_way(f"/proc/../{MEMORY}/./a")
    assert disk(MEMORY) not in disks_on_the_way("/etc/passwd")


@pytest.mark.parametrize("target", [MEMORY, f"../../../../../../../../../../../..{MEMORY}"])
def test_a_link_leads_to_the_disk_behind_it(tmp_path: Path, target: str) -> None:
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "second").symlink_to(target)
    found = list(disks_on_the_way(f"{tmp_path}/first/a"))
    assert found == [*disks_on_the_way(str(tmp_path)), *disks_on_the_way(MEMORY)]
    assert found[-1] == disk(MEMORY)


def test_links_that_lead_nowhere_end(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    before = list(disks_on_the_way(str(tmp_path)))
    for path in ("circle/a", "missing/a", "a\0b", "\udcff", "a/" * 100_000):
        assert list(disks_on_the_way(f"{tmp_path}/{path}")) == before


def test_a_name_with_a_space_is_found_in_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("1 0 8:1 / / rw - ext4 a rw\n2 1 8:2 / /mnt/my\\040disk rw - nfs b rw\n")
    monkeypatch.setattr("voxpilot.mounts._TABLE", str(table))
    assert list(disks_on_the_way("/mnt/my disk/a")) == ["8:2"]
    assert list(disks_on_the_way("/mnt/my")) == []
    monkeypatch.setattr("voxpilot.mounts._TABLE", str(tmp_path / "none"))
    assert list(disks_on_the_way("/mnt/my disk/a/b/c")) == ["/mnt/my disk/a"]


def disk(path: str) -> str:
    number = os.stat(path).st_dev
    return f"{os.major(number)}:{os.minor(number)}"
