"""Starting agents: in line, watched, and checked once they answer.

Lives here: an agent's way from being wanted to being ready, and giving up one
that cannot be used. Lives elsewhere: who wants one (progress.py), the line
across chats (starts.py), the process itself (keeper/).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from voxpilot.agents import sessions
from voxpilot.agents.abilities import name_of
from voxpilot.agents.agreed import is_agreed
from voxpilot.agents.catalog import Catalog
from voxpilot.agents.dialogue import Answered
from voxpilot.agents.failures import AgentRefused, describe_error
from voxpilot.agents.opening import no_longer_wanted
from voxpilot.chat.events import AgentStatusChanged, Json, NoticeGiven
from voxpilot.errors import Conflict
from voxpilot.keeper.attach import KeeperSpec
from voxpilot.runtime import agreeing, tasks, trust, turn
from voxpilot.runtime.house import House
from voxpilot.runtime.starts import ordinal
from voxpilot.settings import Settings
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Session, Sighting, TrustedFolder

CRASH_WINDOW_SECONDS = 60.0
_ASK = "Send a message to be asked about it."


@dataclass(frozen=True, slots=True)
class Launching:
    ledger: Ledger
    settings: Settings
    catalog: Catalog
    place_of: Callable[[str], int]
    """A process's place in the line of those that want to start; 0 if it may."""

    def crash_loop(self, now: float) -> Json | None:
        """Why an agent is not started again just now."""
        crashes = [at for at in self.ledger.chat.crashes if at > now - CRASH_WINDOW_SECONDS]
        if len(crashes) < self.settings.crash_limit:
            return None
        return {
            "message": f"The agent failed {len(crashes)} times within a minute; it is left alone now.",
            "hint": "Look at its last words above; try again in a minute.",
            "code": "crash-loop",
        }

    def launch(self, agent: str, now: float) -> None:
        ledger = self.ledger
        if not self._may_start(agent, now):
            return
        process = Process(
            id=f"k-{uuid.uuid4().hex[:12]}",
            chat_id=ledger.chat.id,
            agent=agent,
            started_at=now,
            state="waiting",
        )
        self.line_up(ledger.save(process), now)

    def line_up(self, process: Process, now: float) -> None:
        """Begin if it is this one's turn, else tell its place."""
        ledger = self.ledger
        place = self.place_of(process.id)
        if place == 0 and not self._may_start(process.agent, now):
            # It was allowed when it lined up; whoever wants it asks anew and waits for the answer.
            ledger.change(process, state="ended", ended_at=now, ended={"reason": "stopped"})
            ledger.emit(AgentStatusChanged(agent=process.agent, status="disconnected"), now)
        elif place == 0:
            process = ledger.change(process, state="starting", started_at=now, place=0)
            offered = self.catalog.describe(process.agent)
            sessions.begin(ledger, process, now, offered.fs, offered.terminal)
            ledger.emit(AgentStatusChanged(agent=process.agent, status="starting"), now)
        elif place != process.place:
            ledger.change(process, place=place)
            text = f"Waiting to start, {ordinal(place)} in line."
            ledger.emit(AgentStatusChanged(agent=process.agent, status="starting", message=text), now)

    def begun(self, process: Process, answered: Answered, at: float) -> None:
        ledger = self.ledger
        try:
            if answered.error is not None:
                raise AgentRefused(**_message_and_hint(answered.error))
            result = sessions.check_begun(answered.result)
        except AgentRefused as refused:
            self.give_up(process, {"message": refused.message, "hint": refused.hint}, at)
            return
        if process.state == "starting":
            ledger.change(process, state="ready", initialized=result)
            ledger.save(Sighting(agent=process.agent, initialized=result, at=at))
            self._note_version(process, name_of(result)[1], at)
            ledger.emit(AgentStatusChanged(agent=process.agent, status="connected"), at)

    def watch(self, process: Process, now: float) -> None:
        if not process.slow and now >= process.started_at + self.settings.start_notice:
            process = self.ledger.change(process, slow=True)
            event = AgentStatusChanged(
                agent=process.agent, status="starting", message="Still starting.", hint="Stop it if it hangs."
            )
            self.ledger.emit(event, now)
        if now >= process.started_at + self.settings.start_timeout:
            error = {
                "message": f"The agent gave no answer within {self.settings.start_timeout:.0f} s.",
                "hint": "Try its command in a terminal; it may wait for something there.",
            }
            self.give_up(process, error, now)

    def give_up(self, process: Process, error: Json, at: float) -> None:
        """The agent cannot be used: end it, and what waits for it."""
        for task in tasks.of_agent(self.ledger, process.agent):
            turn.finish(self.ledger, task, "failed", "error", at, error)
        self.ledger.change(process, state="stopping", force=True)
        no_longer_wanted(self.ledger, process.agent)
        event = AgentStatusChanged(
            agent=process.agent, status="error", message=error["message"], hint=error.get("hint")
        )
        self.ledger.emit(event, at)

    def _may_start(self, agent: str, now: float) -> bool:
        """Whether a person has allowed it: here, and with this command. Asks if not."""
        if not trust.is_given(self.ledger, self.settings, agent, now):
            return False
        return agreeing.is_given(self.ledger, self.catalog, agent, now)

    def _note_version(self, process: Process, version: str | None, at: float) -> None:
        """Say so if this is not the agent that the chat last spoke to."""
        mine = [session for session in self.ledger.all(Session) if session.agent == process.agent]
        before = {session.agent_version for session in mine} - {None, version}
        if before and version:
            name = self.catalog.describe(process.agent).display_name
            text = f"{name} has changed: {', '.join(sorted(map(str, before)))} → {version}."
            self.ledger.emit(NoticeGiven(level="info", code="agent-changed", text=text), at)
        for session in mine:
            self.ledger.change(session, agent_version=version)


def spec_of(house: House, ledger: Callable[[], Ledger], process: Process) -> Callable[[], KeeperSpec]:
    """What to start, if a person still allows it when it comes to that.

    To be called off the event loop, for it blocks while the login shell is asked.
    """
    chat = ledger().chat

    def spec() -> KeeperSpec:
        found = house.catalog.start_spec(process.agent, process.id, chat.workspace)
        if not is_agreed(house.catalog, process.agent):
            raise Conflict("its command has changed meanwhile", _ASK)
        if trust.untrusted(chat.roots, ledger().all(TrustedFolder), house.settings):
            raise Conflict("its folder is not trusted any more", _ASK)
        return found

    return spec


def _message_and_hint(error: Json) -> dict[str, str]:
    described = describe_error(error)
    return {"message": described["message"], "hint": described.get("hint", "")}
