"""The web application: routes behind the guard.

Lives here: putting the parts together. Lives elsewhere: each part; running it
(server.py).
"""

from __future__ import annotations

from fastapi import FastAPI
from starlette.types import ASGIApp

from voxpilot import __version__
from voxpilot.chat.events import Json
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.settings import Settings
from voxpilot.web import (
    agents,
    assistant,
    auth,
    chats,
    checks,
    decisions,
    errors,
    pages,
    past,
    questions,
    settings,
    stream,
    terminals,
    trust,
)
from voxpilot.web.access import Access
from voxpilot.web.guard import Guard, host_name
from voxpilot.web.schemas import ErrorAnswer
from voxpilot.web.streams import Streams

OWN_HOSTS = frozenset({"127.0.0.1", "localhost", "voxpilot.localhost", "::1"})


class Api(FastAPI):
    """The routes, which can say what they are."""

    def openapi(self) -> Json:
        if self.openapi_schema is None:
            from voxpilot.web.described import describe  # many models that only this needs

            describe(super().openapi())
        return super().openapi()


def create_api(supervisor: Supervisor | None = None, access: Access | None = None) -> FastAPI:
    """The routes alone; without arguments, for their description only."""
    api = Api(
        title="VoxPilot",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={"default": {"model": ErrorAnswer, "description": "What happened, and what to do next"}},
    )
    api.state.supervisor = supervisor
    api.state.access = access
    api.state.streams = Streams()
    about_chats = (auth, chats, questions, terminals, decisions)
    for module in (*about_chats, agents, checks, past, assistant, settings, trust, stream):
        api.include_router(module.router)
    errors.install(api)
    pages.install(api, pages.read_pages())
    return api


def guarded(api: FastAPI, access: Access, settings: Settings) -> ASGIApp:
    """What a server runs."""
    access.on_revoked = api.state.streams.cut_device
    named = (settings.host, *settings.allowed_hosts)
    # A person may well write the port too; an IPv6 address without brackets is no host and port.
    hosts = OWN_HOSTS | {host_name(host) or host.lower() for host in named}
    return Guard(api, access, hosts)
