"""The route that tests an agent and reports each step as it happens.

Lives here: the steps as a stream; the test ends when its reader leaves. Lives elsewhere: the steps
(agents/probe/doctor.py).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from voxpilot.agents.installed.approved_commands import is_agreed
from voxpilot.agents.installed.catalog import Agent
from voxpilot.agents.probe.doctor import examine
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.across_chats.handshakes import note_sighting
from voxpilot.storage.database.rows import Sighting
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.agent_bodies import CHECK_STREAM
from voxpilot.web.streams.encoding import unnumbered

router = Router("/api/agents", "agents")


class Check(Response):
    """One test of one agent."""

    media_type = "text/event-stream"

    def __init__(self, services: Services, agent: Agent) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._services = services
        self._agent = agent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                sending = tasks.create_task(self._send_all(send))
                leaving = tasks.create_task(_cancel_when_left(receive, sending))
                sending.add_done_callback(lambda _: leaving.cancel())
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with aclosing(self._pieces()) as pieces:
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        begun, ok, seen = time.monotonic(), True, list[Json]()
        services = self._services
        limit_seconds = services.settings.start_timeout
        async with aclosing(
            examine(services.catalog, self._agent, limit_seconds, services.settings.keepers, seen.append)
        ) as steps:
            async for step in steps:
                ok = ok and step.outcome != "failed"
                yield unnumbered("step", asdict(step))
        for initialized in seen:
            now = services.clock.now()
            await note_sighting(services.db, Sighting(agent=self._agent.id, initialized=initialized, at=now))
        yield unnumbered("done", {"ok": ok, "seconds": round(time.monotonic() - begun, 3)})


@router.post("/{agent_id}/check", status=200, described=CHECK_STREAM)
async def check(agent_id: str, sup: Sup) -> Check:
    """Start the agent in an empty folder, open and close a session, and stop it; nothing is left behind."""
    services = sup.services
    await asyncio.to_thread(services.live.refresh)
    await asyncio.to_thread(services.catalog.learn_path)
    agent = services.catalog.get(agent_id)
    if not is_agreed(services.catalog, agent_id):
        raise Conflict(
            "The agent's command has changed.",
            "Send the agent a message first. VoxPilot then asks you to approve the command.",
        )
    return Check(services, agent)


async def _cancel_when_left(receive: Receive, sending: asyncio.Task[None]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    sending.cancel()
