"""A keeper to test: real processes, started as the server starts them, none left at the end."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.waiting import until
from voxpilot.keeper.reaching import is_kept

from .kept import Kept, start_kept

Keep = Callable[..., Awaitable[Kept]]


@pytest.fixture
async def keep(place: Path) -> AsyncIterator[Keep]:
    """Start a keeper: `await keep("python code of an agent")` or `await keep(["a", "command"])`."""
    everything: list[Kept] = []

    async def start(agent: str | list[str], directory: Path | None = None, **spec: Any) -> Kept:
        argv = [sys.executable, "-I", "-S", "-c", agent] if isinstance(agent, str) else agent
        kept = await start_kept(directory or place / f"keeper{len(everything)}", argv, place, **spec)
        everything.append(kept)
        return kept

    yield start
    for kept in everything:
        kept.attachment.kill()
        await kept.attachment.close()
        await until(lambda kept=kept: not is_kept(kept.directory), 10, "the keeper stays")  # type: ignore[misc]
