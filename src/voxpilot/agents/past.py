"""An agent's own history: the sessions it keeps, with or without us.

Lives here: asking an agent on trial for them, forking one, forgetting one.
Lives elsewhere: the trial (trial.py), going on with a session in a chat
(opening.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxpilot.agents.abilities import Abilities, abilities_of
from voxpilot.agents.catalog import Agent, Catalog
from voxpilot.agents.failures import AgentRefused, describe_error
from voxpilot.agents.opening import next_page, sessions_in
from voxpilot.agents.sessions import check_begun, greeting
from voxpilot.agents.trial import AgentEnded, Trial, on_trial
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict


@dataclass(frozen=True, slots=True)
class PastSession:
    session_id: str
    title: str
    cwd: str
    updated_at: str | None
    """As the agent writes it."""


@dataclass(frozen=True, slots=True)
class Past:
    """Opens an agent on trial for each thing asked of it."""

    catalog: Catalog
    parent: Path
    limit_seconds: float

    async def sessions(
        self, agent: Agent, workspace: str | None, cursor: str | None
    ) -> tuple[list[PastSession], str | None]:
        """One page of them, and where the next begins."""
        async with self._asking(agent) as (trial, able):
            _require(able.list, "lists no sessions")
            params = {name: value for name, value in (("cwd", workspace), ("cursor", cursor)) if value}
            result = await _ask(trial, "session/list", params)
            found = [past for entry in sessions_in(result) if (past := _past(entry)) is not None]
            return [past for past in found if workspace in (None, past.cwd)], next_page(result)

    async def fork(self, agent: Agent, session_id: str, workspace: str) -> str:
        """A new session that begins as this one stands."""
        async with self._asking(agent) as (trial, able):
            _require(able.fork, "cannot fork sessions")
            params = {"sessionId": session_id, "cwd": workspace, "mcpServers": []}
            result = await _ask(trial, "session/fork", params)
            if not isinstance(result, dict) or not isinstance(result.get("sessionId"), str):
                raise AgentRefused("The agent forked a session without naming the new one.")
            return str(result["sessionId"])

    async def delete(self, agent: Agent, session_id: str) -> None:
        async with self._asking(agent) as (trial, able):
            _require(able.delete, "cannot delete sessions")
            await _ask(trial, "session/delete", {"sessionId": session_id})

    @asynccontextmanager
    async def _asking(self, agent: Agent) -> AsyncIterator[tuple[Trial, Abilities]]:
        try:
            async with (
                asyncio.timeout(self.limit_seconds),
                on_trial(self.catalog, agent, self.parent) as trial,
            ):
                await trial.alive()
                begun = check_begun(await _ask(trial, "initialize", greeting(agent.fs, agent.terminal)))
                yield trial, abilities_of(begun)
        except AgentEnded as ended:
            raise AgentRefused(ended.why.message, ended.why.hint) from ended
        except TimeoutError as late:
            why = f"The agent did not answer within {self.limit_seconds:.0f} s."
            raise AgentRefused(why, "Try its command in a terminal.") from late


async def _ask(trial: Trial, method: str, params: Json) -> Any:
    result, error = await trial.ask(method, params)
    if error is not None:
        described = describe_error(error)
        raise AgentRefused(described["message"], described.get("hint", ""))
    return result


def _require(offered: bool, what: str) -> None:
    if not offered:
        raise Conflict(f"This agent {what}.")


def _past(entry: Json) -> PastSession | None:
    session_id, cwd, title = entry.get("sessionId"), entry.get("cwd"), entry.get("title")
    updated = entry.get("updatedAt")
    if not isinstance(session_id, str) or not isinstance(cwd, str):
        return None
    return PastSession(
        session_id,
        title if isinstance(title, str) else "",
        cwd,
        updated if isinstance(updated, str) else None,
    )
