"""Setting the wall clock, forward or back, blocks nothing and ends nothing early."""

from __future__ import annotations

import ast
import asyncio
import json
import random
import time
from pathlib import Path

import pytest

from tests.conftest import NoteFigure, StartServer
from tests.fakes.script import ALLOW, ask, chunks, say, script, silent, spawn, spoken_by, tool
from tests.kit.clients.client import Api
from tests.kit.clients.driver import LONG_SECONDS, NIGHTLY, Talk, talking
from tests.kit.machine.processes import is_alive
from tests.kit.machine.stepping import Stepping
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.runtime.shared.clock import Clock, since_boot

HOUR, DAY = 3600.0, 86_400.0
STEPS = (HOUR, -HOUR, 2 * DAY, -2 * DAY)
TURNS = 50 if NIGHTLY else 8
SOURCES = Path(__file__).parents[3] / "src" / "voxpilot"
WALL_CLOCK = {
    "runtime/shared/clock.py",  # the only place where it is read and compared with the steady clock
    "keeper/program/clock.py",  # for a server that does not send its clock
    "agents/demo/store.py",  # dates in the demo agent's own files
    "web/door/early.py",  # the date in a response
    "storage/directory/backup.py",  # when a backup was made, for people to read
    "storage/directory/rescue/rebuild.py",  # when rescued events are shown to have happened
    "workspace/looker/ranking.py",  # compared with when files were modified, to rank recent ones first
}
"""Modules that may read the wall clock."""


@pytest.fixture
def stepping(place: Path) -> Stepping:
    return Stepping(place)


@pytest.fixture
async def stepped(start_server: StartServer, stepping: Stepping) -> ServerProcess:
    """Some limits are short, so that a forgotten one is noticed; the limit of questions is long."""
    limits = {"CANCEL_TIMEOUT": "2", "START_TIMEOUT": "3", "QUESTION_TIMEOUT": "1h"}
    return await start_server(env={**stepping.env, **{f"VOXPILOT_{name}": limits[name] for name in limits}})


async def test_a_clock_that_is_set_back_holds_nothing_up(
    stepped: ServerProcess, stepping: Stepping, workspace: Path
) -> None:
    """B1: a queued message, the forced stop and the start limit do not wait for the old time."""
    async with talking(stepped, workspace) as talk:
        first = await talk.send(script(say("one."), chunks(20, every_ms=20)))
        second = await talk.send(script(say("two.")))
        await talk.says("one.")
        stepping.step(-HOUR)
        assert (await talk.ended(first))["stop_reason"] == "end_turn"
        assert (await talk.ended(second, within=10))["stop_reason"] == "end_turn"
    async with talking(stepped, workspace, "scripted-ignore-cancel") as talk:
        turn = await talk.send(script(say("text"), silent()))
        await talk.says("text")
        await talk.cancel()
        stepping.step(-HOUR)
        assert (await talk.ended(turn, within=10))["stop_reason"] == "cancelled"
    async with talking(stepped, workspace, "scripted-hang-init") as talk:
        turn = await talk.send(script(say("never")))
        await talk.sees("agent-status")
        stepping.step(-HOUR)
        assert (await talk.ended(turn, within=15))["stop_reason"] == "error"


async def test_a_clock_that_is_set_forward_ends_nothing_and_shows_the_new_time(
    stepped: ServerProcess, stepping: Stepping, workspace: Path
) -> None:
    """B1: a question and a link last as long as they should, even if the server was down meanwhile."""
    async with talking(stepped, workspace) as talk:
        turn = await talk.send(script(ask("t1"), say("b")))
        question = await talk.question()
        code = (await talk.api.call("POST", "/api/links"))["code"]
        for is_away in (False, True):
            if is_away:
                await stepped.kill()
            stepping.step(2 * DAY)
            if is_away:
                await stepped.start()
            await asyncio.sleep(0.5)
            assert (await talk.api.chat(talk.id))["needs_you"] == 1
        async with Api(stepped.url, None) as phone:
            await phone.sign_in(code, "phone")
            [device] = await phone.call("GET", "/api/devices")
            assert abs(device["created_at"] - (time.time() + stepping.off)) < 60
        await talk.answer(question, ALLOW)
        ended = await talk.ended(turn, within=10)
        assert ended["stop_reason"] == "end_turn"
        assert abs(ended["at"] - (time.time() + stepping.off)) < 60
        assert abs((await talk.api.chat(talk.id))["updated_at"] - (time.time() + stepping.off)) < 60


async def test_stop_ends_a_command_that_was_started_before_the_clock_was_set_back(
    stepped: ServerProcess, stepping: Stepping, workspace: Path, agent_log: AgentLog
) -> None:
    """B1, K9: also if the server was restarted since: it remembers by how much shown times were moved."""
    async with talking(stepped, workspace) as talk:
        await talk.send(script(tool("run", "execute", "Wait"), spawn("plain"), say("Begun."), silent()))
        await talk.says("Begun.")
        [left] = agent_log.spawned()
        stepping.step(-HOUR)
        await stepped.restart()
        await talk.notice("recovered")
        await talk.cancel()
        await until(lambda: not is_alive(left), 20)
        await talk.notice("left-running")


@pytest.mark.timeout(LONG_SECONDS)
async def test_random_steps_in_many_turns(
    stepped: ServerProcess, stepping: Stepping, workspace: Path, note_figure: NoteFigure
) -> None:
    """B1: nothing hangs, is lost or ends wrongly, even if the server is killed in between."""
    rng = random.Random(20_26)
    expected, slowest, kills = "", 0.0, 0
    async with talking(stepped, workspace) as talk:
        for number in range(TURNS):
            stepper = asyncio.create_task(_step_somewhere(stepping, rng))
            begun = time.monotonic()
            kind = rng.choice([_plain, _asked, _queued, _stopped])
            expected += await kind(talk, f"{number}.")
            await stepper
            slowest = max(slowest, time.monotonic() - begun)
            if number % 5 == 4:
                kills += 1
                await stepped.kill()
                stepping.step(rng.choice(STEPS))
                await stepped.start()
        await talk.judge(text=expected)
        assert not {"forced-stop", "agent-complained", "session-not-restored"} & {
            row.data["code"] for row in talk.rows() if row.kind == "notice"
        }
        assert all(row.data["by"] != "expired" for row in talk.rows() if row.kind == "answer")
        assert set(talk.states()) <= {"done", "cancelled"}
    note_figure(f"clock steps: {TURNS} turns, {kills} kills, slowest turn {slowest:.1f} s")


async def _step_somewhere(stepping: Stepping, rng: random.Random) -> None:
    await asyncio.sleep(rng.uniform(0, 0.5))
    stepping.step(rng.choice(STEPS))


async def _plain(talk: Talk, name: str) -> str:
    prompt = script(say(name), chunks(20, every_ms=rng_ms(name)))
    assert (await talk.run(prompt, within=20))["stop_reason"] == "end_turn"
    return spoken_by(prompt)


async def _asked(talk: Talk, name: str) -> str:
    prompt = script(say(name), ask(f"call-{name}"), say("b"))
    asked = len(talk.of_kind("question"))
    turn = await talk.send(prompt)
    await talk.answer(await talk.question(asked + 1, within=20), ALLOW)
    assert (await talk.ended(turn, within=20))["stop_reason"] == "end_turn"
    return spoken_by(prompt, [ALLOW])


async def _queued(talk: Talk, name: str) -> str:
    prompts = [script(say(f"{name}{n}"), chunks(10, every_ms=10)) for n in range(3)]
    turns = [await talk.send(prompt) for prompt in prompts]
    for turn in turns:
        assert (await talk.ended(turn, within=20))["stop_reason"] == "end_turn"
    return "".join(spoken_by(prompt) for prompt in prompts)


async def _stopped(talk: Talk, name: str) -> str:
    turn = await talk.send(script(say(f"stop {name}"), silent()))
    await talk.says(f"stop {name}", within=20)
    await talk.cancel()
    assert (await talk.ended(turn, within=20))["stop_reason"] == "cancelled"
    return f"stop {name}"


def rng_ms(name: str) -> float:
    return random.Random(name).uniform(5, 30)


def test_the_offset_outlives_the_process_but_not_the_machine(tmp_path: Path) -> None:
    kept = tmp_path / "clock.json"
    first = Clock(kept)
    told = json.loads(kept.read_text())
    kept.write_text(json.dumps({**told, "offset": told["offset"] - HOUR}))
    assert abs(Clock(kept).now() - (first.now() - HOUR)) < 1
    kept.write_text(json.dumps({**told, "boot": "another", "offset": told["offset"] - HOUR}))
    assert abs(Clock(kept).now() - time.time()) < 1
    kept.write_text(json.dumps({"boot": "another", "offset": 0.0, "last": time.time() + HOUR}))
    assert abs(Clock(kept).now() - (time.time() + HOUR)) < 1, "never behind a time that was known"


@pytest.mark.parametrize("said", ["", "{", "[]", '{"boot": 1}', '{"boot":"b","offset":NaN,"last":Infinity}'])
def test_a_damaged_clock_file_is_replaced(tmp_path: Path, said: str) -> None:
    kept = tmp_path / "clock.json"
    kept.write_text(said)
    assert abs(Clock(kept).now() - time.time()) < 1
    assert abs(json.loads(kept.read_text())["offset"] + since_boot() - time.time()) < 1


@pytest.mark.parametrize("said", [1e300, -1e300, 1e15])
@pytest.mark.parametrize("is_same", [True, False])
def test_a_clock_file_with_an_impossible_time_does_not_stop_time(
    tmp_path: Path, said: float, is_same: bool
) -> None:
    kept = tmp_path / "clock.json"
    Clock(kept)
    boot = json.loads(kept.read_text())["boot"] if is_same else "another"
    kept.write_text(json.dumps({"boot": boot, "offset": said, "last": said}))
    clock = Clock(kept)
    assert abs(clock.now() - time.time()) < 1
    assert abs(clock.wall() - time.time()) < 1


def test_nobody_else_looks_at_the_wall_clock() -> None:
    """Everything that waits or expires uses the steady clock; other clocks jump with the wall clock."""
    found = {
        str(path.relative_to(SOURCES)): sorted(names)
        for path in SOURCES.rglob("*.py")
        if (names := _wall_clock_in(ast.parse(path.read_text())))
    }
    assert set(found) <= WALL_CLOCK, found


def _wall_clock_in(tree: ast.AST) -> set[str]:
    names = {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in ("time", "time_ns", "now", "utcnow", "today", "gmtime")
    }
    imported = {
        f"time.{name.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "time"
        for name in node.names
    }
    wall = {"time.time", "time.time_ns", "time.gmtime", "datetime.now", "datetime.utcnow", "datetime.today"}
    wall |= {"datetime.datetime.now", "date.today", "time.localtime"}
    return (names | imported) & wall
