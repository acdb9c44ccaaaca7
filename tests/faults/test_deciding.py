"""A permission is decided exactly once, whoever answers, stops, dies or restarts."""

from __future__ import annotations

import os
import random
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    ALLOW,
    ALWAYS,
    CANCELLED,
    REJECT,
    ask,
    ask_many,
    say,
    script,
    spoken_by,
    touch,
    wait_file,
)
from tests.faults.driver import LONG_SECONDS, NIGHTLY, keeper_of, talking
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api, ApiError, new_key
from tests.kit.server import ServerProcess
from tests.kit.waiting import until

BURST = 50
BURSTS = 100 if NIGHTLY else 20
ASK = script(say("one."), ask("t1", "May I?"), say(".two"))


@asynccontextmanager
async def signed_in(server: ServerProcess, name: str) -> AsyncIterator[Api]:
    """A client of its own name, signed in by a link as a phone is."""
    async with Api(server.url, server.token) as owner, Api(server.url, None) as api:
        code = (await owner.call("POST", "/api/links", {}))["code"]
        api.http.headers["Origin"] = server.url
        await api.call("POST", "/api/login", {"code": code, "device": name})
        yield api


@pytest.mark.timeout(LONG_SECONDS)
async def test_of_two_who_answer_at_once_one_wins_and_the_other_is_told_who(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F33, K13: a thousand races; the agent gets one answer each, the winner's."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    chance = random.Random(33)
    won: dict[str, str] = {}
    names: Counter[str] = Counter()
    async with (
        talking(server, workspace) as talk,
        signed_in(server, "phone") as phone,
        signed_in(server, "laptop") as laptop,
    ):

        async def race(question: dict[str, Any]) -> None:
            options = chance.sample([ALLOW, ALWAYS, REJECT], 2)
            replies: dict[str, Any] = {}
            async with anyio.create_task_group() as both:
                for name, api, option in (("phone", phone, options[0]), ("laptop", laptop, options[1])):
                    both.start_soon(answer, talk.id, question["id"], name, api, option, replies)
            winner, loser = sorted(replies, key=lambda name: isinstance(replies[name], ApiError))
            chosen = replies[winner]["option_id"]
            refused = replies[loser]
            assert isinstance(refused, ApiError), f"both won: {replies}"
            assert (refused.status, refused.code) == (409, "already-decided")
            label = {ALLOW: "Allow", ALWAYS: "Always allow", REJECT: "Reject"}[chosen]
            said = re.fullmatch(r"Already decided by (.+) at (\d\d:\d\d): (.+)\.", refused.message)
            assert said is not None, refused.message
            assert (said[1], said[3]) == (winner, label)
            won[question["detail"]["tool"] + question["turn"]] = chosen
            names[winner] += 1

        for burst in range(BURSTS):
            turn = await talk.send(script(ask_many(BURST)))
            await talk.question((burst + 1) * BURST)
            asked = [q for q in talk.of_kind("question") if q["turn"] == turn]
            for question in asked:
                await race(question)
            await talk.ended(turn)
            decided = ",".join(won[q["detail"]["tool"] + turn] for q in asked)
            assert talk.text().endswith(f"<answers:{decided}>")
        assert len(won) == BURST * BURSTS
        assert Counter(agent_log.decisions()) == Counter(won.values())
        assert min(names.values()) > BURST * BURSTS / 50, f"the race was never close: {names}"
        rows = await talk.judge()
        assert sum(row.kind == "answer" for row in rows) == BURST * BURSTS


async def answer(
    chat: str, question: str, name: str, api: Api, option: str, replies: dict[str, Any], wait: float = 0.0
) -> None:
    """Answer, perhaps a moment later, and keep what was replied."""
    await anyio.sleep(wait)
    try:
        replies[name] = await api.answer(chat, question, option)
    except ApiError as refused:
        replies[name] = refused


async def test_a_double_click_decides_once_and_a_retry_gets_the_same_reply(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F34: with the same key the same reply, with another key who has decided."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(ASK)
        question = await talk.question()
        key = new_key()
        replies: list[Any] = []

        async def click() -> None:
            replies.append(await talk.answer(question, ALLOW, key=key))

        async with anyio.create_task_group() as clicks:
            for _ in range(10):
                clicks.start_soon(click)
        assert replies == [{"question_id": question["id"], "option_id": ALLOW, "outcome": "allow_once"}] * 10
        await talk.ended(turn)
        assert await talk.answer(question, ALLOW, key=key) == replies[0]
        for option in (ALLOW, REJECT):
            with pytest.raises(ApiError, match=r"Already decided by a script at \d\d:\d\d: Allow"):
                await talk.answer(question, option)
        assert agent_log.decisions() == [ALLOW]
        await talk.judge(text=spoken_by(ASK, [ALLOW]))


async def test_an_option_that_was_not_offered_is_refused(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F39: nothing reaches the agent, and the question stays open."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(ASK)
        question = await talk.question()
        for option in ("allow_once", "", "opt-allow ", "cancelled"):
            with pytest.raises(ApiError) as refused:
                await talk.answer(question, option)
            assert refused.value.status in (400, 409, 422)
        with pytest.raises(ApiError, match="404"):
            await talk.answer({"id": "q-other"}, ALLOW)
        assert agent_log.decisions() == []
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        await talk.answer(question, REJECT)
        await talk.ended(turn)
        assert agent_log.decisions() == [REJECT]
        await talk.judge(text=spoken_by(ASK, [REJECT]))


async def test_an_answer_after_a_stop_is_refused_and_the_agent_was_told_cancelled(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F35: told at once, so that an agent that waits for the answer alone comes to an end."""
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        turn = await talk.send(ASK)
        question = await talk.question()
        await talk.cancel()
        for option in (ALLOW, REJECT):
            with pytest.raises(ApiError, match="409 already-decided: The turn was stopped"):
                await talk.answer(question, option)
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert agent_log.decisions() == [CANCELLED]
        (decided,) = talk.of_kind("answer")
        assert (decided["outcome"], decided["by"]) == ("cancelled", "cancelled")
        assert talk.notices("forced-stop") == []
        await talk.judge(text=spoken_by(ASK, [CANCELLED]))


async def test_a_stop_and_an_answer_that_race_agree(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F35: whatever the person was told is what the agent got."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    rounds = 60
    chance = random.Random(35)
    told: list[str] = []
    async with talking(server, workspace) as talk:
        for number in range(rounds):
            turn = await talk.send(script(ask(f"t{number}")))
            question = await talk.question(number + 1)

            replies: dict[str, Any] = {}
            person = (talk.id, question["id"], "person", talk.api, ALLOW, replies)
            lead = chance.uniform(-0.01, 0.01)
            async with anyio.create_task_group() as both:
                both.start_soon(answer, *person, max(0.0, lead))
                await anyio.sleep(max(0.0, -lead))
                stop = f"/api/chats/{talk.id}/cancel"
                assert (await talk.api.request("POST", stop, json={})).status_code in (202, 409)
            reply = replies["person"]
            assert getattr(reply, "code", "already-decided") == "already-decided"
            told.append(CANCELLED if isinstance(reply, ApiError) else reply["option_id"])
            await talk.ended(turn)
        assert agent_log.decisions() == told
        assert set(told) == {ALLOW, CANCELLED}, "the race was never close"
        await talk.judge()


async def test_a_permission_asked_for_after_a_stop_is_cancelled_unseen(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F35: nobody may approve what was stopped."""
    prompt = script(say("a"), touch("said"), wait_file("go"), ask("t1", "Still?"), say("b"))
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        turn = await talk.send(prompt)
        await until((workspace / "said").exists, 30)
        await talk.cancel()
        await until(lambda: len(agent_log.received("session/cancel")) == 1, 10)
        (workspace / "go").touch()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert agent_log.decisions() == [CANCELLED]
        assert talk.of_kind("question") == []
        await talk.judge(text=spoken_by(prompt, [CANCELLED]))


async def test_an_answer_after_the_agent_died_is_refused_and_nothing_is_done(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F36"""
    async with talking(server, workspace) as talk:
        turn = await talk.send(ASK)
        question = await talk.question()
        os.kill(agent_log.starts()[0], signal.SIGKILL)
        assert (await talk.ended(turn))["stop_reason"] == "interrupted"
        with pytest.raises(ApiError, match="409 already-decided: The agent is gone, so nothing was done"):
            await talk.answer(question, ALLOW)
        (decided,) = talk.of_kind("answer")
        assert (decided["outcome"], decided["by"]) == ("expired", "expired")
        assert "signal 9" in decided["reason"]
        assert agent_log.decisions() == []
        assert (await talk.api.chat(talk.id))["needs_you"] == 0
        await talk.judge(text="one.")


async def test_a_question_outlives_a_killed_server_and_is_answered_once(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F37: the agent still waits in its keeper; the question is there again and the turn goes on."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(ASK)
        question = await talk.question()
        for _ in range(2):
            await server.restart(signal.SIGKILL)
            assert (await talk.api.chat(talk.id))["needs_you"] == 1
        assert len(talk.of_kind("question")) == 1
        assert agent_log.decisions() == []
        key = new_key()
        reply = await talk.answer(question, ALWAYS, key=key)
        await server.restart(signal.SIGKILL)
        assert await talk.answer(question, ALWAYS, key=key) == reply
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert agent_log.decisions() == [ALWAYS]
        assert agent_log.prompts() == [ASK]
        assert len(agent_log.starts()) == 1
        await talk.judge(text=spoken_by(ASK, [ALWAYS]))


async def test_a_question_whose_agent_died_with_the_server_expires_with_the_reason(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F37: never approved by itself, never left open."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(ASK)
        question = await talk.question()
        await server.kill()
        os.kill(keeper_of(agent_log.starts()[0]), signal.SIGKILL)
        await server.start()
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "interrupted"
        (decided,) = talk.of_kind("answer")
        assert (decided["question_id"], decided["by"]) == (question["id"], "expired")
        assert "kept the agent was killed" in decided["reason"]
        with pytest.raises(ApiError, match="409 already-decided: The agent is gone"):
            await talk.answer(question, ALLOW)
        assert (await talk.api.chat(talk.id))["needs_you"] == 0
        assert agent_log.decisions() == []
        await talk.judge(text="one.")
