"""A permission is decided exactly once, no matter who answers, stops, dies or restarts.

What needs processes: tests/faults/agents/test_deciding.py.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

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
from tests.kit.clients.client import Api, ApiError, new_key
from tests.kit.clients.driver import LONG_SECONDS, NIGHTLY, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

BURST = 50
BURSTS = 100 if NIGHTLY else 6
"""In memory the same lead always has the same winner, so hundreds of races are as good as thousands."""
ASK = script(say("one."), ask("t1", "May I?"), say(".two"))


@asynccontextmanager
async def signed_in(server: Server, name: str, other: Api | None = None) -> AsyncIterator[Api]:
    """A client with its own name, signed in with a link that another one created, like a phone."""
    async with Api(server.url, server.token) as owner, Api(server.url, None) as api:
        code = (await (other or owner).call("POST", "/api/links", {}))["code"]
        await api.sign_in(code, name)
        yield api


@pytest.mark.slow
@pytest.mark.timeout(LONG_SECONDS)
async def test_of_two_who_answer_at_once_one_wins_and_the_other_is_told_who(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F33, K13: hundreds of races; the agent gets one answer each, the winner's."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    chance = random.Random(33)
    won: dict[str, str] = {}
    names: Counter[str] = Counter()
    ahead = 0.0
    async with (
        talking(server, workspace) as talk,
        signed_in(server, "phone") as phone,
        signed_in(server, "laptop", phone) as laptop,
    ):

        async def race(question: dict[str, Any]) -> None:
            nonlocal ahead
            options = chance.sample([ALLOW, ALWAYS, REJECT], 2)
            people = (
                ("phone", phone, options[0], max(0.0, ahead)),
                ("laptop", laptop, options[1], max(0.0, -ahead)),
            )
            replies: dict[str, Any] = {}
            async with anyio.create_task_group() as both:
                for name, api, option, wait in people:
                    both.start_soon(answer, talk.id, question["id"], name, api, option, replies, wait)
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
            ahead += 0.0002 if winner == "phone" else -0.0002  # keeps the race close on any machine

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
    """Answer, perhaps a moment later, and store the reply."""
    await anyio.sleep(wait)
    try:
        replies[name] = await api.answer(chat, question, option)
    except ApiError as refused:
        replies[name] = refused


async def test_a_double_click_decides_once_and_a_retry_gets_the_same_reply(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F34: the same key gets the same reply, another key is told who decided."""
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
    server: Server, workspace: Path, agent_log: AgentLog
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
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F35: reported immediately, so that an agent that waits only for the answer can finish."""
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


async def test_a_permission_asked_for_after_a_stop_is_cancelled_unseen(
    server: Server, workspace: Path, agent_log: AgentLog
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
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F36"""
    async with talking(server, workspace) as talk:
        turn = await talk.send(ASK)
        question = await talk.question()
        server.signal_agent(agent_log.starts()[0])
        assert (await talk.ended(turn))["stop_reason"] == "interrupted"
        with pytest.raises(
            ApiError, match="409 already-decided: The agent exited, so the answer was not used"
        ):
            await talk.answer(question, ALLOW)
        (decided,) = talk.of_kind("answer")
        assert (decided["outcome"], decided["by"]) == ("expired", "expired")
        assert "signal 9" in decided["reason"]
        assert agent_log.decisions() == []
        assert (await talk.api.chat(talk.id))["needs_you"] == 0
        await talk.judge(text="one.")
