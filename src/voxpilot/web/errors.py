"""Errors as HTTP answers, always in one shape.

Lives here: which failure gets which status, and `{error: {code, message,
hint}}`. Nothing ever shows a stack trace. Lives elsewhere: the failures.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from voxpilot.errors import (
    Conflict,
    Invalid,
    NotFound,
    OutOfFiles,
    ShuttingDown,
    StorageFull,
    VoxPilotError,
    explained,
)
from voxpilot.settings import BadSettings
from voxpilot.web.access import SignInFailed, TooManyAttempts

log = logging.getLogger(__name__)
_STATUS: tuple[tuple[type[VoxPilotError], int], ...] = (
    (NotFound, 404),
    (Conflict, 409),
    (Invalid, 422),
    (BadSettings, 409),
    (SignInFailed, 401),
    (TooManyAttempts, 429),
    (StorageFull, 507),
    (OutOfFiles, 503),
    (ShuttingDown, 503),
)
_WORDS = {
    400: ("unreadable", "The request cannot be read.", "Send JSON in UTF-8."),
    404: ("not-found", "There is nothing here.", ""),
    405: ("method-not-allowed", "That cannot be done here.", ""),
    408: ("too-slow", "The request took too long to arrive.", "Send it again."),
    413: ("too-large", "That is too much at once.", "Send less."),
}


def error_response(
    status: int, code: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message, "hint": hint}}, status, headers)


def internal_error() -> JSONResponse:
    return error_response(500, "internal", "Something went wrong inside.", "The server's log says more.")


def install(app: FastAPI) -> None:
    app.add_exception_handler(VoxPilotError, _ours)
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _unexpected)


async def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, VoxPilotError)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    headers = {"retry-after": str(error.wait_seconds)} if isinstance(error, TooManyAttempts) else None
    return error_response(status, error.code, error.message, error.hint, headers)


async def _bad_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return error_response(422, "invalid", "The body is not JSON.")
    where = ".".join(str(part) for part in first["loc"][1:]) or "The body"
    return error_response(422, "invalid", f"{where}: {first['msg']}.")


async def _plain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code, message, hint = _WORDS.get(error.status_code, ("refused", "The request was refused.", ""))
    return error_response(error.status_code, code, message, hint, error.headers)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    if isinstance(known := explained(error), OutOfFiles):
        return await _ours(request, known)
    return internal_error()  # the framework raises it on, and the guard writes it down
