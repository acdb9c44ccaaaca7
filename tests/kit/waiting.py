"""Waiting for the thing itself, with a limit and a reason."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable

import anyio

LOOK_EVERY_SECONDS = 0.01


async def until(
    condition: Callable[[], bool | Awaitable[bool]],
    within: float = 5.0,
    why: str | Callable[[], str] = "the condition did not come true",
) -> float:
    """Wait until the condition holds and return how long that took, in seconds."""
    started = time.monotonic()
    while True:
        holds = condition()
        if inspect.isawaitable(holds):
            holds = await holds
        passed = time.monotonic() - started
        if holds:
            return passed
        if passed > within:
            raise AssertionError(f"{why if isinstance(why, str) else why()} (within {within} s)")
        await anyio.sleep(LOOK_EVERY_SECONDS)
