"""Every write of a turn fails once, in every way a disk fails: nothing is lost, nothing gets stuck."""

from __future__ import annotations

import errno
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from tests.conftest import NoteFigure, StartServer
from tests.fakes.llm.script import slow_text
from tests.fakes.script import chunks, say, script, spoken_by
from tests.kit.clients.assistant import assistant, call, chatting
from tests.kit.clients.client import ApiError, new_key
from tests.kit.clients.driver import LONG_SECONDS, NIGHTLY, Talk, ask, talking
from tests.kit.machine.bad_disk import BadDisk, bad_disk, can_fail
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess

pytestmark = [
    pytest.mark.skipif(not can_fail(), reason="needs Linux and a C compiler"),
    pytest.mark.timeout(LONG_SECONDS),
]
TURNS = 50 if NIGHTLY else 3
LOCK = "lock"
FAULTS = (errno.ENOSPC, errno.EIO, errno.EROFS, LOCK)


async def insist(talk: Talk, prompt: str) -> str:
    """Send a message as the page does: repeated under its key until the server has it."""
    key = new_key()
    while True:
        try:
            return await talk.send(prompt, key=key)
        except ApiError as error:
            if error.status not in (503, 507):
                raise
            await anyio.sleep(0.05)


async def hold_lock(database: Path, seconds: float) -> None:
    with closing(sqlite3.connect(database, isolation_level=None, timeout=20)) as other:
        other.execute("BEGIN IMMEDIATE")
        await anyio.sleep(seconds)
        other.execute("ROLLBACK")


async def turn_with_faults(
    server: ServerProcess, talk: Talk, disk: BadDisk, prompt: str, number: int, dice: random.Random
) -> None:
    """One turn whose n-th write fails, and the next ones for a moment; n grows with each turn."""
    fault = FAULTS[number % len(FAULTS)]
    if isinstance(fault, int):
        disk.fail(fault, times=dice.randint(1, 6), after=number % 25)
        turn = await insist(talk, prompt)
    else:
        turn = await insist(talk, prompt)
        await hold_lock(server.database, dice.uniform(0.1, 7 if NIGHTLY and number % 5 == 0 else 0.5))
    ended = await talk.ended(turn, within=90)
    disk.work()
    assert ended["stop_reason"] == "end_turn", ended


async def test_an_agents_turns_survive_a_fault_at_every_write(
    start_server: StartServer, workspace: Path, tmp_path: Path, note_figure: NoteFigure
) -> None:
    disk, dice = bad_disk(tmp_path / "shim"), random.Random(1)
    server = await start_server(env=disk.env)
    said = ""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("begin ")))
        for number in range(TURNS):
            prompt = script(say(f"turn {number} "), chunks(20, 5), say(" end "))
            await turn_with_faults(server, talk, disk, prompt, number, dice)
            said += spoken_by(prompt)
        await talk.judge("begin " + said)
        assert len(talk.states()) == TURNS + 1
    note_figure(f"faults at every write: {TURNS} agent turns, {disk.failed} failed writes, nothing lost")


async def test_an_assistants_turns_survive_a_fault_at_every_write(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, tmp_path: Path, note_figure: NoteFigure
) -> None:
    disk, dice = bad_disk(tmp_path / "shim"), random.Random(2)
    server = await start_server(settings=assistant(llm), env=disk.env)
    async with chatting(server, workspace) as talk:
        await talk.run("say begin")
        for number in range(TURNS):
            prompt = "\n".join([f"say turn {number}", call("list_directory", path="."), "slow 8 0.01"])
            await turn_with_faults(server, talk, disk, prompt, number, dice)
        said = "".join(f"turn {number}{slow_text(8)}" for number in range(TURNS))
        await talk.judge()
        assert talk.text() == "begin" + said
        asked = len(llm.asked())
        assert asked == 1 + 2 * TURNS, "a step was paid for twice"
        assert set(ask(server.database, "SELECT attempts FROM model_steps")) == {(1,)}
    note_figure(
        f"faults at every write: {TURNS} assistant turns, {disk.failed} failed writes, {asked} model requests"
    )
