"""A backup file is used only if it is complete, and errors say which file is meant."""

from __future__ import annotations

import errno
import os
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.directory import backup
from voxpilot.storage.directory.backup import BadBackup, unpack, write_backup


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with a running agent whose output is only in its journal."""
    folder = tmp_path / "data"
    (folder / "keepers" / "k-1").mkdir(parents=True)
    (folder / "keepers" / "k-1" / "journal-0").write_bytes(b"what the agent said")
    migrate(folder / "voxpilot.db")
    with closing(sqlite3.connect(folder / "voxpilot.db")) as db, db:
        db.execute(
            "INSERT INTO chats (id, title, workspace, mode, policy, created_at, updated_at, last_seq, "
            "crashes) VALUES ('c', '', '/w', 'agent', 'ask', 0, 0, 0, '[]')"
        )
        db.execute(
            "INSERT INTO agent_processes (id, chat_id, agent, state, offset, lines_out, requests, "
            "unreadable, slow, force, started_at) VALUES ('k-1', 'c', 'a', 'ready', 0, 0, 0, 0, 0, 0, 0)"
        )
    return folder


@pytest.fixture
def settings_file(tmp_path: Path) -> Path:
    (tmp_path / "config.toml").write_text("# nothing\n")
    return tmp_path / "config.toml"


@pytest.fixture
def whole(data: Path, settings_file: Path, tmp_path: Path) -> Path:
    write_backup(data, settings_file, tmp_path / "whole.tar")
    return tmp_path / "whole.tar"


def room(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_a_whole_backup_is_unpacked(whole: Path, tmp_path: Path) -> None:
    folder = room(tmp_path, "room")
    assert unpack(whole, folder)["chats"] == 1
    assert (folder / "keepers/k-1/journal-0").read_bytes() == b"what the agent said"
    assert {path.name for path in folder.iterdir()} == {"voxpilot.db", "keepers", "config.toml"}


def test_a_backup_that_was_cut_anywhere_is_refused(whole: Path, tmp_path: Path) -> None:
    """B3: the copy was interrupted, or the disk was full."""
    with tarfile.open(whole) as archive:
        members = archive.getmembers()
    edges = [
        edge for member in members for edge in (member.offset, member.offset_data, member.offset_data + 1)
    ]
    for number, edge in enumerate(edges):
        cut = tmp_path / "cut.tar"
        cut.write_bytes(whole.read_bytes()[:edge])
        with pytest.raises(BadBackup):
            unpack(cut, room(tmp_path, f"room-{number}"))


def test_a_backup_with_a_changed_or_missing_part_is_refused(whole: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.tar"
    changed.write_bytes(whole.read_bytes().replace(b"what the agent said", b"what nobody ever said"[:19]))
    with pytest.raises(BadBackup, match="damaged"):
        unpack(changed, room(tmp_path, "changed"))
    less = tmp_path / "less.tar"
    with tarfile.open(whole) as source, tarfile.open(less, "w") as target:
        for member in source.getmembers():
            if not member.name.startswith("keepers/"):
                target.addfile(member, source.extractfile(member))
    with pytest.raises(BadBackup, match="damaged"):
        unpack(less, room(tmp_path, "less"))


def test_the_file_has_its_name_only_when_it_is_complete(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, fill = tmp_path / "new.tar", backup._fill

    def watched(*given: object) -> object:
        assert not target.exists()
        made = fill(*given)  # type: ignore[arg-type]
        assert not target.exists()
        return made

    monkeypatch.setattr(backup, "_fill", watched)
    (tmp_path / "new.tar.part").write_text("left by a backup that was killed")
    write_backup(data, None, target)
    assert target.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob("*.part"))
    before = target.read_bytes()
    with pytest.raises(BadBackup, match="exists"):
        write_backup(data, None, target)
    assert target.read_bytes() == before


def test_a_source_that_cannot_be_read_is_named(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It used to be the data directory that was blamed."""
    folder = room(tmp_path, "room")
    with pytest.raises(BadBackup, match=r"missing\.tar does not exist"):
        unpack(tmp_path / "missing.tar", folder)
    with pytest.raises(BadBackup, match="room is a folder"):
        unpack(folder, folder)

    def refuse(*given: object, **more: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(backup, "_read", refuse)
    with pytest.raises(BadBackup, match=r"whole\.tar cannot be read: Input/output error"):
        unpack(whole, folder)
