"""Waiting for a condition, with a time limit and a reason for the failure."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable

import anyio

from tests.kit.memory.loop import MemoryLoop

LOOK_EVERY_SECONDS = 0.01
LOOK_AT_LEAST_EVERY_SECONDS = 0.5
"""Where time costs nothing (tests/kit/memory/loop.py), looks do: the longer it takes, the rarer they are."""


async def until(
    condition: Callable[[], bool | Awaitable[bool]],
    within: float = 20.0,
    why: str | Callable[[], str] = "the condition did not come true",
) -> float:
    """Wait until the condition is true; returns how long that took, in seconds."""
    started = anyio.current_time()
    pause, longest = LOOK_EVERY_SECONDS, LOOK_EVERY_SECONDS
    if isinstance(asyncio.get_running_loop(), MemoryLoop):
        longest = LOOK_AT_LEAST_EVERY_SECONDS
    while True:
        holds = condition()
        if inspect.isawaitable(holds):
            holds = await holds
        passed = anyio.current_time() - started
        if holds:
            return passed
        if passed > within:
            raise AssertionError(f"{why if isinstance(why, str) else why()} (within {within} s)")
        await anyio.sleep(pause)
        pause = min(longest, pause * 1.2)
