"""`voxpilot backup`, `restore` and `rescue`: saving the data directory, and getting it back.

Lives here: the commands, and making sure that no server or agent runs while the data directory is replaced.
Lives elsewhere: the work (storage/directory/backup.py, storage/rescue/).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from voxpilot.agents.wire.journal_text import text_after
from voxpilot.errors import VoxPilotError
from voxpilot.keeper.reaching import is_kept
from voxpilot.settings import Settings
from voxpilot.storage.directory import backup, data_dir
from voxpilot.storage.directory.rescue import rebuild

Say = Callable[[str], None]


class AgentsRunning(VoxPilotError):
    """The data directory cannot be replaced while agents use it."""

    code = "agents-running"


def back_up(settings: Settings, settings_file: Path | None, target: str | None, say: Say) -> int:
    name = target or f"voxpilot-{time.strftime('%Y%m%d-%H%M%S')}.tar"
    made = backup.write_backup(settings.data_dir, settings_file, Path(name).absolute())
    held = f"{_count(made['chats'], 'chat')} with {_count(made['events'], 'event')}"
    say(f"Saved {held} to {Path(name).absolute()}.")
    say("It contains all conversations and your settings, including keys. Keep it private.")
    return 0


def restore(settings: Settings, source: str, say: Say) -> int:
    folder = settings.data_dir
    data_dir.prepare(folder)
    with data_dir.alone(folder):
        _refuse_agents(folder)
        backup.check_source(Path(source).absolute(), folder)
        with _room(folder) as room:
            found = backup.unpack(Path(source).absolute(), room)
            (room / backup.SETTINGS).unlink(missing_ok=True)
            aside = backup.set_aside(folder, "before-restore")
            backup.move_in(room, folder)
    say(f"Restored {_count(found['chats'], 'chat')} with {_count(found['events'], 'event')}.")
    say(f"The previous data is in {aside}.")
    say("Your settings file was not changed; the one from the backup is config.toml in its archive.")
    return 0


def rescue(settings: Settings, into: str | None, apply: bool, say: Say) -> int:
    folder = settings.data_dir
    if not folder.is_dir():
        raise data_dir.BadDataDir(
            f"The data directory {folder} does not exist.", "Set VOXPILOT_DATA_DIR to use another directory."
        )
    # Resolved, because creating `missing/../new` would create `missing` too.
    target = (
        Path(os.path.realpath(into))
        if into
        else folder.with_name(f"{folder.name}-rescued-{time.strftime('%Y%m%d-%H%M%S')}")
    )
    if data_dir.is_inside(target, folder):
        raise data_dir.BadDataDir(
            f"{target} is inside the data directory {folder}, whose files rescue may have to move.",
            "Choose another folder with --into.",
        )
    with data_dir.alone(folder):
        try:
            target.mkdir(mode=0o700, parents=True)
        except OSError as error:
            raise data_dir.BadDataDir(
                f"{target} cannot be created: {error.strerror}.", "Choose another folder with --into."
            ) from error
        try:
            done = rebuild.rescue(folder, target, text_after)
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)  # half of it is useless, and the disk may be full
            raise
        _tell(done, say)
        if not apply:
            say(f"The damaged data directory is unchanged. The new one is {target}:")
            say("set VOXPILOT_DATA_DIR to inspect it, or run `voxpilot rescue --apply` to use it.")
            return 0
        if not done.can_continue:
            _refuse_agents(folder)
        kept = frozenset({"keepers"}) if done.can_continue else frozenset[str]()
        aside = backup.set_aside(folder, "before-rescue", kept)
        backup.move_in(target, folder)
        shutil.rmtree(target, ignore_errors=True)
    say(f"The rescued data is in place, and the server can be started. The damaged files are in {aside}.")
    return 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _tell(done: rebuild.Rescued, say: Say) -> None:
    for chat, report in done.chats.items():
        lost = f", {report.missing} missing" if report.missing else ""
        say(f"{chat}  {_count(report.events, 'event')}{lost}  {report.title}")
    events = sum(report.events for report in done.chats.values())
    missing = sum(report.missing for report in done.chats.values())
    say(f"Rescued {_count(len(done.chats), 'chat')} with {_count(events, 'event')}.")
    say(f"{_count(missing, 'event')} could not be read.")
    if done.damaged:
        say(f"Damaged tables: {', '.join(sorted(done.damaged))}.")
    if done.lost_changes:
        last = "change" if done.lost_changes == 1 else _count(done.lost_changes, "change")
        say(f"The last {last} could not be recovered.")
    if not done.can_continue:
        say("Work in progress was stopped because parts of its state are lost.")


@contextmanager
def _room(folder: Path) -> Iterator[Path]:
    """A new folder on the same disk, so that its contents can be moved."""
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder, ignore_cleanup_errors=True) as room:
        yield Path(room)


def running_agents(folder: Path) -> list[str]:
    keepers = folder / "keepers"
    return [path.name for path in keepers.iterdir() if is_kept(path)] if keepers.is_dir() else []


def _refuse_agents(folder: Path) -> None:
    if running := running_agents(folder):
        raise AgentsRunning(
            f"{len(running)} agent{'s are' if len(running) > 1 else ' is'} still running in {folder}.",
            "Run `voxpilot stop` first. It stops them and saves their output.",
        )
