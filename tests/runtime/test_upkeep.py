"""Recurring work continues, whatever fails once."""

from __future__ import annotations

import pytest

from tests.kit.memory.server import MemoryServer
from tests.kit.waiting import until

pytestmark = [pytest.mark.anyio, pytest.mark.in_memory]


async def test_settings_are_read_and_memory_is_freed_although_it_failed_once(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.supervisor is not None
    done = list[str]()

    def once_failing(name: str) -> None:
        done.append(name)
        if done.count(name) == 1:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(server.supervisor.services.live, "refresh", lambda: once_failing("refresh"))
    monkeypatch.setattr(server.supervisor._upkeep, "_relieve", lambda: once_failing("relieve"))
    await until(lambda: min(done.count("refresh"), done.count("relieve")) > 2, 30)
