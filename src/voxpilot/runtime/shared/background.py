"""Tasks that run alongside their owner and never outlive it.

Lives here: the only place in `runtime/` that creates tasks. Lives elsewhere: what they do.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from types import TracebackType
from typing import Any

log = logging.getLogger(__name__)


class Background:
    """Use as `async with`, or call `end` when the owner ends: all tasks are cancelled and waited for.

    Unlike in a task group, a task that fails does not cancel the others: its error is logged, unless somebody
    waits for the task.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        """For the log."""
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], *, is_awaited: bool = False) -> asyncio.Task[None]:
        """Run it until it is done. With `is_awaited` the caller waits for it and gets its failure."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if is_awaited:
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        else:
            task.add_done_callback(self._log_failure)
        return task

    async def wait(self) -> None:
        """Wait until all tasks that are running now have finished, successfully or not."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self.wait()

    async def __aenter__(self) -> Background:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.end()

    def _log_failure(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task of %s failed", self._owner, exc_info=error)
