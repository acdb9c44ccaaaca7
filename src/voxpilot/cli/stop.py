"""`voxpilot stop`: stops the server and every agent.

Lives here: asking the server to stop, and ending agents that have no server. Lives elsewhere: how a server
stops (web/serving.py), how a keeper does (keeper/). The agents' output stays where it is, for the next start
to read.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from voxpilot.cli.server import STOP_SECONDS, ServerFailed
from voxpilot.keeper.attach import Attachment, attach
from voxpilot.keeper.reaching import KeeperFailed, KeeperGone, is_kept
from voxpilot.keeper.sweep import end_tree
from voxpilot.settings import Settings
from voxpilot.storage.directory import data_dir, server_process

GENTLE_SECONDS = 6.0
KEEPER_SECONDS = 12.0
_LOOK_EVERY_SECONDS = 0.05


def stop(settings: Settings, say: Callable[[str], None]) -> int:
    pid = _end_server(settings.data_dir)
    say("No server was running." if pid is None else f"Stopped the server (pid {pid}).")
    ended = _end_what_is_left(settings)
    if ended:
        say(f"Stopped {ended} agent{'s' if ended > 1 else ''} running without a server.")
    return 0


def _end_server(folder: Path) -> int | None:
    """Ask the server to stop with its agents and wait for it; its pid, or None if there was none."""
    deadline = time.monotonic() + STOP_SECONDS
    while (told := data_dir.running_server(folder)) is not None:
        if told and _end_process(told, folder):
            return int(told["pid"])
        # A server that has just taken the lock may not have written its pid yet.
        if time.monotonic() > deadline:
            raise ServerFailed(
                f"{folder} is in use by another command.", "Wait until it has finished, then try again."
            )
        time.sleep(_LOOK_EVERY_SECONDS)
    return None


def _end_process(told: server_process.Facts, folder: Path) -> bool:
    """Whether the server could be asked; then it has stopped."""
    pid = told["pid"]
    if server_process.is_elsewhere(told):
        raise ServerFailed(
            f"The server runs in another container or on another machine (pid {pid} there).", "Stop it there."
        )
    with server_process.found(told) as process:
        if process is None:
            return False
        try:
            process.signal(signal.SIGINT)
        except ProcessLookupError:
            return False
        except OSError as error:
            raise ServerFailed(
                f"The server (pid {pid}) cannot be stopped: {error.strerror}.",
                "Run the command as the user who started the server.",
            ) from error
        if not _is_gone(process, told, folder):
            raise ServerFailed(
                f"The server (pid {pid}) did not stop within {STOP_SECONDS:.0f} s.",
                "Run `voxpilot stop` again to stop it immediately.",
            )
    return True


def _is_gone(process: server_process.Process, told: server_process.Facts, folder: Path) -> bool:
    if (is_gone := process.is_gone(STOP_SECONDS)) is not None:
        return is_gone
    deadline = time.monotonic() + STOP_SECONDS
    while (data_dir.running_server(folder) or {}).get("pid") == told["pid"]:
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_EVERY_SECONDS)
    return True


def _end_what_is_left(settings: Settings) -> int:
    """End agents whose server is gone; how many there were."""
    folders = list(settings.keepers.iterdir()) if settings.keepers.is_dir() else []
    if not folders:
        return 0
    try:
        with data_dir.alone(settings.data_dir):  # no server may start and rely on them meanwhile
            return asyncio.run(_end_all(folders))
    except data_dir.AlreadyRunning:
        return 0  # a new server is already running and owns them


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
