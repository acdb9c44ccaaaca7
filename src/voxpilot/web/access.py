"""Who may come in: the owner's token, signed-in devices, one-time links.

Lives here: checking credentials, making and spending links, revoking. Lives
elsewhere: where credentials are read from a request (guard.py), rows
(storage/access.py).
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import secrets
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from voxpilot.errors import NotFound, VoxPilotError
from voxpilot.storage import access
from voxpilot.storage.database import Database
from voxpilot.storage.rows import Device, Link

LINK_SECONDS = 600.0
FAILURES_PER_MINUTE = 10
_TOUCH_SECONDS = 60.0


class SignInFailed(VoxPilotError):
    code = "sign-in-failed"

    def __init__(self) -> None:
        super().__init__(
            "This link was used already or is too old.", "Run `voxpilot link` on the machine for a new one."
        )


class TooManyAttempts(VoxPilotError):
    code = "too-many-attempts"

    def __init__(self) -> None:
        super().__init__("Too many failed attempts.", "Wait a minute.")


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who showed valid credentials."""

    device: Device | None
    """None for the owner's token."""

    @property
    def name(self) -> str:
        return self.device.name if self.device else "a script"


class Access:
    def __init__(self, db: Database, token: str, devices: list[Device]) -> None:
        self._db = db
        self._token_hash = _hash(token)
        self._devices = {device.secret_hash: device for device in devices}
        self._failures: dict[str, deque[float]] = defaultdict(deque)
        self._spending = asyncio.Lock()
        self.on_revoked: Callable[[str], None] = lambda device_id: None

    def by_token(self, token: str) -> Visitor | None:
        return Visitor(None) if hmac.compare_digest(_hash(token), self._token_hash) else None

    async def by_cookie(self, secret: str) -> Visitor | None:
        device = self._devices.get(_hash(secret))
        if device is None:
            return None
        now = time.time()
        if now - device.last_used_at > _TOUCH_SECONDS:
            device = self._devices[device.secret_hash] = replace(device, last_used_at=now)
            await access.touch(self._db, device, now)
        return Visitor(device)

    def devices(self) -> list[Device]:
        return sorted(self._devices.values(), key=lambda device: device.created_at)

    async def new_link(self) -> str:
        """A fresh one-time code."""
        code = secrets.token_urlsafe(24)
        await access.add(self._db, Link(code_hash=_hash(code), expires_at=time.time() + LINK_SECONDS))
        return code

    async def sign_in(self, code: str, name: str, address: str) -> tuple[Device, str]:
        """Spend a code; returns the device and the secret its cookie carries."""
        self._slow_down(address)
        async with self._spending:
            now = time.time()
            link = await access.find_link(self._db, _hash(code))
            if link is None or link.used_at is not None or link.expires_at < now:
                self._failures[address].append(now)
                raise SignInFailed
            secret = secrets.token_urlsafe(32)
            device = Device(
                id=uuid.uuid4().hex[:12],
                name=name,
                secret_hash=_hash(secret),
                created_at=now,
                last_used_at=now,
            )
            await access.use_link(self._db, replace(link, used_at=now), device)
        self._devices[device.secret_hash] = device
        return device, secret

    async def revoke(self, device_id: str) -> None:
        """Forget a device and cut whatever it has open."""
        device = next((d for d in self._devices.values() if d.id == device_id), None)
        if device is None:
            raise NotFound("There is no such device.", "It may be signed out already.")
        del self._devices[device.secret_hash]
        await access.remove(self._db, device)
        self.on_revoked(device.id)

    def _slow_down(self, address: str) -> None:
        failures = self._failures[address]
        while failures and failures[0] < time.time() - 60:
            failures.popleft()
        if len(failures) >= FAILURES_PER_MINUTE:
            raise TooManyAttempts


async def open_access(db: Database, data_dir: Path) -> Access:
    return Access(db, owner_token(data_dir), await access.all_devices(db))


def owner_token(data_dir: Path) -> str:
    """The token of whoever can read the data directory; made at first use."""
    path = data_dir / "token"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        token = secrets.token_urlsafe(32)
        fresh = data_dir / f"token.{os.getpid()}"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(token + "\n")
        try:
            os.link(fresh, path)
        except FileExistsError:
            token = path.read_text().strip()
        fresh.unlink()
        return token


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
