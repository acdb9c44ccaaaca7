"""The route of the doctor: an agent is tried, and each step is told as it happens.

Lives here: the steps as a stream, which ends the trial when its reader leaves.
Lives elsewhere: what is tried (agents/doctor.py).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict

from fastapi import APIRouter
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from voxpilot.agents.agreed import is_agreed
from voxpilot.agents.catalog import Agent
from voxpilot.agents.doctor import examine
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict
from voxpilot.runtime.house import House
from voxpilot.storage.rows import Sighting
from voxpilot.storage.sightings import note_sighting
from voxpilot.web.agent_schemas import CHECK_STREAM
from voxpilot.web.chats import Sup
from voxpilot.web.encoding import unnumbered

router = APIRouter(prefix="/api/agents", tags=["agents"])


class Check(Response):
    """One trial of one agent."""

    media_type = "text/event-stream"

    def __init__(self, house: House, agent: Agent) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._house = house
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
        house = self._house
        limit_seconds = house.settings.start_timeout
        async with aclosing(
            examine(house.catalog, self._agent, limit_seconds, house.settings.keepers, seen.append)
        ) as steps:
            async for step in steps:
                ok = ok and step.outcome != "failed"
                yield unnumbered("step", asdict(step))
        for initialized in seen:
            now = house.clock.now()
            await note_sighting(house.db, Sighting(agent=self._agent.id, initialized=initialized, at=now))
        yield unnumbered("done", {"ok": ok, "seconds": round(time.monotonic() - begun, 3)})


@router.post("/{agent_id}/check", status_code=200, response_class=Check, responses=CHECK_STREAM)
async def check(agent_id: str, sup: Sup) -> Check:
    """Start the agent in an empty folder, open and close a session, end it; nothing of it is left."""
    house = sup.house
    await asyncio.to_thread(house.live.refresh)
    await asyncio.to_thread(house.catalog.learn_path)
    agent = house.catalog.get(agent_id)
    if not is_agreed(house.catalog, agent_id):
        raise Conflict("The agent's command has changed.", "Send it a message first; you are asked there.")
    return Check(house, agent)


async def _cancel_when_left(receive: Receive, sending: asyncio.Task[None]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    sending.cancel()
