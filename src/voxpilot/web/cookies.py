"""The cookie of a signed-in device.

Lives here: its name and flags, setting, clearing and reading it. Lives
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


def set_cookie(response: Response, secret: str, is_secure: bool) -> None:
    response.set_cookie(
        SECURE if is_secure else PLAIN,
        secret,
        max_age=_SECONDS,
        path="/",
        httponly=True,
        samesite="strict",
        secure=is_secure,
    )


def clear_cookie(response: Response, is_secure: bool) -> None:
    response.delete_cookie(
        SECURE if is_secure else PLAIN, path="/", httponly=True, samesite="strict", secure=is_secure
    )
