"""The server is killed at any instant of an assistant's turn, and nothing is lost or done twice."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import cycle
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.conftest import NoteFigure
from tests.fakes.llm.script import slow_text
from tests.fakes.script import chunks, say, script, spoken_by
from tests.kit.clients.assistant import assert_valid, assistant, call, delegate
from tests.kit.clients.driver import NIGHTLY
from tests.kit.clients.driver import ask as ask_database
from tests.kit.clients.sse import Viewer
from tests.kit.oracles.oracle import judge
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.waiting import until
from tests.survival.killing import RANDOM, TURN_SECONDS, Fallen, KilledTurn

ASKING = ("after-asking", "after-answer")
EARLY = ("after-send", "after-commit-before-publish")
LATE = ("after-tool", "after-result")
BOUNDARIES = (*ASKING, *EARLY, *LATE)
TIMES = 3
WANTED = 60 if NIGHTLY else 30
"""Kills in all; of each boundary at least `TIMES`."""
SIDE_BY_SIDE = 2
ROUNDS = 6
FRESH = 7
"""Of so many turns one has the real program (as in test_kill_anytime.py)."""


class KilledAssistantTurn(KilledTurn):
    """Four steps: text and two parallel tasks, a follow-up, a tool, text."""

    def __init__(self, folder: Path, mark: str, dice: random.Random, llm: ScriptedLlm) -> None:
        self.llm = llm
        super().__init__(folder, mark, dice)
        self.name = f"turn-{folder.name}"
        self.works = [script(say(f"This is {work}. "), chunks(200, 3)) for work in ("A1", "B1", "A2")]
        lines = [
            f"say {self.name} begins",
            delegate(self.works[0], "A"),
            f"also {delegate(self.works[1], 'B')}",
            delegate(self.works[2], "A"),
            call("list_directory", path="."),
            "slow 20 0.02",
        ]
        self.prompt = "\n".join(lines)

    def settings(self) -> dict[str, Any]:
        return assistant(self.llm)

    async def _live_a_little(self) -> None:
        """Until the turn has made progress in this run, and a bit longer: interesting points are late."""
        known = self._events_seen()
        await until(lambda: self.over.is_set() or self._events_seen() > known, TURN_SECONDS)
        with anyio.move_on_after(self.dice.uniform(0, 0.8)):
            await self.over.wait()

    def _events_seen(self) -> int:
        return len(self.viewer.events) if self.viewer else 0

    async def _talk(self) -> None:
        made = await self._insist(
            lambda api: api.create_chat(self.folder / "workspace", "scripted", "llm", key="chat")
        )
        self.chat = made["id"]
        async with Viewer(self.server.url, self.server.token, self.chat) as viewer:
            self.viewer = viewer
            await self._insist(lambda api: api.prompt(self.chat, self.prompt, key="message"))
            await viewer.read_turns(1, TURN_SECONDS)
            self.over.set()
            await until(lambda: self.server.is_running, TURN_SECONDS)

    async def _judge(self) -> None:
        """The turn has ended as if nothing had been killed, for every viewer."""
        assert self.viewer is not None
        rows = judge(self.server.database, self.chat, self.viewer.events, complete=False)
        kinds = Counter(row.kind for row in rows)
        assert kinds["turn-ended"] == kinds["turn-started"] == kinds["message"] == 1
        ended = next(row.data for row in rows if row.kind == "turn-ended")
        assert ended["stop_reason"] == "end_turn", ended
        assert (kinds["tool-call"], kinds["tool-result"], kinds["copilot-done"]) == (4, 4, 3)
        self._judge_words(rows)
        self._judge_work(rows)
        self._judge_model(rows)
        assert "Traceback" not in self.server.stderr

    def _judge_words(self, rows: list[Any]) -> None:
        """The model's text counts once; superseded answers are marked."""
        superseded = {row.data["message_id"] for row in rows if row.kind == "superseded"}
        said = [r.data for r in rows if r.kind == "text-delta" and r.data["message_id"] not in superseded]
        assert "".join(delta["content"] for delta in said) == f"{self.name} begins{slow_text(20)}"

    def _judge_work(self, rows: list[Any]) -> None:
        """One agent got each task once, in its session, and its text is there once."""
        assert len(self.log.starts()) == 1
        assert sorted(self.log.prompts()) == sorted(self.works)
        asked = {f["params"]["prompt"][0]["text"]: f["params"]["sessionId"] for f in self._prompts()}
        first, other, follow_up = (asked[work] for work in self.works)
        assert first == follow_up != other
        assert len(self.log.received("session/new")) == 2
        assert self.log.received("session/cancel") == []
        calls = [row.data["id"] for row in rows if row.kind == "tool-call"]
        shown = {row.data["id"]: row.data["display"] for row in rows if row.kind == "tool-result"}
        for work, id in zip(self.works, calls, strict=False):
            deltas = [r.data for r in rows if r.kind == "copilot-delta" and r.data["tool_call_id"] == id]
            assert "".join(delta["content"] for delta in deltas) == spoken_by(work) == shown[id]

    def _prompts(self) -> list[dict[str, Any]]:
        return self.log.received("session/prompt")

    def _judge_model(self, rows: list[Any]) -> None:
        """According to the model's log, no step was requested again once its answer was stored."""
        stored_at = [row.data["at"] for row in rows if row.kind in ("tool-call", "turn-ended")]
        answered = dict(zip((0, 2, 3, 4), (stored_at[0], *stored_at[2:]), strict=True))
        asked = self.llm.asked(self.name)
        assert {request["results"] for request in asked} == set(answered)
        for request in asked:
            assert request["at"] <= answered[request["results"]], "a step was paid for twice"
            assert_valid(request["body"])
        steps = ask_database(self.server.database, "SELECT attempts FROM model_steps ORDER BY number")
        assert sum(attempts - 1 for (attempts,) in steps) <= len(self.fallen.points)
        times = Counter(request["results"] for request in asked)
        assert all(times[results] <= tries for results, (tries,) in zip(answered, steps, strict=True))


def plans(missing: list[str], lacking: int, dice: random.Random) -> list[list[str]]:
    """For each turn three kills of its server: a turn that loses more answers or tools is given up."""
    early = [_at(point, dice) for point in missing if point not in LATE]
    late = [_at(point, dice) for point in missing if point in LATE]
    turns = max(len(early), len(late), -(-lacking // 3))
    more = cycle(EARLY)
    early += [_at(next(more), dice) for _ in range(turns - len(early))]
    late += [RANDOM] * (turns - len(late))
    return [[first, RANDOM, second] for first, second in zip(early, late, strict=True)]


def _at(point: str, dice: random.Random) -> str:
    """The n-th time that a turn reaches this point: each is reached at least this often."""
    most = {
        "after-send": 5,
        "after-commit-before-publish": 40,
        "after-asking": 2,
        "after-answer": 2,
        "after-result": 3,
    }
    return f"{point}:{dice.randint(1, most.get(point, 1))}"


@pytest.mark.timeout(1800)
async def test_nothing_is_lost_or_done_twice_wherever_the_server_is_killed(
    tmp_path: Path, mark: str, note_figure: NoteFigure
) -> None:
    """K1, R37, R46–R48, C2, C16, C18: every turn ends; one prompt for each task; no step twice."""
    seed = int(os.environ.get("VOXPILOT_TEST_SEED", random.randrange(10**6)))
    dice, fallen = random.Random(seed), list[Fallen]()
    limit = anyio.Semaphore(SIDE_BY_SIDE)
    (tmp_path / mark).mkdir()
    with scripted_llm(tmp_path / mark / "llm.log", ["--bodies"]) as llm:

        async def one(number: int, kills: list[str]) -> None:
            async with limit:
                folder = tmp_path / mark / str(number)
                folder.mkdir(parents=True)
                turn = KilledAssistantTurn(folder, mark, random.Random(seed + number), llm)
                turn.server.fresh = NIGHTLY or number % FRESH == 0
                fallen.append(await turn.run(kills))

        count = Counter[str]()
        for _ in range(ROUNDS):
            missing = [point for point in BOUNDARIES for _ in range(TIMES - count[point])]
            if not missing and sum(count.values()) >= WANTED:
                break
            todo = plans(missing, WANTED - sum(count.values()), dice)
            async with anyio.create_task_group() as tasks:
                for number, kills in enumerate(todo, len(fallen)):
                    tasks.start_soon(one, number, kills)
            count = Counter(point for turn in fallen for point in turn.points)
    note_figure(
        f"{sum(count.values())} kills, {len(fallen)} turns, seed {seed}: {dict(sorted(count.items()))}"
    )
    assert all(count[point] >= TIMES for point in BOUNDARIES)
    assert sum(count.values()) >= WANTED
