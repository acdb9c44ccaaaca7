"""Threads for calls that may never return, such as a look at a disk that does not respond or a write to a
suspended terminal.

Lives here: threads that nobody has to wait for, not even at exit, and the ways to look at a path of a person
or an agent: `look_at`, and `glance` for callers that must not block. Both limit how many looks may hang at
one disk. Lives elsewhere: what they call, which disk a path is on (mounts.py).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar

from voxpilot.errors import Invalid
from voxpilot.mounts import disks_on_the_way

P = ParamSpec("P")
T = TypeVar("T")
MOST_THREADS = 256
IDLE_SECONDS = 30.0
GLANCE_SECONDS = 0.3
"""How long a look at a disk may block everybody, once; while it hangs, nobody looks there again."""
LOOKS_AT_ONCE = 8
"""How many looks at one disk may run, or hang, at the same time."""
HUNG_SECONDS = 5.0
"""A disk is not responding if all its looks take longer than this."""


class DaemonThreads(ThreadPoolExecutor):
    """Runs each call immediately in its own thread, up to a limit; threads that hang are abandoned."""

    def __init__(self, most: int = MOST_THREADS) -> None:
        super().__init__(
            1
        )  # for callers that ask what kind of executor it is; its own threads are never started
        self._most = most
        self._calls: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._news = threading.Condition()
        self._count = 0
        self._waiting = 0

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        with self._news:
            if len(self._calls) >= self._waiting and self._count < self._most:
                # First, because it may fail. The call then does not wait for another thread, which may hang.
                threading.Thread(target=self._work, name="outside", daemon=True).start()
                self._count += 1
            self._calls.append((future, lambda: fn(*args, **kwargs)))
            self._news.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Does not wait for running calls."""

    def _work(self) -> None:
        while (found := self._next()) is not None:
            _run(*found)
            del found

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        with self._news:
            self._waiting += 1
            self._news.wait_for(lambda: self._calls, IDLE_SECONDS)
            self._waiting -= 1
            if self._calls:
                return self._calls.popleft()
            self._count -= 1
            return None


def _run(future: Future[Any], call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


_AGAIN_SECONDS = 5.0
_MOST_HANGING = 4
_threads = DaemonThreads()
_look_threads = DaemonThreads()
"""Separate from all other threads, so that nothing else waits for a disk that a person or an agent named."""
_looks: dict[frozenset[str], _Looks] = {}
"""By the disks they touch."""
_hanging: dict[Future[Any], str] = {}


class NotResponding(Invalid):
    """The disk with a path does not respond."""

    def __init__(self, path: str) -> None:
        super().__init__(f"The disk with {path} is not responding.", "Try again when it responds.")


async def look_at(paths: str | Iterable[str], work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of work that looks at paths of a person or an agent, all of which must be named here.

    It is done in a thread. A disk that hangs takes only a few threads: while they hang, NotResponding is
    raised immediately. Cancelling abandons the work.
    """
    named = [paths] if isinstance(paths, str) else list(paths)
    disks, path = frozenset[str](), "/"
    while True:
        looks = _looks.setdefault(disks, _Looks())
        await looks.room(path)
        try:
            return await looks.run(partial(_within, disks, named, partial(work, *args, **kwargs)))
        except _Elsewhere as elsewhere:  # nothing was touched there yet
            disks, path = disks | {elsewhere.disk}, elsewhere.path


class _Elsewhere(Exception):
    """A path leads to a disk that the look was not counted for."""

    def __init__(self, path: str, disk: str) -> None:
        self.path, self.disk = path, disk


def _within(disks: frozenset[str], paths: list[str], work: Callable[[], T]) -> T:
    for path in paths:
        for disk in disks_on_the_way(path):
            if disk not in disks:
                raise _Elsewhere(path, disk)
    return work()


class _Looks:
    """The looks that touch the same disks."""

    def __init__(self) -> None:
        self._running: dict[object, float] = {}
        """When each began."""
        self._waiting: set[asyncio.Event] = set()

    async def room(self, path: str) -> None:
        """Wait until one more may begin."""
        while len(self._running) >= LOOKS_AT_ONCE:
            left = max(self._running.copy().values(), default=0.0) + HUNG_SECONDS - time.monotonic()
            if left <= 0:
                raise NotResponding(path)
            ended = asyncio.Event()
            self._waiting.add(ended)
            try:
                async with asyncio.timeout(left):
                    await ended.wait()
            except TimeoutError:
                pass
            finally:
                self._waiting.discard(ended)

    async def run(self, work: Callable[[], T]) -> T:
        loop, look = asyncio.get_running_loop(), object()
        self._running[look] = time.monotonic()
        begun = False

        def run() -> T:
            nonlocal begun
            begun = True
            try:
                return work()
            finally:
                self._running.pop(look, None)
                with suppress(RuntimeError):  # nobody waits any more
                    loop.call_soon_threadsafe(self._tell)

        try:
            return await loop.run_in_executor(_look_threads, run)
        finally:
            if not begun:
                self._running.pop(look, None)

    def _tell(self) -> None:
        for ended in self._waiting:
            ended.set()


class Patience:
    """Waits this long for each call, and calls less often while earlier calls still hang. Thread-safe."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._hanging: list[Future[Any]] = []
        self._again_at = 0.0

    def call(self, work: Callable[[], T]) -> T:
        """The result of a call; TimeoutError if it takes too long, and the call is then abandoned."""
        self._hanging = [one for one in self._hanging if not one.done()]
        if self._hanging and (time.monotonic() < self._again_at or len(self._hanging) >= _MOST_HANGING):
            raise TimeoutError
        future = _threads.submit(work)
        try:
            return future.result(self._seconds)
        except TimeoutError:
            if not future.done():
                self._hanging.append(future)
                self._again_at = time.monotonic() + _AGAIN_SECONDS
            raise


def glance(
    path: str,
    work: Callable[[], T],
    otherwise: T,
    seconds: float = GLANCE_SECONDS,
    place: str | None = None,
) -> T:
    """Look at a path from code that must not block; `otherwise` if its disk does not respond.

    `place` names what is not looked at again while this look hangs; without one, the disk with the path.
    The more looks hang, the shorter the next one may take, so that many places cannot add up.
    """
    if place in _hanging.copy().values():
        return otherwise
    reached = [place or "/"]

    def look() -> T:
        for disk in () if place else disks_on_the_way(path):
            reached.append(disk)
            if disk in _hanging.copy().values():
                return otherwise
        return work()

    patience = seconds / (1 + len(_hanging))
    future = _threads.submit(look)
    try:
        return future.result(patience)
    except TimeoutError:
        if future.done():  # the disk itself reports a time-out
            raise
        _hanging[future] = reached[-1]
        future.add_done_callback(lambda done: _hanging.pop(done, None))
        return otherwise
