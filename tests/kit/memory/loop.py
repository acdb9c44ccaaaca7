"""An event loop whose time passes only when nothing else is left to do.

Lives here: the loop and its clock. Work for threads is done at once, in the loop's own thread, so nothing
happens behind the back of a test and every run is the same. A test that sleeps for an hour takes no time; one
that waits for something that cannot happen any more fails immediately.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from voxpilot import threads

T = TypeVar("T")

TICK_SECONDS = 0.0001
"""How long each round of the loop takes, so that of two things that happen, one is the earlier."""
BEGINNING = 1000.0


class NothingLeft(AssertionError):
    """Every task waits, and nothing is due: the test would wait forever."""


class MemoryLoop(asyncio.SelectorEventLoop):
    """Give it to a runner as its `loop_factory`."""

    def __init__(self) -> None:
        self.now = BEGINNING
        super().__init__(_Leaps(self))

    def time(self) -> float:
        return self.now

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        done = self.create_future()

        def run() -> None:
            if done.cancelled():
                return
            try:
                result = func(*args)
            except Exception as error:
                done.set_exception(error)
            else:
                done.set_result(result)

        self.call_soon(run)
        return done


@contextmanager
def without_threads() -> Iterator[None]:
    """Looks at the disk that have threads of their own are taken at once, too."""
    before, threads._threads = threads._threads, _Inline()
    try:
        yield
    finally:
        threads._threads = before


class _Inline(threads.DaemonThreads):
    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        threads._run(future, lambda: fn(*args, **kwargs))
        return future


class _Leaps(selectors.DefaultSelector):
    """Has nothing to wait for: it moves the clock instead."""

    def __init__(self, loop: MemoryLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        self._loop.now += TICK_SECONDS
        if found or timeout == 0:
            return found
        if timeout is None:
            if self._loop.is_closed():
                return found
            raise NothingLeft("Every task waits for something that cannot happen any more.")
        self._loop.now += timeout
        return found
