"""Backups and rescued data are outside the data directory: otherwise they would be moved with its files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.directory.killed import contents, left_by_a_killed_server
from voxpilot.cli import keeping
from voxpilot.errors import VoxPilotError
from voxpilot.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return asyncio.run(left_by_a_killed_server(tmp_path)).parent


def by_link(folder: Path) -> Path:
    link = folder.with_name("link")
    link.symlink_to(folder / "keepers")
    return link


PLACES: dict[str, Callable[[Path], Path]] = {
    "in it": lambda folder: folder / "new",
    "itself": lambda folder: folder,
    "below": lambda folder: folder / "keepers" / "deep" / "new",
    "relative": lambda folder: Path(os.path.relpath(folder / "new")),
    "around": lambda folder: folder / ".." / "missing" / ".." / folder.name / "new",
    "link": lambda folder: by_link(folder) / "new",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("command", ["rescue", "rescue --apply", "backup"])
def test_a_target_inside_the_data_directory_is_refused(folder: Path, place: str, command: str) -> None:
    """Rescue used to move the rescued data aside together with the damaged files, and to fail then."""
    target = str(PLACES[place](folder))
    before, names = contents(folder), sorted(os.listdir(folder.parent))
    with pytest.raises(VoxPilotError, match="is inside the data directory"):
        run(command, folder, target)
    assert contents(folder) == before
    assert sorted(os.listdir(folder.parent)) == names


def run(command: str, folder: Path, target: str) -> None:
    if command == "backup":
        keeping.back_up(settings_for(folder), None, target, print)
    else:
        keeping.rescue(settings_for(folder), target, "--apply" in command, print)


def settings_for(folder: Path) -> Settings:
    return Settings.model_validate({"data_dir": folder, "work_dir": folder.with_name("work")})


def test_a_data_directory_that_is_a_link_is_recognised(folder: Path) -> None:
    link = folder.with_name("link")
    link.symlink_to(folder)
    with pytest.raises(VoxPilotError, match="is inside the data directory"):
        keeping.rescue(settings_for(link), str(folder / "new"), True, print)


def test_a_folder_that_contains_the_data_directory_is_refused(folder: Path) -> None:
    before = contents(folder.parent)
    with pytest.raises(VoxPilotError, match="cannot be created"):
        keeping.rescue(settings_for(folder), str(folder.parent), True, print)
    assert contents(folder.parent) == before


def test_a_backup_that_a_restore_would_move_is_refused(folder: Path, tmp_path: Path) -> None:
    settings = settings_for(folder)
    saved = tmp_path / "saved.tar"
    keeping.back_up(settings, None, str(saved), print)
    for inside, is_allowed in ((folder / "saved.tar", False), (folder / "backups" / "saved.tar", True)):
        inside.parent.mkdir(exist_ok=True)
        inside.write_bytes(saved.read_bytes())
        if is_allowed:
            keeping.restore(settings, str(inside), print)
            assert inside.exists()
            continue
        before = contents(folder)
        with pytest.raises(VoxPilotError, match="is inside the data directory"):
            keeping.restore(settings, str(inside), print)
        assert contents(folder) == before
