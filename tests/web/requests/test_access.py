"""Who may use the server, when the disk is full and as time passes."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from tests.kit.machine.clock import FakeClock
from voxpilot.errors import NotFound, StorageFull
from voxpilot.storage.database.device_rows import Device
from voxpilot.storage.database.sqlite import Batch, Database
from voxpilot.web.door.access import Access, _hash
from voxpilot.web.door.rate_limit import Attempts


class FakeDatabase:
    """Accepts writes, or is full."""

    def __init__(self) -> None:
        self.is_full = False
        self.written: list[Any] = []

    async def commit(self, batch: Batch) -> None:
        if self.is_full:
            raise StorageFull
        self.written += batch.statements


def device(name: str, last_used_at: float) -> Device:
    return Device(
        id=name,
        name=name,
        secret_hash=_hash(name),
        key_hash=_hash("key"),
        created_at=1.0,
        last_used_at=last_used_at,
    )


def access_with(database: FakeDatabase, *devices: Device) -> Access:
    return Access(cast(Database, database), "t" * 43, list(devices))


async def test_a_full_disk_sends_nobody_away() -> None:
    database = FakeDatabase()
    access = access_with(database, device("phone", time.time() - 3600))
    database.is_full = True
    visitor = await access.by_secrets(["phone"], "key")
    assert visitor is not None
    assert visitor.name == "phone"


async def test_that_it_was_here_is_written_once_a_minute() -> None:
    database = FakeDatabase()
    access = access_with(database, device("phone", time.time() - 3600))
    for _ in range(10):
        assert await access.by_secrets(["phone"], "key")
    assert len(database.written) == 1


async def test_a_device_is_cut_off_at_once_even_where_that_cannot_be_stored() -> None:
    """And it stays on the list, so that the revocation can be stored once there is space."""
    database = FakeDatabase()
    access = access_with(database, device("phone", time.time()), device("desk", time.time()))
    cut: list[str] = []
    access.on_revoked = cut.append
    database.is_full = True
    with pytest.raises(StorageFull):
        await access.revoke("phone")
    assert cut == ["phone"]
    assert access.is_revoked("phone")
    assert await access.by_secrets(["phone"], "key") is None
    assert await access.by_secrets(["phone", "desk"], "key") is not None
    assert [known.id for known in access.devices()] == ["phone", "desk"]
    database.is_full = False
    await access.revoke("phone")
    assert [known.id for known in access.devices()] == ["desk"]
    with pytest.raises(NotFound):
        await access.revoke("phone")


def test_failures_are_forgotten_after_a_minute() -> None:
    clock = FakeClock()
    attempts = Attempts(3, clock)
    for _ in range(3):
        assert attempts.wait_seconds("here") == 0
        attempts.failed("here")
        clock.advance(10)
    assert attempts.wait_seconds("here") == 30
    assert attempts.wait_seconds("there") == 0
    clock.advance(30)
    assert attempts.wait_seconds("here") == 0
    attempts.failed("here")
    assert attempts.wait_seconds("here") == 10


def test_however_many_addresses_fail_few_are_held() -> None:
    attempts = Attempts(3, FakeClock())
    for number in range(30_000):
        attempts.failed(f"address {number}")
    assert len(attempts._failures) <= 10_000
    assert attempts.wait_seconds("address 29999") == 0
