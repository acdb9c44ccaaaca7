"""A keeper to test: real processes, started as the server starts them, none left at the end."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.keeper.kept import Kept, start_kept
from tests.kit.machine.processes import is_alive
from tests.kit.machine.sandboxes import sandbox_fields, sandbox_for
from tests.kit.waiting import until
from voxpilot.keeper.reaching import is_kept

Keep = Callable[..., Awaitable[Kept]]


@pytest.fixture
def sandbox(request: pytest.FixtureRequest, place: Path) -> Mapping[str, Any] | None:
    """The sandbox for the agents of `keep`: none, unless the test uses `in_every_sandbox`."""
    kind = getattr(request, "param", "off")
    return None if kind == "off" else sandbox_fields(sandbox_for(place, kind))


@pytest.fixture
async def keep(place: Path, sandbox: Mapping[str, Any] | None) -> AsyncIterator[Keep]:
    """Start a keeper: `await keep("python code of an agent")` or `await keep(["a", "command"])`."""
    everything: list[Kept] = []

    async def start(agent: str | list[str], directory: Path | None = None, **spec: Any) -> Kept:
        argv = [sys.executable, "-I", "-S", "-c", agent] if isinstance(agent, str) else agent
        spec = {"sandbox": sandbox, **spec}
        kept = await start_kept(directory or place / f"keeper{len(everything)}", argv, place, **spec)
        everything.append(kept)
        return kept

    yield start
    for kept in everything:
        kept.attachment.kill()
        await kept.attachment.close()
        await until(lambda kept=kept: _is_gone(kept), 10, "the keeper stays")  # type: ignore[misc]


def _is_gone(kept: Kept) -> bool:
    """Its lock is released before it exits, or its disk may be gone before it."""
    return not is_kept(kept.directory) and not is_alive(kept.keeper)
