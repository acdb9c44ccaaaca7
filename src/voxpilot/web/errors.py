"""Errors as HTTP answers, always in one shape.

Lives here: which failure gets which status, and `{error: {code, message,
hint}}`. Nothing ever shows a stack trace. Lives elsewhere: the failures.
"""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from voxpilot.errors import Conflict, Invalid, NotFound, ShuttingDown, StorageFull, VoxPilotError
from voxpilot.web.access import SignInFailed, TooManyAttempts

log = logging.getLogger(__name__)
_STATUS: tuple[tuple[type[VoxPilotError], int], ...] = (
    (NotFound, 404),
    (Conflict, 409),
    (Invalid, 422),
    (SignInFailed, 401),
    (TooManyAttempts, 429),
    (StorageFull, 507),
    (ShuttingDown, 503),
)


def error_response(status: int, code: str, message: str, hint: str = "") -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message, "hint": hint}}, status)


def install(app: FastAPI) -> None:
    app.add_exception_handler(VoxPilotError, _ours)
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _unexpected)


async def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, VoxPilotError)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    return error_response(status, error.code, error.message, error.hint)


async def _bad_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return error_response(422, "invalid", f"{where or 'The body'}: {first['msg']}.")


async def _plain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    words = {
        404: ("not-found", "There is nothing here."),
        405: ("method-not-allowed", "That cannot be done here."),
    }
    code, message = words.get(error.status_code, ("refused", "The request was refused."))
    return error_response(error.status_code, code, message)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.error("request failed: method=%s path=%s", request.method, request.url.path, exc_info=error)
    return error_response(500, "internal", "Something went wrong inside.", "The server's log says more.")
