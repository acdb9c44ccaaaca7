"""`voxpilot stop`: ends the server and every agent.

Lives here: asking the server to go, and ending agents that no server is there
to end. Lives elsewhere: how a server leaves (web/server.py), how a keeper does
(keeper/). What agents said stays where it is, for the next start to read.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from voxpilot.cli.server import STOP_SECONDS, ServerFailed
from voxpilot.keeper.attach import Attachment, attach
from voxpilot.keeper.reaching import KeeperFailed, KeeperGone, is_kept
from voxpilot.keeper.sweep import end_tree
from voxpilot.settings import Settings
from voxpilot.storage import data_dir

GENTLE_SECONDS = 6.0
KEEPER_SECONDS = 12.0
_LOOK_EVERY_SECONDS = 0.05


def stop(settings: Settings, say: Callable[[str], None]) -> int:
    pid = _end_server(settings.data_dir)
    say("No server was running." if pid is None else f"Stopped the server (pid {pid}).")
    ended = _end_what_is_left(settings)
    if ended:
        say(f"Ended {ended} agent{'s' if ended > 1 else ''} left without a server.")
    return 0


def _end_server(folder: Path) -> int | None:
    """Ask the server to leave with its agents and wait until it has; its pid, None if there was none."""
    asked: int | None = None
    deadline = time.monotonic() + STOP_SECONDS
    while (told := data_dir.running_server(folder)) is not None:
        # One that has just taken the lock may not have said who it is.
        if asked is None and isinstance(told.get("pid"), int):
            asked = int(told["pid"])
            with suppress(ProcessLookupError):
                os.kill(asked, signal.SIGINT)
        if time.monotonic() > deadline:
            raise ServerFailed(
                f"The server (pid {asked}) has not ended within {STOP_SECONDS:.0f} s.",
                "Try again; a second stop makes it leave at once.",
            )
        time.sleep(_LOOK_EVERY_SECONDS)
    if asked is not None:
        _wait_for_exit(asked)
    return asked


def _wait_for_exit(pid: int) -> None:
    """It has let go of everything; a moment later it is gone. Where the system cannot tell, that must do."""
    if sys.platform != "linux":
        return
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    select.select([process], [], [], STOP_SECONDS)
    os.close(process)


def _end_what_is_left(settings: Settings) -> int:
    """End agents whose server is gone; how many there were."""
    folders = list(settings.keepers.iterdir()) if settings.keepers.is_dir() else []
    if not folders:
        return 0
    try:
        with data_dir.held(settings.data_dir):  # no server may start and count on them meanwhile
            return asyncio.run(_end_all(folders))
    except data_dir.AlreadyRunning:
        return 0  # a new server is there already, and they are its own


async def _end_all(folders: list[Path]) -> int:
    return sum(await asyncio.gather(*map(_end_keeper, folders)))


async def _end_keeper(folder: Path) -> bool:
    """Whether anything ran there. Its journal stays: the next server reads how it ended."""
    was_kept = is_kept(folder)
    with suppress(TimeoutError, KeeperFailed):
        async with asyncio.timeout(KEEPER_SECONDS):
            while is_kept(folder):
                await _ask_to_leave(folder)
    return bool(await asyncio.to_thread(end_tree, folder)) or was_kept


async def _ask_to_leave(folder: Path) -> None:
    try:
        attachment = await attach(folder)
    except KeeperGone:
        await asyncio.sleep(_LOOK_EVERY_SECONDS)
        return
    try:
        attachment.stop()
        try:
            async with asyncio.timeout(GENTLE_SECONDS):
                await _gone(attachment)
        except TimeoutError:
            attachment.kill()
            await _gone(attachment)
    finally:
        await attachment.close()


async def _gone(attachment: Attachment) -> None:
    while await attachment.grown_past(attachment.end):
        pass
