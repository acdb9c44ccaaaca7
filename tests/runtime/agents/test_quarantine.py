"""Records on which steps fail, whatever they are: nobody waits for them forever."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ask, die, raw, say, script, stderr, wait_file
from tests.kit.clients.driver import talking
from tests.kit.memory.database import MemoryDatabase
from tests.kit.memory.server import MemoryServer
from tests.kit.peers.agent_log import AgentLog
from voxpilot.agents.requests.dialogue import Answered
from voxpilot.chat.events import Json
from voxpilot.errors import VoxPilotError
from voxpilot.runtime.callbacks import terminals
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.step.progress import Progress
from voxpilot.storage.chats.ledger import Ledger, Step
from voxpilot.storage.database.request_rows import Purpose
from voxpilot.storage.database.sqlite import Batch
from voxpilot.storage.database.trouble import StorageDamaged, StorageFailed

pytestmark = [pytest.mark.anyio, pytest.mark.in_memory]
SAY = (
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":'
    '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"poison"}}}}'
)


def fail_on(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, is_bad: Callable[..., bool]) -> None:
    """A function that fails on certain arguments, always."""
    real = getattr(owner, name)

    def call(*given: Any) -> Any:
        if is_bad(*given):
            raise RuntimeError("poison")
        return real(*given)

    monkeypatch.setattr(owner, name, call)


async def test_a_turn_ends_although_the_answer_to_its_prompt_is_skipped(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_bad(_: Progress, answered: Answered, at: float) -> bool:
        return answered.request.purpose is Purpose.PROMPT and answered.error is None

    with monkeypatch.context() as fault:
        fail_on(fault, Progress, "_answered", is_bad)
        async with talking(server, workspace) as talk:
            ended = await talk.run(script(say("one ")))
            assert ended["stop_reason"] == "error"
            assert "could not be processed" in ended["error"]["message"]
            assert len(talk.notices("passed-over")) == 1
            fault.undo()
            assert (await talk.run(script(say("two "))))["stop_reason"] == "end_turn"
            await talk.judge("one two ")


async def test_a_person_can_stop_a_turn_whose_answer_always_fails(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can be told about it either: the line is dropped, and the chat continues."""
    with monkeypatch.context() as fault:
        fail_on(fault, Progress, "_prompt_answered", lambda *_: True)
        async with talking(server, workspace) as talk:
            turn = await talk.send(script(say("one ")))
            await talk.notice("passed-over")
            await talk.cancel()
            assert (await talk.ended(turn, within=60))["stop_reason"] == "cancelled"
            fault.undo()
            assert (await talk.run(script(say("two "))))["stop_reason"] == "end_turn"


async def test_an_agent_gets_an_error_for_a_question_that_is_skipped(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch, agent_log: AgentLog
) -> None:
    with monkeypatch.context() as fault:
        fail_on(fault, open_questions, "ask", lambda *_: True)
        async with talking(server, workspace) as talk:
            ended = await talk.run(script(say("one "), ask(), say("two ")))
            assert ended["stop_reason"] in ("end_turn", "error")
            assert talk.text().startswith("one ")
            assert len(talk.notices("passed-over")) == 1


@pytest.mark.parametrize("is_alone", [True, False])
async def test_what_the_database_refuses_is_skipped(
    server: MemoryServer,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    agent_log: AgentLog,
    is_alone: bool,
) -> None:
    """Nobody waits forever, even if the answer to the prompt arrives together with it."""
    commit = MemoryDatabase.commit

    async def refuse(self: MemoryDatabase, batch: Batch) -> None:
        if "text-delta" in str(batch.many) and "poison" in str(batch.many):
            raise StorageFailed("A database statement failed: poison.")
        await commit(self, batch)

    async with talking(server, workspace) as talk:
        await talk.run(script(say("first. ")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        monkeypatch.setattr(MemoryDatabase, "commit", refuse)
        pause = [wait_file("go")] if is_alone else []
        turn = await talk.send(script(say("before. "), wait_file("now"), raw(SAY % session), *pause))
        await talk.says("before. ")
        (workspace / "now").touch()
        await talk.notice("passed-over")
        (workspace / "go").touch()
        assert (await talk.ended(turn))["stop_reason"] == ("end_turn" if is_alone else "error")
        assert (await talk.run(script(say("more. "))))["stop_reason"] == "end_turn"
        await talk.judge("first. before. more. ")


async def test_a_damaged_database_is_not_blamed_on_an_agent(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, left = MemoryDatabase.commit, iter(range(10))

    async def damaged(self: MemoryDatabase, batch: Batch) -> None:
        if "text-delta" in str(batch.many) and next(left, None) is not None:
            raise StorageDamaged
        await commit(self, batch)

    monkeypatch.setattr(MemoryDatabase, "commit", damaged)
    async with talking(server, workspace) as talk:
        assert (await talk.run(script(say("one ")), within=60))["stop_reason"] == "end_turn"
        assert talk.notices("passed-over") == []
        await talk.judge("one ")


@pytest.mark.parametrize(
    ("owner", "name", "is_bad"),
    [
        (Progress, "process_ended", lambda progress, process, end, now: "poison" in str(end)),
        (terminals, "process_gone", lambda *_: True),
    ],
)
async def test_an_agent_ends_although_its_last_record_cannot_be_processed(
    server: MemoryServer,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    is_bad: Callable[..., bool],
) -> None:
    with monkeypatch.context() as fault:
        fail_on(fault, owner, name, is_bad)
        async with talking(server, workspace) as talk:
            ended = await talk.run(script(say("one "), stderr("poison"), die()), within=60)
            assert ended["stop_reason"] == "interrupted"
            fault.undo()
            assert (await talk.run(script(say("two "))))["stop_reason"] == "end_turn"
            await talk.judge("one two ")


async def test_what_a_person_sends_is_not_blamed_on_an_agent(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every step with a command fails; there is one in each step until the last."""
    take, bad = Ledger.take, list[bool]()

    def act(ledger: Ledger, now: float) -> Json:
        bad.append(True)
        return {}

    def fail(self: Ledger, now: float) -> Step:
        if bad:
            bad.clear()
            raise RuntimeError("poison")
        return take(self, now)

    async with talking(server, workspace) as talk:
        assert server.supervisor is not None
        chat = await server.supervisor.chat(talk.id)
        turn = await talk.send(script(say("one "), wait_file("go"), say("two ")))
        await talk.says("one ")
        with monkeypatch.context() as fault:
            fault.setattr(Ledger, "take", fail)
            (workspace / "go").touch()
            for _ in range(8):
                with pytest.raises(VoxPilotError):
                    await chat.do(act)
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert talk.notices("passed-over") == []
        await talk.judge("one two ")
