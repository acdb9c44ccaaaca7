"""Who may come in: the owner's token, signed-in devices, one-time links.

Lives here: checking credentials, making and spending links, revoking. Lives
elsewhere: where credentials are read from a request (guard.py), counting
failures (attempts.py), rows (storage/access.py).
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import hmac
import logging
import os
import secrets
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from voxpilot.errors import NotFound, VoxPilotError
from voxpilot.storage import access
from voxpilot.storage.database import Database
from voxpilot.storage.rows import Device, Link
from voxpilot.web.attempts import Attempts

log = logging.getLogger("voxpilot.audit")
LINK_SECONDS = 600.0
FAILURES_PER_MINUTE = 10
UNUSED_SECONDS = 180 * 86400.0
"""A device that has not been seen for so long must sign in again."""
_TOUCH_SECONDS = 60.0
_SHORTEST_TOKEN = 32


class SignInFailed(VoxPilotError):
    code = "sign-in-failed"

    def __init__(self) -> None:
        super().__init__(
            "This link was used already or is too old.", "Run `voxpilot link` on the machine for a new one."
        )


class TooManyAttempts(VoxPilotError):
    code = "too-many-attempts"

    def __init__(self, wait_seconds: float) -> None:
        self.wait_seconds = ceil(wait_seconds)
        super().__init__("Too many failed attempts.", f"Wait {self.wait_seconds} seconds.")


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
        self._revoked: set[str] = set()
        self._failures = Attempts(FAILURES_PER_MINUTE)
        self._spending = asyncio.Lock()
        self.on_revoked: Callable[[str], None] = lambda device_id: None

    def by_token(self, token: str) -> Visitor | None:
        return Visitor(None) if hmac.compare_digest(_hash(token), self._token_hash) else None

    async def by_cookies(self, values: Iterable[str]) -> Visitor | None:
        """The device one of these belongs to; another server on this host may have set one of our name."""
        for value in values:
            device = self._devices.get(_hash(value))
            if device is not None and self._is_welcome(device):
                return Visitor(await self._seen(device))
        return None

    def is_revoked(self, device_id: str) -> bool:
        return device_id in self._revoked

    def devices(self) -> list[Device]:
        """Those that may come in, oldest first, and any whose revocation could not be stored."""
        known = [d for d in self._devices.values() if self._is_welcome(d) or self.is_revoked(d.id)]
        return sorted(known, key=lambda device: device.created_at)

    async def new_link(self) -> str:
        """A fresh one-time code."""
        code, now = secrets.token_urlsafe(24), time.time()
        await access.add_link(self._db, Link(code_hash=_hash(code), expires_at=now + LINK_SECONDS), now)
        return code

    async def sign_in(
        self, code: str, name: str, address: str, for_seconds: float | None = None
    ) -> tuple[Device, str]:
        """Spend a code; returns the device and the secret its cookie carries."""
        async with self._spending:
            if (wait_seconds := self._failures.wait_seconds(address)) > 0:
                raise TooManyAttempts(wait_seconds)
            now = time.time()
            link = await access.find_link(self._db, _hash(code))
            if link is None or link.used_at is not None or link.expires_at < now:
                self._failures.failed(address)
                raise SignInFailed
            secret = secrets.token_urlsafe(32)
            device = Device(
                id=uuid.uuid4().hex[:12],
                name=name,
                secret_hash=_hash(secret),
                created_at=now,
                last_used_at=now,
                expires_at=None if for_seconds is None else now + for_seconds,
            )
            await access.use_link(self._db, replace(link, used_at=now), device)
            self._devices[device.secret_hash] = device
        log.info("signed in: device=%s peer=%s", device.id, address)
        return device, secret

    async def revoke(self, device_id: str) -> None:
        """Forget a device and cut whatever it has open, at once and even where that cannot be stored."""
        device = next((d for d in self._devices.values() if d.id == device_id), None)
        if device is None:
            raise NotFound("There is no such device.", "It may be signed out already.")
        self._revoked.add(device.id)
        self.on_revoked(device.id)
        await access.remove(self._db, device)
        self._devices.pop(device.secret_hash, None)
        log.info("signed out: device=%s", device.id)

    def _is_welcome(self, device: Device) -> bool:
        now = time.time()
        is_over = device.expires_at is not None and device.expires_at <= now
        return device.id not in self._revoked and not is_over and now - device.last_used_at < UNUSED_SECONDS

    async def _seen(self, device: Device) -> Device:
        """Remember that it was here, now and then. Being unable to is no reason to send it away."""
        now = time.time()
        if now - device.last_used_at < _TOUCH_SECONDS:
            return device
        device = self._devices[device.secret_hash] = replace(device, last_used_at=now)
        try:
            await access.touch(self._db, device)
        except VoxPilotError as error:
            log.warning(
                "could not store when a device was last seen: device=%s why=%s", device.id, error.code
            )
        return device


async def open_access(db: Database, data_dir: Path) -> Access:
    return Access(db, owner_token(data_dir), await access.all_devices(db))


def owner_token(data_dir: Path) -> str:
    """The token of whoever can read the data directory; made at first use, private always."""
    path = data_dir / "token"
    if (token := _read_token(path)) is not None:
        return token
    with _alone_in(data_dir):
        if (token := _read_token(path)) is not None:
            return token  # somebody else made one meanwhile
        token = secrets.token_urlsafe(32)
        fresh = data_dir / "token.new"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(token + "\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        return token


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    fd = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _read_token(path: Path) -> str | None:
    """The token, if the file holds one. An empty file must never let an empty token in."""
    try:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        token = path.read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return None
    return token if token.isascii() and len(token) >= _SHORTEST_TOKEN else None


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
