"""An agent on trial: started, asked a few things, ended.

Lives here: a process that lives as long as a block and in an empty folder of
its own, and requests that wait for their answers. Lives elsewhere: what to try
(doctor.py). Chats never wait like this: their requests are rows (dialogue.py).
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from voxpilot.agents import wire
from voxpilot.agents.catalog import Agent, Catalog
from voxpilot.agents.exits import Exit, explain
from voxpilot.agents.failures import NOT_OFFERED
from voxpilot.chat.events import Json
from voxpilot.keeper.attach import Attachment, attach, start_keeper
from voxpilot.keeper.journal import ENDED, PRINTED, JournalReader
from voxpilot.keeper.reaching import KeeperGone
from voxpilot.keeper.sweep import end_tree

ALONE_SECONDS = 5.0
"""How long it may live if nobody is there any more to end it."""


class AgentEnded(Exception):
    """The agent on trial is gone."""

    def __init__(self, why: Exit) -> None:
        super().__init__(why.message)
        self.why = why


@asynccontextmanager
async def on_trial(catalog: Catalog, agent: Agent, parent: Path | None) -> AsyncIterator[Trial]:
    """Run the agent for as long as the block lasts; nothing outlives it, also when the block is cut short."""
    directory = Path(tempfile.mkdtemp(prefix="trial-", dir=parent))
    workspace = directory / "workspace"
    workspace.mkdir()
    ours = replace(
        catalog.spec(agent, f"t-{uuid.uuid4().hex[:12]}", str(workspace)),
        idle_seconds=ALONE_SECONDS,
        busy_seconds=ALONE_SECONDS,
        attach_seconds=ALONE_SECONDS,
    )
    attachment: Attachment | None = None
    try:
        await start_keeper(directory, ours)
        try:
            attachment = await attach(directory)
        except KeeperGone:
            attachment = None  # it could not be started; the journal says why
        yield Trial(agent, directory, attachment, workspace)
    finally:
        await asyncio.shield(asyncio.ensure_future(_end(directory, attachment)))


class Trial:
    def __init__(self, agent: Agent, directory: Path, attachment: Attachment | None, workspace: Path) -> None:
        self.workspace = workspace
        self._agent = agent
        self._attachment = attachment
        self._reader = JournalReader(directory)
        self._sent = 0
        self._answers: dict[str, wire.Answer] = {}
        self._end: Json | None = None

    async def alive(self) -> None:
        """Raises AgentEnded if it could not even be started."""
        self._read()
        if self._attachment is None or self._end is not None:
            raise AgentEnded(self._why())

    async def ask(self, method: str, params: Json) -> tuple[Any, Json | None]:
        """The answer to a request: its result, or its error."""
        self._sent += 1
        rpc_id = str(self._sent)
        if self._attachment is not None:
            self._attachment.send(self._sent, wire.request(rpc_id, method, params))
        while rpc_id not in self._answers:
            end = self._attachment.end if self._attachment else 0
            self._read()
            if rpc_id in self._answers:
                break
            if self._end is not None or self._attachment is None or self._attachment.closed:
                raise AgentEnded(self._why())
            await self._attachment.grown_past(max(end, self._reader.offset))
        answer = self._answers.pop(rpc_id)
        return answer.result, answer.error

    async def last_words(self) -> str:
        """What it wrote to its error output."""
        if self._end is not None:
            return self._why().detail
        try:
            return await self._attachment.stderr_tail() if self._attachment else ""
        except KeeperGone:
            return ""

    def _read(self) -> None:
        while records := self._reader.read():
            for record in records:
                if record.type == PRINTED:
                    self._hear(record.payload)
                elif record.type == ENDED:
                    self._end = orjson.loads(record.payload)

    def _hear(self, lines: bytes) -> None:
        for line in lines.split(b"\n"):
            match wire.frame_in(line) if line.strip() else None:
                case wire.Answer() as answer:
                    self._answers[answer.rpc_id] = answer
                case wire.Call() as call:
                    self._refuse(call)

    def _refuse(self, call: wire.Call) -> None:
        """Nobody is there to decide anything; but an agent may wait for an answer before it gives its own."""
        if self._attachment is not None:
            self._sent += 1
            refusal = wire.failure(call.rpc_id, NOT_OFFERED, f"{call.method} is not offered here")
            self._attachment.send(self._sent, refusal)

    def _why(self) -> Exit:
        return explain(self._end or {"reason": "lost"}, self._agent)


async def _end(directory: Path, attachment: Attachment | None) -> None:
    if attachment is not None:
        attachment.kill()
        while await attachment.grown_past(attachment.end):
            pass
        await attachment.close()
    await asyncio.to_thread(end_tree, directory)
    await asyncio.to_thread(shutil.rmtree, directory, True)
