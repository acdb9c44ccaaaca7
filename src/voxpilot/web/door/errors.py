"""Errors as HTTP responses, always in one shape.

Lives here: which error gets which status, and `{error: {code, message, hint}}`. A stack trace is never sent.
Lives elsewhere: the errors.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from voxpilot.errors import (
    Conflict,
    Invalid,
    NotFound,
    OutOfFiles,
    OutOfMemory,
    ShuttingDown,
    StorageFull,
    VoxPilotError,
    explained,
)
from voxpilot.settings import BadSettings
from voxpilot.storage.database.trouble import DiskFailed, StorageBusy, StorageReadOnly
from voxpilot.web.door.access import SignInFailed, TooManyAttempts
from voxpilot.web.door.loosening import NeedsBrowser

log = logging.getLogger(__name__)
_STATUS: tuple[tuple[type[VoxPilotError], int], ...] = (
    (NotFound, 404),
    (Conflict, 409),
    (Invalid, 422),
    (BadSettings, 409),
    (SignInFailed, 401),
    (NeedsBrowser, 403),
    (TooManyAttempts, 429),
    (StorageFull, 507),
    (OutOfFiles, 503),
    (OutOfMemory, 503),
    (StorageBusy, 503),
    (DiskFailed, 503),
    (StorageReadOnly, 503),
    (ShuttingDown, 503),
)
_RETRY_SECONDS = 2
"""When to retry after a temporary failure."""
_WORDS = {
    400: ("unreadable", "The request cannot be read.", "Send JSON in UTF-8."),
    404: ("not-found", "Not found.", ""),
    405: ("method-not-allowed", "Method not allowed.", ""),
    408: ("too-slow", "The request timed out.", "Send it again."),
    413: ("too-large", "The request is too large.", "Send a smaller request."),
}


def error_response(
    status: int, code: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message, "hint": hint}}, status, headers)


def internal_error() -> JSONResponse:
    return error_response(500, "internal", "Internal server error.", "See the server log for details.")


def install(app: Starlette) -> None:
    app.add_exception_handler(VoxPilotError, _ours)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _unexpected)


async def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, VoxPilotError)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    return error_response(status, error.code, error.message, error.hint, _retry_after(error))


def _retry_after(error: VoxPilotError) -> dict[str, str] | None:
    if isinstance(error, TooManyAttempts):
        return {"retry-after": str(error.wait_seconds)}
    return {"retry-after": str(_RETRY_SECONDS)} if error.is_momentary else None


async def _plain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code, message, hint = _WORDS.get(error.status_code, ("refused", "The request was rejected.", ""))
    return error_response(error.status_code, code, message, hint, error.headers)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    if (known := explained(error)).is_momentary:
        return await _ours(request, known)
    return internal_error()  # the framework raises it again, and the guard logs it
