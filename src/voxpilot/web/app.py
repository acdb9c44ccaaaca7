"""The web application: routes behind the guard.

Lives here: putting the parts together. Lives elsewhere: each part; running it
(serving.py).
"""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from voxpilot.chat.events import Json
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.settings import Settings
from voxpilot.web.door import errors
from voxpilot.web.door.access import Access
from voxpilot.web.door.guard import Guard
from voxpilot.web.door.hosts import allowed_hosts
from voxpilot.web.routes import (
    agent_check,
    agent_sessions,
    agents,
    assistant,
    auth,
    chats,
    pages,
    questions,
    settings,
    stream,
    terminals,
    trust,
)
from voxpilot.web.routes.context import files, skills
from voxpilot.web.routes.logs import decisions, diagnostics
from voxpilot.web.streams.open_streams import Streams

_ABOUT_CHATS = (auth, chats, questions, terminals, decisions, diagnostics)
_OTHERS = (agents, agent_check, agent_sessions, assistant, settings, trust, files, skills, stream)
_ROUTES = [route for module in (*_ABOUT_CHATS, *_OTHERS) for route in module.router.routes]


class Api(Starlette):
    """The routes, with their OpenAPI description."""

    def __init__(self) -> None:
        super().__init__(routes=[Route("/api/openapi.json", self._described), *_ROUTES])
        self.router.redirect_slashes = False
        self._document: Json | None = None

    def openapi(self) -> Json:
        if self._document is None:
            from voxpilot.web.schemas.openapi import describe  # imports many models that only this needs

            self._document = describe(_ROUTES)
        return self._document

    async def _described(self, request: Request) -> JSONResponse:
        return JSONResponse(self.openapi())


def create_api(
    supervisor: Supervisor | None = None, access: Access | None = None, files: pages.Pages | None = None
) -> Api:
    """The routes alone; without arguments, only for their description. The page is read from the package
    unless its files are given."""
    api = Api()
    api.state.supervisor = supervisor
    api.state.access = access
    api.state.streams = Streams()
    errors.install(api)
    pages.install(api, pages.read_pages() if files is None else files)
    return api


def guarded(api: Api, access: Access, settings: Settings) -> ASGIApp:
    """What a server runs."""
    access.on_revoked = api.state.streams.cut_device
    return Guard(api, access, allowed_hosts(settings))
