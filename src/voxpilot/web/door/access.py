"""Who may use the server: the owner's token, signed-in devices, one-time links.

A device is *confirmed* if it is the first one, if it
used the link printed at the start or one that a confirmed device made, or if a
confirmed device confirms it. While there is a confirmed device, only confirmed devices may loosen security,
because programs of the same user can read the token and create links. Lives here: checking credentials,
creating and using links, confirming, revoking. Lives elsewhere: where credentials are read from a request
(guard.py), what loosens (loosening.py), counting failures (rate_limit.py), rows
(storage/across_chats/access.py).
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import hmac
import logging
import os
import secrets
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import NoReturn

from voxpilot.errors import NotFound, VoxPilotError
from voxpilot.runtime.shared.clock import Clock
from voxpilot.storage.across_chats import access
from voxpilot.storage.database.device_rows import Device, SignInLink
from voxpilot.storage.database.sqlite import Database
from voxpilot.storage.directory import private
from voxpilot.values import dataclass
from voxpilot.web.door.rate_limit import Attempts

log = logging.getLogger("voxpilot.audit")
LINK_SECONDS = 600.0
FAILURES_PER_MINUTE = 10
UNUSED_SECONDS = 180 * 86400.0
"""A device that has not been seen for this long must sign in again."""
_TOUCH_SECONDS = 60.0
_SHORTEST_TOKEN = 32


class SignInFailed(VoxPilotError):
    code = "sign-in-failed"

    def __init__(self) -> None:
        super().__init__(
            "This link was already used or has expired.",
            "Run `voxpilot link` on the machine that runs VoxPilot to get a new one.",
        )


class TooManyAttempts(VoxPilotError):
    code = "too-many-attempts"

    def __init__(self, wait_seconds: float) -> None:
        self.wait_seconds = ceil(wait_seconds)
        super().__init__("Too many failed attempts.", f"Wait {self.wait_seconds} seconds.")


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody with valid credentials."""

    device: Device | None
    """None for the owner's token."""

    @property
    def name(self) -> str:
        return self.device.name if self.device else "a script"


class Access:
    def __init__(self, db: Database, token: str, devices: list[Device], clock: Clock | None = None) -> None:
        self._db = db
        self.clock = clock or Clock()
        now = self.clock.now()
        devices = [_within_limits(device, now) for device in devices]
        self._token_hash = _hash(token)
        self._devices = {device.secret_hash: device for device in devices}
        self._revoked: set[str] = set()
        self._failures = Attempts(FAILURES_PER_MINUTE)
        self._spending = asyncio.Lock()
        self.on_revoked: Callable[[str], None] = lambda device_id: None

    def by_token(self, token: str) -> Visitor | None:
        return Visitor(None) if hmac.compare_digest(_hash(token), self._token_hash) else None

    async def by_secrets(self, cookies: Iterable[str], key: str | None) -> Visitor | None:
        """The device that has one of these cookies and this key.

        Another server on this host may have set a cookie with our name, and also receives ours.
        """
        for cookie in cookies if key is not None else ():
            device = self._devices.get(_hash(cookie))
            if device is not None and self._is_welcome(device) and _fits(device, key or ""):
                return Visitor(await self._seen(device))
        return None

    def is_outdated(self, cookies: Iterable[str]) -> bool:
        """Whether a cookie belongs to a device that signed in before there were keys."""
        found = [self._devices.get(_hash(cookie)) for cookie in cookies]
        return any(device is not None and device.key_hash is None for device in found)

    def may_loosen(self, visitor: Visitor) -> bool:
        """Whether this visitor may loosen security."""
        is_confirmed = visitor.device is not None and visitor.device.confirmed
        return is_confirmed or not self.has_confirmed()

    def has_confirmed(self) -> bool:
        return any(device.confirmed and self._is_welcome(device) for device in self._devices.values())

    def is_revoked(self, device_id: str) -> bool:
        return device_id in self._revoked

    def devices(self) -> list[Device]:
        """The signed-in devices, oldest first, and any whose revocation could not be stored."""
        known = [d for d in self._devices.values() if self._is_welcome(d) or self.is_revoked(d.id)]
        return sorted(known, key=lambda device: device.created_at)

    async def new_link(self, made_by: str | None) -> str:
        """A new one-time code. `made_by` is a device, `SignInLink.SERVER`, or None for a script."""
        code, now = secrets.token_urlsafe(24), self.clock.now()
        link = SignInLink(code_hash=_hash(code), expires_at=now + LINK_SECONDS, made_by=made_by)
        await access.add_link(self._db, link, now)
        return code

    async def sign_in(
        self, code: str, name: str, address: str, before: Device | None = None
    ) -> tuple[Device, str, str]:
        """Use a code; returns the device, the secret for its cookie and the key for its page.

        `before` is the device that this browser was until now. A correct code works no matter how many wrong
        ones came before it: it is too long to be guessed, and otherwise anyone who shares the address could
        lock its owner out.
        """
        if not _is_good(await access.find_link(self._db, _hash(code)), self.clock.now()):
            self._refuse(address)
        async with self._spending:
            now = self.clock.now()
            link = await access.find_link(self._db, _hash(code))
            if link is None or not _is_good(link, now):  # used in the meantime
                self._refuse(address)
            secret, key = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
            device = Device(
                id=uuid.uuid4().hex[:12],
                name=name,
                secret_hash=_hash(secret),
                created_at=now,
                last_used_at=now,
                key_hash=_hash(key),
                confirmed=self._is_confirmed_by(link, before),
            )
            await access.use_link(self._db, replace(link, used_at=now), device)
            self._devices[device.secret_hash] = device
        log.info("signed in: device=%s confirmed=%s peer=%s", device.id, device.confirmed, address)
        return device, secret, key

    def _refuse(self, address: str) -> NoReturn:
        """Report that a code is wrong, or ask to wait after many wrong ones."""
        if (wait_seconds := self._failures.wait_seconds(address)) > 0:
            raise TooManyAttempts(wait_seconds)
        self._failures.failed(address)
        raise SignInFailed

    def device(self, device_id: str) -> Device:
        """One of `devices()`, or any other that is still stored; raises NotFound."""
        device = next((d for d in self._devices.values() if d.id == device_id), None)
        if device is None:
            raise NotFound("Device not found.", "It may already be signed out.")
        return device

    async def confirm(self, device_id: str) -> None:
        """A person confirms a device."""
        device = self.device(device_id)
        await access.confirm(self._db, device)
        current = self._devices.get(device.secret_hash)
        if current is not None:  # it may have been signed out in the meantime
            self._devices[device.secret_hash] = replace(current, confirmed=True)
        log.info("confirmed: device=%s", device.id)

    async def revoke(self, device_id: str) -> None:
        """Remove a device and close its connections, immediately and even if the removal cannot be stored."""
        device = self.device(device_id)
        self._revoked.add(device.id)
        self.on_revoked(device.id)
        await access.remove(self._db, device)
        self._devices.pop(device.secret_hash, None)
        log.info("signed out: device=%s", device.id)

    def _is_confirmed_by(self, link: SignInLink, before: Device | None) -> bool:
        """Whether a device that uses this link becomes confirmed."""
        if link.made_by == SignInLink.SERVER or not self.has_confirmed():
            return True
        if before is not None and before.confirmed:
            return True
        makers = [device for device in self._devices.values() if device.id == link.made_by]
        return any(maker.confirmed and self._is_welcome(maker) for maker in makers)

    def _is_welcome(self, device: Device) -> bool:
        if device.key_hash is None or device.id in self._revoked:
            return False
        return self.clock.now() - device.last_used_at < UNUSED_SECONDS

    async def _seen(self, device: Device) -> Device:
        """Store from time to time when it was last seen. A failure to store that does not turn it away."""
        now = self.clock.now()
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


async def open_access(db: Database, data_dir: Path, clock: Clock | None = None) -> Access:
    return Access(db, owner_token(data_dir), await access.all_devices(db), clock)


def _within_limits(device: Device, now: float) -> Device:
    """A device with times in the future does not stay signed in longer than one that signs in now."""
    return replace(device, last_used_at=min(device.last_used_at, now))


def owner_token(data_dir: Path) -> str:
    """The token for anyone who can read the data directory; created at first use, always private."""
    path = data_dir / "token"
    if (token := _read_token(path)) is not None:
        return token
    with _alone_in(data_dir):
        if (token := _read_token(path)) is not None:
            return token  # somebody else created one in the meantime
        token = secrets.token_urlsafe(32)
        fresh = data_dir / "token.new"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(token + "\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        return token


def replace_open_token(data_dir: Path) -> bool:
    """Delete a token that others could read, so that a new one is created; True if there was one."""
    path = data_dir / "token"
    if not private.is_open(path):
        return False
    path.unlink()
    return True


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """A separate lock, because a running server holds the one on the folder."""
    fd = os.open(folder / "token.lock", os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _read_token(path: Path) -> str | None:
    """The token, if the file contains one. An empty file must never match an empty token."""
    try:
        token = path.read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return None
    return token if token.isascii() and len(token) >= _SHORTEST_TOKEN else None


def _is_good(link: SignInLink | None, now: float) -> bool:
    return link is not None and link.used_at is None and now <= link.expires_at <= now + LINK_SECONDS


def _fits(device: Device, key: str) -> bool:
    return device.key_hash is not None and hmac.compare_digest(_hash(key), device.key_hash)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
