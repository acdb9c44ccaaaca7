"""Routes of signing in and out, and of devices.

Lives here: a code for a cookie, who am I, the list of devices, new links.
Lives elsewhere: who may come in (access.py, guard.py).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from voxpilot import __version__
from voxpilot.chat.events import Json
from voxpilot.errors import NotFound
from voxpilot.web.access import LINK_SECONDS, Access, Visitor
from voxpilot.web.cookies import SHARED_NAMES, SHARED_SECONDS, clear_cookie, set_cookie
from voxpilot.web.schemas import DeviceInfo, Health, Me, NewLink, SignIn

router = APIRouter(prefix="/api", tags=["signing in"])


def the_access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def the_visitor(request: Request) -> Visitor | None:
    visitor: Visitor | None = request.scope["visitor"]
    return visitor


def the_known_visitor(request: Request) -> Visitor:
    visitor = the_visitor(request)
    assert visitor is not None, "the guard lets nobody else through"
    return visitor


Acc = Annotated[Access, Depends(the_access)]
Who = Annotated[Visitor, Depends(the_known_visitor)]


@router.get("/health", response_model=Health)
async def health() -> Json:
    return {"status": "ok", "version": __version__}


@router.post("/login", response_model=Me)
async def login(
    body: SignIn,
    request: Request,
    response: Response,
    access: Acc,
    before: Annotated[Visitor | None, Depends(the_visitor)],
) -> Json:
    address = request.client.host if request.client else "?"
    for_seconds = SHARED_SECONDS if request.url.hostname in SHARED_NAMES else None
    device, secret = await access.sign_in(body.code, body.device, address, for_seconds)
    if before is not None and before.device is not None:
        with suppress(NotFound):  # the same browser again: what it had is replaced
            await access.revoke(before.device.id)
    set_cookie(response, secret, _is_secure(request), for_seconds)
    return _told(Visitor(device))


@router.post("/logout", status_code=204)
async def logout(request: Request, response: Response, access: Acc, who: Who) -> None:
    if who.device is not None:
        await access.revoke(who.device.id)
    clear_cookie(response, _is_secure(request))


@router.get("/me", response_model=Me)
async def me(who: Who) -> Json:
    return _told(who)


@router.get("/devices", response_model=list[DeviceInfo])
async def devices(access: Acc, who: Who) -> list[Json]:
    mine = who.device.id if who.device else None
    return [
        {
            "id": device.id,
            "name": device.name,
            "created_at": device.created_at,
            "last_used_at": device.last_used_at,
            "this_one": device.id == mine,
        }
        for device in access.devices()
    ]


@router.delete("/devices/{device_id}", status_code=204)
async def revoke(device_id: str, access: Acc) -> None:
    await access.revoke(device_id)


@router.post("/links", status_code=201, response_model=NewLink)
async def new_link(request: Request, access: Acc) -> Json:
    code = await access.new_link()
    base = request.headers.get("origin") or f"{request.url.scheme}://{request.headers['host']}"
    return {"code": code, "url": f"{base}/#code={code}", "expires_in": LINK_SECONDS}


def _told(who: Visitor) -> Json:
    device = who.device
    return {
        "device": who.name,
        "device_id": device.id if device else None,
        "expires_at": device.expires_at if device else None,
        "version": __version__,
    }


def _is_secure(request: Request) -> bool:
    """Whether the browser came over TLS, also where that ended at a proxy before us: its Origin says so."""
    return request.url.scheme == "https" or request.headers.get("origin", "").lower().startswith("https://")
