"""A short run of an agent outside any chat.

Lives here: a process that lives as long as a block, in an empty folder of its own, and requests that wait for
their answers. Lives elsewhere: what to test (doctor.py). Chats never wait like this: their requests are rows
(requests/dialogue.py).
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from voxpilot.agents.installed.catalog import Agent, Catalog
from voxpilot.agents.installed.exits import explain
from voxpilot.agents.installed.failures import NOT_OFFERED
from voxpilot.agents.installed.sandboxing import in_its_sandbox
from voxpilot.agents.wire import frames
from voxpilot.chat.events import Json
from voxpilot.errors import Problem
from voxpilot.keeper.attach import Attachment, attach, start_keeper
from voxpilot.keeper.journal import ENDED, PRINTED, JournalReader
from voxpilot.keeper.reaching import KeeperGone
from voxpilot.keeper.sweep import end_tree

READ_BYTES = 64_000
"""How much of its output is processed before others get their turn."""
KEPT_BYTES = 1 << 20
"""How much of what was read stays on the disk."""
AHEAD_BYTES = 16 << 20
"""How much it may print before it has to wait for us."""
KILL_SECONDS = 5.0
"""How long its keeper may take to end it; then both are killed."""
ALONE_SECONDS = 5.0
"""How long it may live if nobody is left to end it."""


class AgentEnded(Exception):
    """The agent has ended."""

    def __init__(self, why: Problem) -> None:
        super().__init__(why.message)
        self.why = why


@asynccontextmanager
async def on_trial(catalog: Catalog, agent: Agent, parent: Path | None) -> AsyncIterator[Trial]:
    """Run the agent for the duration of the block; nothing outlives it, even if the block is cancelled."""
    directory = Path(tempfile.mkdtemp(prefix="trial-", dir=parent)).resolve()
    workspace = directory / "workspace"
    workspace.mkdir()
    id = f"t-{uuid.uuid4().hex[:12]}"
    spec = await asyncio.to_thread(catalog.spec, agent, id, str(workspace))
    ours = replace(
        await asyncio.to_thread(in_its_sandbox, catalog, agent, spec, [str(workspace)], [str(workspace)]),
        idle_seconds=ALONE_SECONDS,
        busy_seconds=ALONE_SECONDS,
        attach_seconds=ALONE_SECONDS,
        keep_bytes=KEPT_BYTES,
        segment_bytes=KEPT_BYTES,
        ahead_bytes=AHEAD_BYTES,
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
        self._asked = ""
        """The id of the request that waits for an answer."""
        self._answers: dict[str, frames.Answer] = {}
        self._end: Json | None = None

    async def alive(self) -> None:
        """Raises AgentEnded if it could not even be started."""
        await self._read()
        if self._attachment is None or self._end is not None:
            raise AgentEnded(self._why())

    async def ask(self, method: str, params: Json) -> tuple[Any, Json | None]:
        """The answer to a request: its result, or its error."""
        self._sent += 1
        self._asked = str(self._sent)
        if self._attachment is not None:
            self._attachment.send(self._sent, frames.request(self._asked, method, params))
        while True:
            end = self._attachment.end if self._attachment else 0
            await self._read()
            if (answer := self._answers.pop(self._asked, None)) is not None:
                return answer.result, answer.error
            if self._end is not None or self._attachment is None or self._attachment.closed:
                raise AgentEnded(self._why())
            await self._attachment.grown_past(max(end, self._reader.offset))

    async def last_words(self) -> str:
        """What it wrote to its error output."""
        if self._end is not None:
            return str(self._why().detail)
        try:
            return await self._attachment.stderr_tail() if self._attachment else ""
        except KeeperGone:
            return ""

    async def _read(self) -> None:
        """Process what it has printed. It may print without end, so others get their turn in between."""
        while records := self._reader.read(READ_BYTES):
            for record in records:
                if record.type == PRINTED:
                    self._hear(record.payload)
                elif record.type == ENDED:
                    self._end = orjson.loads(record.payload)
            if self._attachment is not None:
                self._attachment.ack(self._reader.offset)
            await asyncio.sleep(0)

    def _hear(self, lines: bytes) -> None:
        for line in lines.split(b"\n"):
            match frames.frame_in(line) if frames.may_be_one(line) else None:
                case frames.Answer() as answer if answer.rpc_id == self._asked:
                    self._answers[answer.rpc_id] = answer
                case frames.Call() as call:
                    self._refuse(call)

    def _refuse(self, call: frames.Call) -> None:
        """Nobody can decide anything here, but an agent may wait for an answer before it sends its own."""
        if self._attachment is not None:
            self._sent += 1
            refusal = frames.failure(call.rpc_id, NOT_OFFERED, f"{call.method} is not supported here")
            self._attachment.send(self._sent, refusal)

    def _why(self) -> Problem:
        return explain(self._end or {"reason": "lost"}, self._agent)


async def _end(directory: Path, attachment: Attachment | None) -> None:
    if attachment is not None:
        attachment.kill()
        with suppress(TimeoutError):
            async with asyncio.timeout(KILL_SECONDS):
                while await attachment.grown_past(attachment.end):
                    pass
        await attachment.close()
    await asyncio.to_thread(end_tree, directory)
    await asyncio.to_thread(shutil.rmtree, directory, True)
