"""Routes for signing in and out, and for devices.

Lives here: exchanging a code for a cookie, the caller, the list of devices, new links. Lives elsewhere: who
may use the server (door/access.py, door/guard.py).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response

from voxpilot import __version__
from voxpilot.chat.events import Json
from voxpilot.errors import NotFound
from voxpilot.web.door.access import LINK_SECONDS, Access, Visitor
from voxpilot.web.door.cookies import clear_cookie, set_cookie
from voxpilot.web.door.loosening import Allowed
from voxpilot.web.routing.endpoint import From
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.bodies import DeviceInfo, Health, Me, NewLink, SignedIn, SignIn

router = Router("/api", "signing in")


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


Acc = Annotated[Access, From(the_access)]
Who = Annotated[Visitor, From(the_known_visitor)]


@router.get("/health", model=Health)
async def health() -> Json:
    return {"status": "ok", "version": __version__}


@router.post("/login", model=SignedIn)
async def login(
    body: SignIn,
    request: Request,
    response: Response,
    access: Acc,
    before: Annotated[Visitor | None, From(the_visitor)],
) -> Json:
    address = request.client.host if request.client else "?"
    replaced = before.device if before is not None else None
    device, secret, key = await access.sign_in(body.code, body.device, address, replaced)
    if replaced is not None:
        with suppress(NotFound):  # the same browser again: its earlier sign-in is replaced
            await access.revoke(replaced.id)
    set_cookie(response, secret, _is_secure(request))
    return {**_told(access, Visitor(device)), "key": key}


@router.post("/logout", status=204)
async def logout(request: Request, response: Response, access: Acc, who: Who) -> None:
    if who.device is not None:
        await access.revoke(who.device.id)
    clear_cookie(response, _is_secure(request))


@router.get("/me", model=Me)
async def me(access: Acc, who: Who) -> Json:
    return _told(access, who)


@router.get("/devices", model=list[DeviceInfo])
async def devices(access: Acc, who: Who) -> list[Json]:
    mine, shift = who.device.id if who.device else None, access.clock.shift()
    return [
        {
            "id": device.id,
            "name": device.name,
            "created_at": device.created_at + shift,
            "last_used_at": device.last_used_at + shift,
            "this_one": device.id == mine,
            "confirmed": device.confirmed,
        }
        for device in access.devices()
    ]


@router.delete("/devices/{device_id}", status=204)
async def revoke(device_id: str, access: Acc, limits: Allowed) -> None:
    limits.check("sign a confirmed browser out", access.device(device_id).confirmed)
    await access.revoke(device_id)


@router.post("/devices/{device_id}/confirm", status=204)
async def confirm(device_id: str, access: Acc, limits: Allowed) -> None:
    """Confirm a device that signed in with a link created by a script."""
    limits.check("confirm a browser")
    await access.confirm(device_id)


@router.post("/links", status=201, model=NewLink)
async def new_link(request: Request, access: Acc, who: Who) -> Json:
    """A link created in a confirmed browser confirms the next one; a script's link does so only while no
    browser is confirmed."""
    code = await access.new_link(made_by=who.device.id if who.device else None)
    base = request.headers.get("origin") or f"{request.url.scheme}://{request.headers['host']}"
    return {"code": code, "url": f"{base}/#code={code}", "expires_in": LINK_SECONDS}


def _told(access: Access, who: Visitor) -> Json:
    device = who.device
    return {
        "device": who.name,
        "device_id": device.id if device else None,
        "confirmed": access.may_loosen(who),
        "version": __version__,
    }


def _is_secure(request: Request) -> bool:
    """Whether the browser uses TLS, even if TLS ends at a proxy in front of us: its Origin says so."""
    return request.url.scheme == "https" or request.headers.get("origin", "").lower().startswith("https://")
