"""What the clock decides, with the real limits.

The chats run in the test's own process, where time stands still until it is moved; the agents are real.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.fakes.script import ALLOW, REJECT, ask, chunks, say, script, silent, spoken_by
from tests.kit.clients.driver import ask as ask_database
from tests.kit.machine.clock import FakeClock
from tests.kit.machine.processes import is_alive, marked
from tests.kit.oracles.oracle import Row, spoken, stored
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted_agents, write_config
from tests.kit.waiting import until
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.chat.events import Json
from voxpilot.runtime.commands.create_chat import ChatSpec
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.shared.clock import Clock
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.runtime.turns import turn
from voxpilot.settings import Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.chats import chat_list
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.rows import Process, Question, Session, Turn
from voxpilot.storage.database.sqlite import Database
from voxpilot.storage.database.states import SessionPhase
from voxpilot.storage.directory import data_dir

pytestmark = pytest.mark.usefixtures("mark")  # the agents are processes

MINUTE = 60.0


class HandClock(FakeClock, Clock):
    """The clock of the chats, moved by hand."""


@dataclass
class Kept:
    """One chat, its clock and what is stored of it."""

    supervisor: Supervisor
    chat: LiveChat
    clock: HandClock
    settings: Settings

    async def send(self, text: str) -> str:
        def act(ledger: Ledger, now: float) -> Json:
            return {"turn": turn.post(ledger, text, (), now).id}

        return str((await self.chat.do(act))["turn"])

    async def cancel(self) -> None:
        await self.chat.do(lambda ledger, now: {"turn": turn.cancel(ledger, now).id})

    async def answer(self, option: str) -> None:
        def act(ledger: Ledger, now: float) -> Json:
            (question,) = ledger.all(Question)
            return {"id": open_questions.answer(ledger, question.id, option, "here", None, now).id}

        await self.chat.do(act)

    async def pass_time(self, seconds: float) -> None:
        """Let this much time pass, and wait for the chat's next step."""
        self.clock.advance(seconds)
        await self.chat.do(lambda ledger, now: {})

    async def until(self, claim: Any) -> None:
        with anyio.fail_after(30):
            await self.chat.until(claim)

    async def ended(self, turn_id: str) -> tuple[str, str]:
        """State and stop reason of a turn, once it has ended."""
        sql = "SELECT state, stop_reason FROM turns WHERE id = ? AND ended_at IS NOT NULL"
        await until(lambda: ask_database(self.settings.database, sql, turn_id) != [], 30)
        state, reason = ask_database(self.settings.database, sql, turn_id)[0]
        return state, reason

    async def shown(self) -> Json:
        found = await chat_list.summary(self.supervisor.services.db, self.chat.id)
        assert found is not None
        return found

    def rows(self) -> list[Row]:
        return stored(self.settings.database, self.chat.id)

    def statuses(self) -> list[tuple[str, str | None]]:
        told = [row.data for row in self.rows() if row.kind == "agent-status"]
        return [(status["status"], status.get("message")) for status in told]

    def notices(self) -> list[str]:
        return [row.data["code"] for row in self.rows() if row.kind == "notice"]


@asynccontextmanager
async def kept(place: Path, workspace: Path, agent: str, **env: str) -> AsyncIterator[Kept]:
    """A chat run in this process; its agents are ended with the block."""
    config = write_config(place / "config.toml", scripted_agents(place))
    environ = {"VOXPILOT_CONFIG": str(config), "VOXPILOT_DATA_DIR": str(place / "data"), "HOME": str(place)}
    live = LiveSettings({**environ, **env})
    settings = live.now
    data_dir.prepare(settings.data_dir)
    migrate(settings.database)
    clock = HandClock(time.time())
    async with Database(settings.database) as db:
        async with Supervisor(db, live, Catalog(live), clock) as supervisor:
            chat_id = await supervisor.create(
                ChatSpec(workspace=str(workspace), mode="agent", agent=agent), None
            )
            try:
                yield Kept(supervisor, await supervisor.chat(chat_id), clock, settings)
            finally:
                with anyio.CancelScope(shield=True):
                    await supervisor.stop_agents()


def is_prompting(ledger: Ledger) -> bool:
    return any(session.phase is SessionPhase.PROMPTING for session in ledger.all(Session))


async def test_a_hanging_start_is_told_at_five_seconds_and_given_up_at_sixty(
    place: Path, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F5, K8: neither happens sooner; the turn fails, the process tree is gone."""
    async with kept(place, workspace, "scripted-hang-init") as chat:
        turn_id = await chat.send(script(say("never")))
        await until(lambda: len(agent_log.received("initialize")) == 1, 30)
        await chat.pass_time(4.99)
        assert chat.statuses() == [("starting", None)]
        await chat.pass_time(0.02)
        assert chat.statuses() == [("starting", None), ("starting", "Still starting.")]
        await chat.pass_time(54.97)
        assert len(chat.statuses()) == 2
        assert chat.chat.ledger.get(Turn, turn_id) is not None
        await chat.pass_time(0.03)
        assert await chat.ended(turn_id) == ("failed", "error")
        (end,) = [row.data for row in chat.rows() if row.kind == "turn-ended"]
        assert end["error"]["message"] == "The agent did not respond within 60 s."
        await chat.until(lambda ledger: not ledger.all(Process))
        await until(lambda: marked(mark) == [], 25)


async def test_a_slow_start_that_succeeds_is_no_failure(
    place: Path, workspace: Path, agent_log: AgentLog
) -> None:
    """F5: once it has started, the start limit no longer applies."""
    async with kept(place, workspace, "scripted") as chat:
        turn_id = await chat.send(script(say("hello"), silent()))
        await chat.pass_time(59)
        await chat.until(is_prompting)
        await chat.pass_time(10 * MINUTE)
        assert chat.chat.ledger.get(Turn, turn_id) is not None
        await chat.cancel()
        assert await chat.ended(turn_id) == ("cancelled", "cancelled")


async def test_an_agent_silent_for_ten_minutes_is_not_ended_and_can_be_stopped(
    place: Path, workspace: Path, agent_log: AgentLog
) -> None:
    """F18: the chat shows the last sign of life; even an hour changes nothing."""
    async with kept(place, workspace, "scripted") as chat:
        turn_id = await chat.send(script(chunks(3), silent()))
        await until(lambda: spoken(chat.rows()) == spoken_by(script(chunks(3))), 30)
        before = chat.rows()
        last = (await chat.shown())["updated_at"]
        assert chat.clock.now() - last < 1
        for _ in range(6):
            await chat.pass_time(10 * MINUTE)
            shown = await chat.shown()
            assert (shown["running"], shown["status"], shown["updated_at"]) == (True, "working", last)
        assert chat.rows() == before
        assert is_alive(agent_log.starts()[0])
        await chat.cancel()
        assert await chat.ended(turn_id) == ("cancelled", "cancelled")
        assert "forced-stop" not in chat.notices()


async def test_an_agent_that_ignores_cancel_is_forced_at_ten_seconds(
    place: Path, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F27, K7: not sooner; then the turn is cancelled and the process tree is gone."""
    async with kept(place, workspace, "scripted-ignore-cancel") as chat:
        turn_id = await chat.send(script(say("text"), silent()))
        await until(lambda: spoken(chat.rows()) == "text", 30)
        await chat.cancel()
        await until(lambda: len(agent_log.received("session/cancel")) == 1, 30)
        await chat.pass_time(9.99)
        assert chat.notices() == ["stopping"]
        assert chat.chat.ledger.get(Turn, turn_id) is not None
        await chat.pass_time(0.02)
        assert chat.notices() == ["stopping", "forced-stop"]
        assert await chat.ended(turn_id) == ("cancelled", "cancelled")
        await until(lambda: marked(mark) == [], 25)
        assert spoken(chat.rows()) == "text"


async def test_an_idle_agent_is_stopped_after_half_an_hour_and_no_sooner(
    place: Path, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F85, K5: the next message starts it again."""
    async with kept(place, workspace, "scripted") as chat:
        assert await chat.ended(await chat.send(script(say("one")))) == ("done", "end_turn")
        await chat.pass_time(20)  # what is stored after the end of a turn starts the half hour again
        await chat.pass_time(29 * MINUTE)
        assert [process.state for process in chat.chat.ledger.all(Process)] == ["ready"]
        await chat.pass_time(2 * MINUTE)
        await chat.until(lambda ledger: not ledger.all(Process))
        await until(lambda: marked(mark) == [], 25)
        assert chat.statuses()[-1] == ("disconnected", "The agent was stopped.")
        assert await chat.ended(await chat.send(script(say("two")))) == ("done", "end_turn")
        assert len(agent_log.starts()) == 2
        assert spoken(chat.rows()) == "onetwo"


async def test_an_agent_is_not_stopped_while_somebody_looks(
    place: Path, workspace: Path, agent_log: AgentLog
) -> None:
    """F85: its time starts when the last viewer leaves."""
    async with kept(place, workspace, "scripted") as chat:
        follower = chat.chat.follow(0, asyncio.Event())
        assert await chat.ended(await chat.send(script(say("one")))) == ("done", "end_turn")
        await chat.pass_time(60 * MINUTE)
        follower.close()
        await chat.pass_time(29 * MINUTE)
        assert [process.state for process in chat.chat.ledger.all(Process)] == ["ready"]
        await chat.pass_time(2 * MINUTE)
        await chat.until(lambda ledger: not ledger.all(Process))


@pytest.mark.parametrize("prompt", [script(say("a"), silent()), script(say("a"), ask("t1"), say("b"))])
async def test_neither_a_running_turn_nor_an_open_question_is_cut_for_lack_of_viewers(
    place: Path, workspace: Path, agent_log: AgentLog, prompt: str
) -> None:
    """F85, F38, K5: after a day nothing has changed, and an answer is still accepted."""
    async with kept(place, workspace, "scripted") as chat:
        turn_id = await chat.send(prompt)
        wanted = (lambda ledger: bool(ledger.all(Question))) if "ask" in prompt else is_prompting
        await chat.until(wanted)
        await until(lambda: spoken(chat.rows()) == "a", 30)
        for _ in range(24):
            await chat.pass_time(60 * MINUTE)
        assert [process.state for process in chat.chat.ledger.all(Process)] == ["ready"]
        assert is_alive(agent_log.starts()[0])
        if "ask" in prompt:
            assert (await chat.shown())["needs_you"] == 1
            await chat.answer(ALLOW)
            assert await chat.ended(turn_id) == ("done", "end_turn")
            assert spoken(chat.rows()) == spoken_by(prompt, [ALLOW])
        else:
            await chat.cancel()
            assert await chat.ended(turn_id) == ("cancelled", "cancelled")


async def test_a_question_is_turned_down_after_its_time_where_one_is_set(
    place: Path, workspace: Path, agent_log: AgentLog
) -> None:
    """F38: rejected with an option that the agent offered, and not a second earlier."""
    async with kept(place, workspace, "scripted", VOXPILOT_QUESTION_TIMEOUT="1h") as chat:
        prompt = script(ask("t1"), say("b"))
        turn_id = await chat.send(prompt)
        await chat.until(lambda ledger: bool(ledger.all(Question)))
        await chat.pass_time(59 * MINUTE)
        assert (await chat.shown())["needs_you"] == 1
        await chat.pass_time(2 * MINUTE)
        assert await chat.ended(turn_id) == ("done", "end_turn")
        assert agent_log.decisions() == [REJECT]
        decided = [row.data for row in chat.rows() if row.kind == "answer"]
        assert [(a["outcome"], a["by"], a["reason"]) for a in decided] == [
            ("reject_once", "expired", "Nobody answered in time.")
        ]


async def test_a_crash_loop_is_over_after_a_minute(place: Path, workspace: Path) -> None:
    """F25: then it is tried again."""
    async with kept(place, workspace, "scripted-exit-at-spawn") as chat:
        for _ in range(7):
            assert await chat.ended(await chat.send(script(say("x")))) == ("failed", "error")
        count = "SELECT count(*) FROM agent_processes"
        assert ask_database(chat.settings.database, count) == [(5,)]
        await chat.pass_time(2 * MINUTE)  # its agents fail by the real clock
        assert await chat.ended(await chat.send(script(say("x")))) == ("failed", "error")
        assert ask_database(chat.settings.database, count) == [(6,)]
