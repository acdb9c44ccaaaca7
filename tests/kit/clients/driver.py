"""One chat of a real server as a person sees it, and its state in the database and on the machine.

Lives here: sending, stopping and answering in one chat; looking at turns, agents and keepers from outside.
Lives elsewhere: the server, the client, the viewer and the oracles (tests/kit), the agent (tests/fakes).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kit.clients.client import Api
from tests.kit.clients.sse import Event, Viewer
from tests.kit.machine.processes import look_at
from tests.kit.oracles.oracle import Broken, Row, judge, spoken, stored
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server
from tests.kit.waiting import until

SLACK = 5
"""Machines are noisy, so time limits are multiplied by this factor."""
NIGHTLY = bool(os.environ.get("VOXPILOT_NIGHTLY"))
"""Whether the longer variants run."""
LONG_SECONDS = 1800 if NIGHTLY else 120
"""The limit of a test that has a longer variant."""


@dataclass
class Talk:
    """A chat with a viewer."""

    server: Server
    api: Api
    id: str
    viewer: Viewer

    async def send(self, text: str, **more: Any) -> str:
        """Post a message; returns the id of its turn."""
        return str((await self.api.prompt(self.id, text, **more))["turn"])

    async def run(self, text: str, within: float = 30.0) -> dict[str, Any]:
        """Post a message and wait for its end; returns the end."""
        return await self.ended(await self.send(text), within)

    async def ended(self, turn: str, within: float = 30.0) -> dict[str, Any]:
        return await self.sees(lambda e: e.kind == "turn-ended" and e.data["turn"] == turn, within)

    async def sees(self, wanted: str | Callable[[Event], bool], within: float = 30.0) -> dict[str, Any]:
        """Wait until such an event was received, now or earlier; returns its body."""
        events = await self.viewer.read_until(wanted, within)
        return dict(events[-1].data)

    async def notice(self, code: str, within: float = 30.0) -> dict[str, Any]:
        return await self.sees(lambda e: e.kind == "notice" and e.data["code"] == code, within)

    async def question(self, number: int = 1, within: float = 30.0) -> dict[str, Any]:
        """The n-th question of this chat."""
        await until(lambda: len(self.of_kind("question")) >= number, within, "the question did not arrive")
        return self.of_kind("question")[number - 1]

    async def says(self, text: str, within: float = 30.0) -> None:
        """Wait until the agent has said at least this."""
        await self.sees(lambda _: text in spoken(self.viewer.events), within)

    async def cancel(self) -> Any:
        """Stop what runs, by its name, as the page does."""
        running = self._ask("SELECT id FROM turns WHERE chat_id = ? AND state = 'running'")
        return await self.api.cancel(self.id, turn=running[0][0] if running else None)

    async def answer(self, question: dict[str, Any], option: str, **more: Any) -> Any:
        return await self.api.answer(self.id, question["id"], option, **more)

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [event.data for event in self.viewer.events if event.kind == kind]

    def notices(self, code: str) -> list[dict[str, Any]]:
        """All stored notices with this code."""
        return [row.data for row in self.rows() if row.kind == "notice" and row.data["code"] == code]

    def rows(self) -> list[Row]:
        return stored(self.server.database, self.id)

    def text(self) -> str:
        """Everything the agent said, as stored."""
        return spoken(self.rows())

    def states(self) -> list[str]:
        """The state of every turn, oldest first."""
        return [state for (state,) in self._ask("SELECT state FROM turns WHERE chat_id = ? ORDER BY number")]

    def state_of(self, turn: str) -> str:
        sql = "SELECT state FROM turns WHERE chat_id = ? AND id = ?"
        return str(self._ask(sql, turn)[0][0])

    def processes(self) -> list[str]:
        """The state of every agent process this chat ever had, oldest first."""
        sql = "SELECT state FROM agent_processes WHERE chat_id = ? ORDER BY started_at"
        return [state for (state,) in self._ask(sql)]

    async def judge(self, text: str | None = None) -> list[Row]:
        """The log is complete, the viewer saw all of it, and it contains the agent's text once."""
        while True:
            last = self.rows()[-1].seq
            await until(lambda last=last: self.viewer.last_seq >= last, 30, "the viewer fell behind")  # type: ignore[misc]
            try:
                return judge(self.server.database, self.id, self.viewer.events, text=text)
            except Broken:
                if self.rows()[-1].seq == last:
                    raise
                # Something was added in the meantime, so the viewer could not have seen all of it: check
                # again.

    def _ask(self, sql: str, *more: Any) -> list[Any]:
        return ask(self.server.database, sql, self.id, *more)


@asynccontextmanager
async def talking(
    server: Server,
    workspace: Path,
    agent: str | None = "scripted",
    chat: str | None = None,
    mode: str = "agent",
) -> AsyncIterator[Talk]:
    """A chat, new unless one is given, with a viewer that stays connected within the block."""
    async with Api(server.url, server.token) as api:
        chat = chat or str((await api.create_chat(workspace, agent, mode))["id"])
        try:
            async with Viewer(server.url, server.token, chat) as viewer:
                yield Talk(server, api, chat, viewer)
        except BaseExceptionGroup as group:
            if len(group.exceptions) > 1:
                raise
            raise group.exceptions[0] from None  # the viewer wraps a test's own failure


def ask(database: Path, sql: str, *parameters: Any) -> list[Any]:
    """A read-only query to the database."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
        return connection.execute(sql, parameters).fetchall()


def keeper_of(agent: int) -> int:
    """The keeper of a running agent."""
    found = look_at(agent)
    assert found is not None, "the agent is gone"
    return found.parent


def said_by(log: AgentLog) -> str:
    """All text that the agents sent according to their own logs."""
    updates = [frame["params"]["update"] for frame in log.sent("session/update")]
    return "".join(
        update["content"]["text"] for update in updates if update["sessionUpdate"] == "agent_message_chunk"
    )


def percentile(figures: Sequence[float], part: float) -> float:
    return sorted(figures)[min(len(figures) - 1, int(len(figures) * part))]


async def lose_agent(talk: Talk, log: AgentLog) -> None:
    """Kill the agent between two turns."""
    talk.server.signal_agent(log.starts()[-1])
    await until(lambda: set(talk.processes()) == {"ended"}, 10)
