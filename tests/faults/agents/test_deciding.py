"""A permission is decided exactly once, no matter who answers, stops, dies or restarts.

What needs no processes: tests/runtime/agents/test_deciding.py.
"""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    ALLOW,
    ALWAYS,
    CANCELLED,
    ask,
    say,
    script,
    spoken_by,
)
from tests.kit.clients.client import Api, ApiError, new_key
from tests.kit.clients.driver import keeper_of, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess

ASK = script(say("one."), ask("t1", "May I?"), say(".two"))


async def answer(
    chat: str, question: str, name: str, api: Api, option: str, replies: dict[str, Any], wait: float = 0.0
) -> None:
    """Answer, perhaps a moment later, and store the reply."""
    await anyio.sleep(wait)
    try:
        replies[name] = await api.answer(chat, question, option)
    except ApiError as refused:
        replies[name] = refused


async def test_a_stop_and_an_answer_that_race_agree(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F35: whatever the person was told is what the agent got."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    rounds = 60
    chance = random.Random(35)
    told: list[str] = []
    ahead = 0.0
    async with talking(server, workspace) as talk:
        for number in range(rounds):
            turn = await talk.send(script(ask(f"t{number}")))
            question = await talk.question(number + 1)

            replies: dict[str, Any] = {}
            person = (talk.id, question["id"], "person", talk.api, ALLOW, replies)
            lead = ahead + chance.uniform(-0.01, 0.01)
            async with anyio.create_task_group() as both:
                both.start_soon(answer, *person, max(0.0, lead))
                await anyio.sleep(max(0.0, -lead))
                stop = f"/api/chats/{talk.id}/cancel"
                assert (await talk.api.request("POST", stop, json={})).status_code in (202, 409)
            reply = replies["person"]
            assert getattr(reply, "code", "already-decided") == "already-decided"
            told.append(CANCELLED if isinstance(reply, ApiError) else reply["option_id"])
            ahead += 0.003 if told[-1] == ALLOW else -0.003  # keeps the race close on any machine
            await talk.ended(turn)
        assert agent_log.decisions() == told
        assert set(told) == {ALLOW, CANCELLED}, "the race was never close"
        await talk.judge()


async def test_a_question_outlives_a_killed_server_and_is_answered_once(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F37: the agent still waits in its keeper; the question is shown again and the turn continues."""
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
    """F37: never approved automatically, never left open."""
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
        assert "agent's background process was killed" in decided["reason"]
        with pytest.raises(ApiError, match="409 already-decided: The agent exited"):
            await talk.answer(question, ALLOW)
        assert (await talk.api.chat(talk.id))["needs_you"] == 0
        assert agent_log.decisions() == []
        await talk.judge(text="one.")
