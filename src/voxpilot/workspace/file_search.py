"""Files of a folder by a few letters of their paths, while a person types.

Lives here: one program for each folder that is searched, which holds its index, so that searching delays
nobody else; ending those that are not used. Lives elsewhere: the program (looker/finding.py).
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from voxpilot.errors import VoxPilotError

MOST_FOLDERS = 3
"""At most so many indexes are held at once."""
IDLE_SECONDS = 120.0
SECONDS = 5.0
"""How long one answer may take."""
_LONGEST_ANSWER = 1_000_000
_PROGRAM = Path(__file__).parent / "looker" / "__main__.py"


class FileSearch:
    """Call `close` at the end."""

    def __init__(self) -> None:
        self._finders: dict[str, _Finder] = {}

    async def search(
        self, folder: str, query: str, limit: int, recent: Sequence[str], trusted: Sequence[str]
    ) -> dict[str, Any]:
        """The files and folders that fit best, how many there are, and whether all were read."""
        finder = self._finders.pop(folder, None)
        if finder is None or not finder.is_alive:
            finder = _Finder(folder, trusted)
        self._finders[folder] = finder  # the newest is the last
        await self._make_room()
        try:
            return await finder.ask({"q": query, "limit": limit, "recent": list(recent)})
        except (TimeoutError, OSError, ValueError) as error:
            await finder.close()
            raise VoxPilotError("The files could not be searched.", "Try again.") from error

    async def close(self) -> None:
        for finder in list(self._finders.values()):
            await finder.close()
        self._finders.clear()

    def drop_idle(self) -> None:
        """End the programs that nobody has asked for a while."""
        for folder, finder in list(self._finders.items()):
            if time.monotonic() - finder.used_at > IDLE_SECONDS:
                del self._finders[folder]
                finder.end()

    async def _make_room(self) -> None:
        while len(self._finders) > MOST_FOLDERS:
            await self._finders.pop(next(iter(self._finders))).close()


class _Finder:
    def __init__(self, folder: str, trusted: Sequence[str]) -> None:
        self._given = {"roots": [folder], "trusted": list(trusted)}
        self._child: asyncio.subprocess.Process | None = None
        self._one_by_one = asyncio.Lock()
        self._is_closed = False
        self._unanswered = 0
        """Questions whose answers were not read; who asked may be gone."""
        self.used_at = time.monotonic()

    @property
    def is_alive(self) -> bool:
        return not self._is_closed and (self._child is None or self._child.returncode is None)

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        async with asyncio.timeout(SECONDS), self._one_by_one:
            self.used_at = time.monotonic()
            if self._child is None:
                self._child = await self._start()
                await self._write(self._given)
            self._unanswered += 1
            await self._write(question)
            assert self._child.stdout is not None
            line = b""
            while self._unanswered:  # the last one is the answer to this question
                line = await self._child.stdout.readline()
                self._unanswered -= 1
            answer: dict[str, Any] = json.loads(line)
            return answer

    def end(self) -> None:
        self._is_closed = True
        if self._child is not None and self._child.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)

    async def close(self) -> None:
        """End it, and wait until it is gone; not forever, because it may wait for a disk."""
        self.end()
        if self._child is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._child.wait()

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", str(_PROGRAM), "find"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd="/",
            env={"LC_ALL": "C.UTF-8"},
            limit=_LONGEST_ANSWER,
            start_new_session=True,
        )

    async def _write(self, value: dict[str, Any]) -> None:
        assert self._child is not None
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(value).encode() + b"\n")
        await self._child.stdin.drain()
