"""An agent's own history: the sessions it keeps, with or without us.

Lives here: listing, forking and deleting them with a short run of the agent. Lives elsewhere: the short run
(probe.py), continuing a session in a chat (requests/opening.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from voxpilot.agents.installed.capabilities import Abilities, abilities_of
from voxpilot.agents.installed.catalog import Agent, Catalog
from voxpilot.agents.installed.failures import AgentRefused, describe_error, wants_sign_in
from voxpilot.agents.probe.probe import AgentEnded, Trial, on_trial
from voxpilot.agents.requests.opening import next_page, sessions_in
from voxpilot.agents.requests.sessions import check_begun, greeting
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict
from voxpilot.values import dataclass


class SignInFirst(AgentRefused):
    """It answers this only to a person who is signed in."""


EMPTY_PAGES = 20
"""The most pages read until one has something to show; some agents filter by folder only after paging."""


@dataclass(frozen=True, slots=True)
class PastSession:
    session_id: str
    title: str
    cwd: str
    updated_at: str | None
    """As the agent writes it."""


@dataclass(frozen=True, slots=True)
class Past:
    """Starts the agent for each request and stops it afterwards."""

    catalog: Catalog
    parent: Path
    limit_seconds: float

    async def sessions(
        self, agent: Agent, workspace: str | None, cursor: str | None
    ) -> tuple[list[PastSession], str | None]:
        """One page of the sessions, and the cursor of the next; further pages if none is in this folder."""
        async with self._asking(agent) as (trial, able):
            _require(able.list, "cannot list sessions")
            for _ in range(EMPTY_PAGES):
                params = {name: value for name, value in (("cwd", workspace), ("cursor", cursor)) if value}
                result = await _ask(trial, "session/list", params)
                found = [past for entry in sessions_in(result) if (past := _past(entry)) is not None]
                here = [past for past in found if workspace in (None, past.cwd)]
                cursor = next_page(result)
                if here or cursor is None:
                    return here, cursor
            return [], cursor

    async def fork(self, agent: Agent, session_id: str, workspace: str) -> str:
        """A new session that starts as a copy of this one."""
        async with self._asking(agent) as (trial, able):
            _require(able.fork, "cannot fork sessions")
            params = {"sessionId": session_id, "cwd": workspace, "mcpServers": []}
            result = await _ask(trial, "session/fork", params)
            if not isinstance(result, dict) or not isinstance(result.get("sessionId"), str):
                raise AgentRefused("The agent forked a session but returned no session id.")
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
        except SignInFirst as refused:
            # There is no chat here in which a person could sign in, so name the command.
            hint = f"{agent.login_hint} Then try again." if agent.login_hint else refused.hint
            raise AgentRefused(refused.message, hint) from refused
        except AgentEnded as ended:
            raise AgentRefused(ended.why.message, ended.why.hint) from ended
        except TimeoutError as late:
            why = f"The agent did not respond within {self.limit_seconds:.0f} s."
            raise AgentRefused(why, "Run its command in a terminal to see why.") from late


async def _ask(trial: Trial, method: str, params: Json) -> Any:
    result, error = await trial.ask(method, params)
    if error is not None:
        described = describe_error(error)
        refused = SignInFirst if wants_sign_in(error) else AgentRefused
        raise refused(described.message, described.hint)
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
