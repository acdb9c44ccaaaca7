"""Starting agents: in line, watched, and checked once they answer.

Lives here: an agent's way from being wanted to being ready, and giving up one
that cannot be used. Lives elsewhere: who wants one (step/progress.py), the line
across chats (shared/start_queue.py), the process itself (keeper/).
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace

from voxpilot.agents.installed.approved_commands import is_agreed
from voxpilot.agents.installed.capabilities import name_of
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.installed.failures import AgentRefused, describe_error
from voxpilot.agents.installed.sandboxing import in_its_sandbox
from voxpilot.agents.requests import sessions
from voxpilot.agents.requests.dialogue import Answered
from voxpilot.agents.requests.opening import no_longer_wanted
from voxpilot.chat.events import AgentStatusChanged, NoticeGiven
from voxpilot.errors import Conflict, Problem
from voxpilot.keeper.attach import KeeperSpec
from voxpilot.runtime.processes import command_approval, trust
from voxpilot.runtime.shared.services import Services
from voxpilot.runtime.shared.start_queue import ordinal
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.runtime.turns import tasks, turn
from voxpilot.settings import Settings
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Process, Session, Sighting
from voxpilot.storage.database.states import ProcessState, TurnState
from voxpilot.storage.directory import uploads
from voxpilot.threads import look_at
from voxpilot.values import dataclass

CRASH_WINDOW_SECONDS = 60.0
_ASK = "Send a message to be asked again."


@dataclass(frozen=True, slots=True)
class Launching:
    ledger: Ledger
    settings: Settings
    catalog: Catalog
    place_of: Callable[[str], int]
    """A process's position in the start queue; 0 if it may start."""

    def crash_loop(self, now: float) -> Problem | None:
        """Why an agent is not restarted right now."""
        crashes = [at for at in self.ledger.chat.crashes if at > now - CRASH_WINDOW_SECONDS]
        if len(crashes) < self.settings.crash_limit:
            return None
        return Problem(
            f"The agent failed {len(crashes)} times within a minute, so it was not restarted.",
            "See its last output above, and try again in a minute.",
            code="crash-loop",
        )

    def launch(self, agent: str, now: float) -> None:
        ledger = self.ledger
        if not self._may_start(agent, now):
            return
        process = Process(
            id=f"k-{uuid.uuid4().hex[:12]}",
            chat_id=ledger.chat.id,
            agent=agent,
            sandbox=self.catalog.describe(agent).entry.sandbox,
            started_at=now,
            state=ProcessState.WAITING,
        )
        self.line_up(ledger.save(process), now)

    def line_up(self, process: Process, now: float) -> None:
        """Start if it is this process's turn, otherwise report its position."""
        ledger = self.ledger
        place = self.place_of(process.id)
        if place == 0 and not self._may_start(process.agent, now):
            # It was allowed when it joined the queue; the next caller asks again and waits for the answer.
            ledger.change(process, state=ProcessState.ENDED, ended_at=now, ended={"reason": "stopped"})
            ledger.emit(AgentStatusChanged(agent=process.agent, status="disconnected"), now)
        elif place == 0:
            process = ledger.change(process, state=ProcessState.STARTING, started_at=now, place=0)
            offered = self.catalog.describe(process.agent)
            sessions.begin(ledger, process, now, offered.fs, offered.terminal)
            ledger.emit(AgentStatusChanged(agent=process.agent, status="starting"), now)
        elif place != process.place:
            ledger.change(process, place=place)
            text = f"Waiting to start: {ordinal(place)} in the queue."
            ledger.emit(AgentStatusChanged(agent=process.agent, status="starting", message=text), now)

    def begun(self, process: Process, answered: Answered, at: float) -> None:
        ledger = self.ledger
        if answered.error is not None:
            described = describe_error(answered.error)
            self.give_up(process, Problem(described.message, described.hint), at)
            return
        try:
            result = sessions.check_begun(answered.result)
        except AgentRefused as refused:
            self.give_up(process, refused.problem(), at)
            return
        if process.state is ProcessState.STARTING:
            ledger.change(process, state=ProcessState.READY, initialized=result)
            ledger.save(Sighting(agent=process.agent, initialized=result, at=at))
            self._note_version(process, name_of(result)[1], at)
            ledger.emit(AgentStatusChanged(agent=process.agent, status="connected"), at)

    def watch(self, process: Process, now: float) -> None:
        if not process.slow and now >= process.started_at + self.settings.start_notice:
            process = self.ledger.change(process, slow=True)
            event = AgentStatusChanged(
                agent=process.agent,
                status="starting",
                message="Still starting.",
                hint="Press Stop if it is stuck.",
            )
            self.ledger.emit(event, now)
        if now >= process.started_at + self.settings.start_timeout:
            problem = Problem(
                f"The agent did not respond within {self.settings.start_timeout:.0f} s.",
                "Run its command in a terminal; it may be waiting for input.",
            )
            self.give_up(process, problem, now)

    def give_up(self, process: Process, problem: Problem, at: float) -> None:
        """The agent cannot be used: end it and everything that waits for it."""
        for task in tasks.of_agent(self.ledger, process.agent):
            turn.finish(self.ledger, task, TurnState.FAILED, "error", at, problem)
        stop_process(self.ledger, process, at_once=True)
        no_longer_wanted(self.ledger, process.agent)
        event = AgentStatusChanged(
            agent=process.agent, status="error", message=problem.message, hint=problem.hint or None
        )
        self.ledger.emit(event, at)

    def _may_start(self, agent: str, now: float) -> bool:
        """Whether a person has allowed this command in this folder. Asks if not."""
        if not trust.require_trust(self.ledger, self.settings, self.catalog.consents, agent, now):
            return False
        return command_approval.require_approval(self.ledger, self.catalog, agent, now)

    def _note_version(self, process: Process, version: str | None, at: float) -> None:
        """Add a notice if the agent's version differs from the chat's last one."""
        mine = [session for session in self.ledger.all(Session) if session.agent == process.agent]
        before = {session.agent_version for session in mine} - {None, version}
        if before and version:
            name = self.catalog.describe(process.agent).display_name
            text = f"{name} was updated: {', '.join(sorted(map(str, before)))} → {version}."
            self.ledger.emit(NoticeGiven(level="info", code="agent-changed", text=text), at)
        for session in mine:
            self.ledger.change(session, agent_version=version)


def spec_of(
    services: Services, ledger: Callable[[], Ledger], process: Process
) -> Callable[[], Awaitable[KeeperSpec]]:
    """The spec of the process to start, if it is still allowed by then."""
    chat = ledger().chat

    async def spec() -> KeeperSpec:
        # The first start waits for the PATH of the login shell.
        await asyncio.to_thread(services.catalog.learn_path)
        return await look_at(chat.roots, _spec)

    def _spec() -> KeeperSpec:
        agent = services.catalog.get(process.agent)
        found = services.catalog.spec(agent, process.id, chat.workspace)
        if agent.entry.sandbox != process.sandbox:
            raise Conflict("its sandbox setting has changed", "Send a message to start it again.")
        if not is_agreed(services.catalog, process.agent):
            raise Conflict("its command has changed", _ASK)
        if trust.untrusted(chat.roots, services.catalog.consents.folders, services.settings):
            raise Conflict("its folder is no longer trusted", _ASK)
        found = replace(found, clock=services.clock.offset)
        shared = () if process.sandbox == "off" else (uploads.prepare(services.settings.data_dir, chat.id),)
        return in_its_sandbox(services.catalog, agent, found, chat.roots, shared=shared)

    return spec
