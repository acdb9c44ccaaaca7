"""The door: every request passes here before any route is looked at.

Lives here: Host, Origin and Fetch-Metadata checks, credentials, the size and
type of bodies, and the headers every response carries. Lives elsewhere: who is
known (access.py).
"""

from __future__ import annotations

import logging
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voxpilot.web.access import Access, Visitor
from voxpilot.web.errors import error_response

log = logging.getLogger("voxpilot.audit")
COOKIE = "voxpilot"
OPEN_PATHS = frozenset({("GET", "/api/health"), ("POST", "/api/login")})
"""All that may be reached under /api without credentials."""
BODY_LIMIT = 32_000_000
_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; media-src 'self' blob:; manifest-src 'self'; "
    "worker-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; "
    "trusted-types solid voxpilot dompurify"
)
_HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Refused(Exception):
    def __init__(self, status: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.response = error_response(status, code, message, hint)
        self.code = code


class Guard:
    """ASGI middleware; what comes through has `scope["visitor"]` set where credentials were shown."""

    def __init__(self, app: ASGIApp, access: Access, hosts: frozenset[str]) -> None:
        self._app = app
        self._access = access
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        is_api = scope["path"].startswith("/api/") or scope["path"] == "/api"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if is_api:
                    headers["cache-control"] = "no-store"
            await send(message)

        try:
            await self._check(scope, is_api)
        except Refused as refused:
            client = scope["client"][0] if scope["client"] else "?"
            log.warning("refused: why=%s method=%s peer=%s", refused.code, scope["method"], client)
            await refused.response(scope, receive, send_with_headers)
            return
        await self._app(scope, _bounded(receive), send_with_headers)

    async def _check(self, scope: Scope, is_api: bool) -> None:
        headers = Headers(scope=scope)
        host = self._check_host(headers)
        if not is_api:
            if scope["method"] not in ("GET", "HEAD"):
                raise Refused(405, "method-not-allowed", "Pages can only be read.")
            return
        _check_fetch_metadata(headers)
        visitor, by_cookie = await self._visitor(headers)
        scope["visitor"] = visitor
        if (scope["method"], scope["path"]) not in OPEN_PATHS and visitor is None:
            raise Refused(401, "sign-in-needed", "Sign in first.", "Run `voxpilot link` for a sign-in link.")
        if scope["method"] in _WRITES:
            _check_origin(headers, host, by_cookie)
            _check_body(headers)

    def _check_host(self, headers: Headers) -> str:
        given = headers.getlist("host")
        name = _host_name(given[0]) if len(given) == 1 else None
        if name is None or name not in self._hosts:
            raise Refused(
                403,
                "wrong-host",
                "This server does not go by that name.",
                "Add it to allowed_hosts if it should.",
            )
        return given[0]

    async def _visitor(self, headers: Headers) -> tuple[Visitor | None, bool]:
        authorization = headers.get("authorization", "")
        if authorization[:7].lower() == "bearer ":
            return self._access.by_token(authorization[7:].strip()), False
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        return (await self._access.by_cookie(cookie.value) if cookie else None), True


def _host_name(host: str) -> str | None:
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    plain = parts.netloc == host and "@" not in host and not parts.path
    return parts.hostname if plain else None


def _check_fetch_metadata(headers: Headers) -> None:
    """A browser says where a request comes from; other sites have no business here."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refused(403, "cross-site", "Requests from other sites are refused.")


def _check_origin(headers: Headers, host: str, by_cookie: bool) -> None:
    origin = headers.get("origin")
    if origin is None:
        if by_cookie and COOKIE in headers.get("cookie", ""):
            raise Refused(403, "no-origin", "A signed-in browser must say where it writes from.")
        return
    if urlsplit(origin).netloc != host:
        raise Refused(403, "wrong-origin", "Requests from other sites are refused.")


def _check_body(headers: Headers) -> None:
    length = headers.get("content-length")
    if length is not None and (not length.isdigit() or int(length) > BODY_LIMIT):
        raise Refused(
            413, "too-large", "That is too much at once.", f"The limit is {BODY_LIMIT // 10**6} MB."
        )
    has_body = (length is not None and length != "0") or "transfer-encoding" in headers
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if has_body and kind != "application/json":
        raise Refused(415, "not-json", "Only application/json is taken.")


def _bounded(receive: Receive) -> Receive:
    """A body without a length may not go on for ever either."""
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > BODY_LIMIT:
            return {"type": "http.disconnect"}
        return message

    return bounded


def set_cookie(response: Response, secret: str, secure: bool) -> None:
    response.set_cookie(
        COOKIE, secret, max_age=180 * 86400, path="/", httponly=True, samesite="strict", secure=secure
    )
