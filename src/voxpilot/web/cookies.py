"""The cookie of a signed-in device.

Lives here: its name, flags and time, setting, clearing and reading it. Lives
elsewhere: which secret belongs to whom (access.py).
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response

PLAIN = "voxpilot"
SECURE = "__Host-voxpilot"
"""Under TLS: a name that browsers take only with Secure, from this very host."""
_SECONDS = 400 * 86400
"""As long as browsers keep one; the server decides when a device was away for too long."""
SHARED_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
"""Cookies know no ports: whatever else this machine serves under these names is sent ours too."""
SHARED_SECONDS = 12 * 3600.0
"""How long a sign-in under such a name lasts."""
_VALUES_LIMIT = 8


def secrets_of(headers: Headers) -> list[str]:
    """What came in cookies of our name, however odd the cookies beside them."""
    found = []
    for line in headers.getlist("cookie"):
        for part in line.split(";"):
            name, _, value = part.strip().partition("=")
            if name in (PLAIN, SECURE) and value:
                found.append(value)
    return found[:_VALUES_LIMIT]


def set_cookie(response: Response, secret: str, is_secure: bool, for_seconds: float | None = None) -> None:
    response.set_cookie(
        SECURE if is_secure else PLAIN,
        secret,
        max_age=_SECONDS if for_seconds is None else int(for_seconds),
        path="/",
        httponly=True,
        samesite="strict",
        secure=is_secure,
    )


def clear_cookie(response: Response, is_secure: bool) -> None:
    response.delete_cookie(
        SECURE if is_secure else PLAIN, path="/", httponly=True, samesite="strict", secure=is_secure
    )
