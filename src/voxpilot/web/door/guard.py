"""The door: every request passes here before it is routed.

Lives here: Host, Origin and Fetch-Metadata checks, credentials, the size and
type of bodies, the headers every response carries, and the response when something fails inside. Lives
elsewhere: who is signed in (access.py).
"""

from __future__ import annotations

import asyncio
import logging
import re
from math import ceil

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voxpilot.web.door import headers as our_headers
from voxpilot.web.door.access import Access, Visitor
from voxpilot.web.door.cookies import KEY_HEADER, secrets_of
from voxpilot.web.door.errors import error_response, internal_error
from voxpilot.web.door.hosts import host_name
from voxpilot.web.door.rate_limit import Attempts

audit = logging.getLogger("voxpilot.audit")
log = logging.getLogger(__name__)
OPEN_PATHS = frozenset({("GET", "/api/health"), ("POST", "/api/login")})
"""Everything under /api that needs no credentials."""
BODY_LIMIT = 32_000_000
STRANGERS_BODY_LIMIT = 64_000
STRANGERS_BODY_SECONDS = 10.0
WRONG_TOKENS_PER_MINUTE = 60
"""Above these numbers of failures, an address has to wait; correct credentials are still accepted."""
SIGN_IN_AGAIN = (
    "VoxPilot was updated, so this browser has to sign in again.",
    "Sign-ins are now protected from other programs on the machine. "
    "Run `voxpilot link` to get a sign-in link.",
)
_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Refused(Exception):
    def __init__(
        self, status: int, code: str, message: str, hint: str = "", wait_seconds: float | None = None
    ) -> None:
        super().__init__(message)
        headers = {"retry-after": str(ceil(wait_seconds))} if wait_seconds is not None else None
        self.response = error_response(status, code, message, hint, headers)
        self.status = status
        self.code = code


class Guard:
    """ASGI middleware; it sets `scope["visitor"]` on requests with credentials."""

    def __init__(self, app: ASGIApp, access: Access, hosts: frozenset[str]) -> None:
        self._app = app
        self._access = access
        self._hosts = hosts
        self._wrong_tokens = Attempts(WRONG_TOKENS_PER_MINUTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        reply = _Reply(send, _is_api(scope))
        try:
            await self._check(scope)
            await self._app(scope, _bounded(receive, scope.get("visitor")), reply)
        except Refused as refused:
            _note(refused, scope)
            await refused.response(scope, receive, reply)
        except Exception:
            log.exception("request failed: method=%s path=%s", scope["method"], scope["path"])
            if not reply.has_started:
                await internal_error()(scope, receive, reply)

    async def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host = self._check_host(headers)
        _check_target(scope, headers)
        if not _is_api(scope):
            if scope["method"] not in ("GET", "HEAD"):
                raise Refused(405, "method-not-allowed", "Pages are read-only.")
            return
        _check_where_from(headers, host)
        token, cookies, key = _bearer(headers), secrets_of(headers), headers.get(KEY_HEADER)
        if token is not None:
            if cookies or key is not None:
                raise Refused(
                    400,
                    "two-credentials",
                    "Send either the owner's token or a browser's credentials, not both.",
                )
            visitor = self._by_token(token, _peer(scope))
        else:
            visitor = await self._access.by_secrets(cookies, key)
        scope["visitor"] = visitor
        if visitor is None and (scope["method"], scope["path"]) not in OPEN_PATHS:
            if self._access.is_outdated(cookies):
                raise Refused(401, "sign-in-again", *SIGN_IN_AGAIN)
            raise Refused(
                401, "sign-in-needed", "Sign in first.", "Run `voxpilot link` to get a sign-in link."
            )
        if scope["method"] in _WRITES:
            if cookies and token is None and "origin" not in headers:
                raise Refused(403, "no-origin", "A signed-in browser must send the Origin header.")
            _check_body(headers, visitor)

    def _check_host(self, headers: Headers) -> str:
        given = headers.getlist("host")
        name = host_name(given[0]) if len(given) == 1 else None
        if name is None or name not in self._hosts:
            raise Refused(
                403,
                "wrong-host",
                "This host name is not allowed.",
                "Add it to allowed_hosts in the settings to allow it.",
            )
        return given[0]

    def _by_token(self, token: str, address: str) -> Visitor | None:
        visitor = self._access.by_token(token)
        if visitor is None:
            if (wait_seconds := self._wrong_tokens.wait_seconds(address)) > 0:
                raise Refused(
                    429, "too-many-attempts", "Too many wrong tokens.", "Wait a minute.", wait_seconds
                )
            self._wrong_tokens.failed(address)
        return visitor


class _Reply:
    """Sends the application's response with our headers added."""

    def __init__(self, send: Send, is_api: bool) -> None:
        self._send = send
        self._headers = our_headers.API if is_api else our_headers.ALWAYS
        self.has_started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_started = True
            headers = MutableHeaders(scope=message)
            for name, value in self._headers.items():
                headers[name] = value
            headers.setdefault(*our_headers.UNLESS_SAID)
        await self._send(message)


def _is_api(scope: Scope) -> bool:
    path: str = scope["path"]
    return path == "/api" or path.startswith("/api/")


def _peer(scope: Scope) -> str:
    return scope["client"][0] if scope["client"] else "?"


def _bearer(headers: Headers) -> str | None:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def _note(refused: Refused, scope: Scope) -> None:
    """One line, without a path: people paste secrets into addresses."""
    level = logging.DEBUG if refused.status == 429 else logging.WARNING
    audit.log(level, "refused: why=%s method=%s peer=%s", refused.code, scope["method"], _peer(scope))


def _check_target(scope: Scope, headers: Headers) -> None:
    if not scope.get("is_origin_form", True):
        raise Refused(400, "bad-target", "Send a path, not a full URL. This server is not a proxy.")
    if "websocket" in headers.get("upgrade", "").lower():
        raise Refused(400, "no-websocket", "WebSockets are not supported.", "Use server-sent events instead.")


def _check_where_from(headers: Headers, host: str) -> None:
    """A browser says where a request comes from; other sites may not even read."""
    if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")):
        raise Refused(403, "cross-site", "Requests from other sites are rejected.")
    ours = (f"http://{host}".lower(), f"https://{host}".lower())
    # An older browser names only the page that a request comes from.
    pages = [_origin_of(page) for page in headers.getlist("referer")]
    if any(origin.lower() not in ours for origin in (*headers.getlist("origin"), *pages)):
        raise Refused(403, "wrong-origin", "Requests from other sites are rejected.")


def _origin_of(page: str) -> str:
    """The origin in the address of a page, as the browser wrote it."""
    scheme, _, rest = page.partition("://")
    return f"{scheme}://{re.split('[/?#]', rest, maxsplit=1)[0]}"


def _check_body(headers: Headers, visitor: Visitor | None) -> None:
    length = headers.get("content-length", "0")
    limit = _limit(visitor)
    if not length.isdecimal() or int(length[:20]) > limit:
        raise Refused(413, "too-large", "The request is too large.", f"The limit is {limit // 1000} kB.")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    has_body = length != "0" or "transfer-encoding" in headers
    if kind != "application/json" and (has_body or kind):
        raise Refused(415, "not-json", "Only application/json is accepted.")


def _limit(visitor: Visitor | None) -> int:
    return BODY_LIMIT if visitor is not None else STRANGERS_BODY_LIMIT


def _bounded(receive: Receive, visitor: Visitor | None) -> Receive:
    """A body without a length is limited too, and a caller without credentials may not take forever to send
    it."""
    limit = _limit(visitor)
    deadline = asyncio.get_running_loop().time() + STRANGERS_BODY_SECONDS
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > limit:
            raise HTTPException(413)
        return message

    async def hurried() -> Message:
        try:
            async with asyncio.timeout_at(deadline):
                return await bounded()
        except TimeoutError:
            raise HTTPException(408) from None

    return bounded if visitor is not None else hurried
