"""The rows of devices that are signed in, and of the links that sign them in.

Lives here: what these two tables hold. Lives elsewhere: all other rows (rows.py), who may sign in
(web/door/access.py).
"""

from __future__ import annotations

from typing import ClassVar

from voxpilot.storage.database.rows import Row
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Device(Row):
    TABLE = "devices"
    id: str
    name: str
    secret_hash: str
    created_at: float
    last_used_at: float
    key_hash: str | None = None
    """The hash of the key that its page keeps; a device from before there were keys has none and must sign in
    again."""
    confirmed: bool = False
    """Whether a person confirmed it: only then may it loosen security."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInLink(Row):
    """A one-time sign-in code, kept as a hash."""

    SERVER: ClassVar[str] = "server"
    """Created the link that is printed at start-up."""
    TABLE = "links"
    KEY = ("code_hash",)
    code_hash: str
    expires_at: float
    used_at: float | None = None
    made_by: str | None = None
    """The id of a device, or `SERVER`; None for a script."""
