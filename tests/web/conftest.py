"""One server for the tests of each module here."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.kit.servers.shared_server import SharedServer, open_shared_server


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def shared_server(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[SharedServer]:
    async with open_shared_server(tmp_path_factory.mktemp("shared_server")) as shared_server:
        yield shared_server
