"""One server for the tests of each module here."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.web.house import House, open_house


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def house(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with open_house(tmp_path_factory.mktemp("house")) as house:
        yield house
