"""A turn during which the server is killed repeatedly.

Lives here: driving one such turn with clients that never give up, and checking the result. Lives elsewhere:
where to kill (test_kill_anytime.py).
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2

from tests.fakes.script import ALLOW, ask, chunks, script, spoken_by
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.sse import Viewer
from tests.kit.oracles.oracle import judge, stored
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import MARK, scripted, write_config
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

RANDOM = "random"
TURN_SECONDS = 60.0


@dataclass
class Fallen:
    """Where the kills of one turn fell."""

    points: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


class KilledTurn:
    """One chat, one turn of `count` chunks twice with a question in between, and one kill after another."""

    def __init__(
        self, folder: Path, mark: str, dice: random.Random, count: int = 1000, every_ms: float = 1.5
    ) -> None:
        self.log = AgentLog(folder / "agent.jsonl")
        agent = scripted(log=self.log.path, options=["--no-log-out", "--store", str(folder / "agent")])
        config = write_config(folder / "config.toml", {"scripted": agent}, self.settings())
        self.server = ServerProcess(folder / "data", config, env={MARK: mark})
        self.folder = folder
        self.dice = dice
        self.fallen = Fallen()
        self.prompt = script(chunks(count, every_ms), ask("e1", "May I edit?"), chunks(count, every_ms))
        self.chat = ""
        self.viewer: Viewer | None = None
        self.over = anyio.Event()

    def settings(self) -> dict[str, Any]:
        """Further settings for the settings file."""
        return {}

    async def run(self, kills: list[str]) -> Fallen:
        (self.folder / "workspace").mkdir()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._kill_all, kills)
                tasks.start_soon(self._talk)
            await self._judge()
        finally:
            await self.server.close()
        return self.fallen

    async def _kill_all(self, kills: list[str]) -> None:
        """Start the server again and again, each time killed at the given point; the last one stays."""
        for kill in kills:
            if self.over.is_set():
                self.fallen.missed.append(kill)
                continue
            await self._live_and_die(kill)
        if not self.server.is_running:
            await self.server.start()

    async def _live_and_die(self, kill: str) -> None:
        if kill == RANDOM:
            await self.server.start()
            await self._live_a_little()
            if not self.over.is_set():
                await self.server.kill()
                self.fallen.points.append(kill)
            return
        self.server.spawn(kill)
        await until(
            lambda: not self.server.is_running or self.over.is_set(), TURN_SECONDS, f"{kill} never came"
        )
        if self.server.is_running:
            self.fallen.missed.append(kill)
            await self.server.kill()
            return
        assert self.server.exit_code == -9, self.server.stderr
        self.fallen.points.append(kill.partition(":")[0])

    async def _live_a_little(self) -> None:
        with anyio.move_on_after(self.dice.uniform(0, 0.8)):
            await self.over.wait()

    async def _talk(self) -> None:
        """A person who does not give up: each request is repeated, with its key, until it is answered."""
        made = await self._insist(lambda api: api.create_chat(self.folder / "workspace", key="chat"))
        self.chat = made["id"]
        async with Viewer(self.server.url, self.server.token, self.chat) as viewer:
            self.viewer = viewer
            await self._insist(lambda api: api.prompt(self.chat, self.prompt, key="message"))
            asked = (await viewer.read_until("question", TURN_SECONDS))[-1]
            await self._insist(lambda api: api.answer(self.chat, asked.data["id"], ALLOW, key="answer"))
            await viewer.read_turns(1, TURN_SECONDS)
            self.over.set()
            await until(lambda: self.server.is_running, TURN_SECONDS)

    async def _insist(self, act: Callable[[Api], Awaitable[Any]]) -> Any:
        with anyio.fail_after(TURN_SECONDS):
            while True:
                try:
                    async with Api(self.server.url, self.server.token, timeout=5) as api:
                        return await act(api)
                except (httpx2.TransportError, FileNotFoundError):
                    await anyio.sleep(0.02)
                except ApiError as error:
                    if error.status != 503:
                        raise
                    await anyio.sleep(0.02)

    async def _judge(self) -> None:
        assert self.viewer is not None
        text = spoken_by(self.prompt, answers=[ALLOW])
        judge(self.server.database, self.chat, self.viewer.events, text=text)
        kinds = [row.kind for row in stored(self.server.database, self.chat)]
        for once in ("message", "turn-started", "turn-ended", "question", "answer"):
            assert kinds.count(once) == 1, (once, kinds.count(once))
        self._judge_agent()

    def _judge_agent(self) -> None:
        """Everything we sent reached the one agent once, in order."""
        assert len(self.log.starts()) == 1
        methods = [frame.get("method", "answer") for frame in self.log.received()]
        assert methods == ["initialize", "session/new", "session/prompt", "answer"]
        assert self.log.prompts() == [self.prompt]
        assert self.log.decisions() == [ALLOW]
