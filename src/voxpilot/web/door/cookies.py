"""The two secrets of a signed-in device: a cookie, and a key that its page keeps.

Browsers send a cookie to every port of a host, so any other server on this machine may see it. The key is in
the page's storage, which belongs to one port, and no script can read the cookie: one of them alone is
useless.
Lives here: the cookie's name, flags and time, setting, clearing and reading it,
and the header that carries the key. Lives elsewhere: which secrets belong to
whom (access.py), keeping the key (frontend/src/api/key.ts).
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response

PLAIN = "voxpilot"
SECURE = "__Host-voxpilot"
"""With TLS: a name that browsers accept only with Secure and from this exact host."""
_SECONDS = 400 * 86400
"""The longest time browsers allow; the server decides when a device was away for too long."""
KEY_HEADER = "x-voxpilot-key"
_VALUES_LIMIT = 8


def secrets_of(headers: Headers) -> list[str]:
    """The values of cookies with our name, even if other cookies are malformed."""
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
