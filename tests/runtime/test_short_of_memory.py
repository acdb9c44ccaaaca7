"""A machine that is short of memory or threads for a moment: work is tried again and nothing is lost."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes.script import say, script, wait_file
from tests.kit.clients.driver import talking
from tests.kit.memory.server import MemoryServer
from voxpilot.assistant.tools.outcome import ToolResult
from voxpilot.chat.events import Json
from voxpilot.errors import OutOfMemory, explained, is_machines_fault
from voxpilot.runtime.assistant.model_runner import ModelRunner
from voxpilot.runtime.callbacks import jobs
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database import sqlite
from voxpilot.storage.database.sqlite import Batch
from voxpilot.storage.database.trouble import explain

pytestmark = pytest.mark.in_memory
NO_THREAD = RuntimeError("can't start new thread")


def no_memory_in_sqlite() -> sqlite3.Error:
    error = sqlite3.OperationalError("out of memory")
    error.sqlite_errorcode = sqlite3.SQLITE_NOMEM
    return error


SHORT = [MemoryError(), NO_THREAD, OSError(errno.ENOMEM, "no"), OSError(errno.EAGAIN, "no")]


class Shortage:
    """A function that fails this often before it works."""

    def __init__(self, error: Exception, times: int) -> None:
        self.error, self.left = error, times

    def strike(self) -> None:
        if self.left:
            self.left -= 1
            raise self.error


@pytest.mark.parametrize("error", SHORT, ids=repr)
async def test_a_shortage_is_the_machines_fault_everywhere(error: Exception, tmp_path: Path) -> None:
    assert is_machines_fault(error)
    assert isinstance(explained(error), OutOfMemory)
    assert isinstance(explain(error, tmp_path / "x.db"), OutOfMemory)
    assert explained(error).is_momentary


async def test_a_group_of_errors_is_the_machines_fault_if_all_of_them_are() -> None:
    assert is_machines_fault(ExceptionGroup("both", [MemoryError(), NO_THREAD]))
    assert not is_machines_fault(ExceptionGroup("both", [MemoryError(), ValueError()]))
    assert not is_machines_fault(RuntimeError("poison"))


async def test_sqlite_without_memory_is_the_machines_fault(tmp_path: Path) -> None:
    assert isinstance(explain(no_memory_in_sqlite(), tmp_path / "x.db"), OutOfMemory)


@pytest.mark.parametrize("error", [MemoryError(), NO_THREAD], ids=repr)
async def test_what_an_agent_says_while_memory_is_short_is_not_lost(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """B2: a line is skipped only if the line itself is the cause."""
    shortage, speak = Shortage(error, 8), Ledger.speak

    def short(self: Ledger, *given: Any) -> None:
        shortage.strike()
        speak(self, *given)

    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("one "), wait_file("go"), say("two "), say("three ")))
        await talk.says("one ")
        monkeypatch.setattr(Ledger, "speak", short)
        (workspace / "go").touch()
        await talk.ended(turn, within=60)
        assert talk.notices("passed-over") == []
        await talk.judge("one two three ")


@pytest.mark.parametrize("error", [MemoryError(), no_memory_in_sqlite(), NO_THREAD], ids=repr)
async def test_a_result_is_stored_when_sqlite_has_memory_again(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """B2: a model's answer was paid for."""
    shortage, write_one = Shortage(error, 5), sqlite._write_one

    def short(connection: sqlite3.Connection, batch: Batch, path: Path) -> BaseException | None:
        try:
            shortage.strike()
        except Exception as struck:
            return explain(struck, path)
        return write_one(connection, batch, path)

    def rename(ledger: Ledger, now: float) -> Json:
        ledger.change(ledger.chat, title="renamed")
        return {"ok": True}

    async with talking(server, workspace) as talk:
        assert server.supervisor is not None
        chat = await server.supervisor.chat(talk.id)
        monkeypatch.setattr(sqlite, "_write_one", short)
        async with asyncio.timeout(60):
            assert await chat.bring(rename) == {"ok": True}
        assert shortage.left == 0


async def test_a_job_for_an_agent_is_done_when_there_is_memory_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shortage = Shortage(MemoryError(), 3)

    async def errand(*_: object) -> str:
        shortage.strike()
        return "done"

    nothing: Any = None
    request: Any = SimpleNamespace(id="r-1")
    stage: Any = "look"
    monkeypatch.setattr(jobs, "_ERRANDS", {stage: errand})
    done: Any = await jobs.Jobs(nothing, nothing, nothing)._do(nothing, request, stage)
    assert done == "done"


async def test_a_tool_of_the_assistant_runs_when_the_machine_has_threads_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B2: without a result, its turn would never continue."""
    shortage, done = Shortage(NO_THREAD, 3), ToolResult("found", "found", False)

    async def result(*_: object) -> ToolResult:
        shortage.strike()
        return done

    monkeypatch.setattr(ModelRunner, "_result", result)
    handed: list[Any] = []

    async def hand_in(act: Any) -> Json:
        handed.append(act)
        return {}

    nothing: Any = None
    ledger: Any = SimpleNamespace(all=lambda _: [], chat=SimpleNamespace(id="c"))
    call: Any = SimpleNamespace(id="c-1", provider_id="p", name="read_file", arguments={}, agreed=None)
    async with asyncio.timeout(60):
        await ModelRunner(nothing, nothing, hand_in, ledger)._run(ledger, call)
    assert len(handed) == 1
