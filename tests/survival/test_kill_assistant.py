"""The server is killed at any instant of an assistant's turn, and nothing is lost or done twice."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.conftest import NoteFigure
from tests.fakes.script import chunks, script, spoken_by
from tests.faults.driver import ask as ask_database
from tests.kit.llm import ScriptedLlm, scripted_llm
from tests.kit.oracle import check_integrity, check_received, stored
from tests.kit.sse import Viewer
from tests.kit.waiting import until
from tests.survival.killing import RANDOM, TURN_SECONDS, Fallen, KilledTurn

BOUNDARIES = ("after-asking", "after-answer", "after-tool", "after-commit-before-publish", "after-send")
TIMES = 3
WANTED = 60
SIDE_BY_SIDE = 2
ROUNDS = 6
RESUMPTIONS = 3


class KilledAssistantTurn(KilledTurn):
    """A turn of five steps: words, two pieces of delegated work side by side, a tool, words, the end."""

    def __init__(self, folder: Path, mark: str, dice: random.Random, llm: ScriptedLlm) -> None:
        self.llm = llm
        super().__init__(folder, mark, dice)
        self.name = f"turn-{folder.name}"
        self.works = {name: script(chunks(150, 3)) for name in ("A", "B")}
        calls = [f"call copilot_agent {json.dumps(self._work(name))}" for name in ("A", "B")]
        lines = [
            f"say {self.name} begins", calls[0], f"also {calls[1]}", 'call list_directory {"path": "."}',
            "slow 30 0.02",
        ]  # fmt: skip
        self.prompt = "\n".join(lines)

    def settings(self) -> dict[str, Any]:
        table = {"provider": "compatible", "model": "fake-model", "base_url": self.llm.openai, "api_key": "k"}
        return {"assistant": table}

    def _work(self, name: str) -> dict[str, str]:
        return {"prompt": self.works[name], "session_name": name, "agent": "scripted"}

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
        rows = stored(self.server.database, self.chat)
        kinds = Counter(row.kind for row in rows)
        assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
        assert kinds["turn-ended"] == kinds["turn-started"] == kinds["message"] == 1
        ended = next(row.data for row in rows if row.kind == "turn-ended")
        if ended["stop_reason"] == "interrupted":
            (resumed,) = ask_database(self.server.database, "SELECT resumptions FROM turns")[0]
            assert resumed > RESUMPTIONS
            return
        assert ended["stop_reason"] == "end_turn", ended
        assert (kinds["tool-call"], kinds["tool-result"], kinds["copilot-done"]) == (3, 3, 2)
        assert self.viewer is not None
        check_received(self.viewer.events, rows)
        check_integrity(self.server.database)
        self._judge_words(rows)
        self._judge_work(rows)
        self._judge_model()

    def _judge_words(self, rows: list[Any]) -> None:
        """What the model said counts once; what it was asked for again is marked."""
        superseded = {row.data["message_id"] for row in rows if row.kind == "superseded"}
        said = [r.data for r in rows if r.kind == "text-delta" and r.data["message_id"] not in superseded]
        words = " ".join(f"word{number}" for number in range(1, 31))
        assert "".join(delta["content"] for delta in said) == f"{self.name} begins{words}"

    def _judge_work(self, rows: list[Any]) -> None:
        """Each piece of work was asked for once, and its words are there once."""
        assert Counter(self.log.prompts()) == Counter(self.works.values())
        for name, work in self.works.items():
            deltas = [r.data for r in rows if r.kind == "copilot-delta" and r.data["session_name"] == name]
            result = next(
                r.data for r in rows if r.kind == "tool-result" and r.data["id"] == deltas[0]["tool_call_id"]
            )
            assert "".join(d["content"] for d in deltas) == spoken_by(work) == result["display"]

    def _judge_model(self) -> None:
        """No step that was stored is asked for again."""
        steps = ask_database(self.server.database, "SELECT number, attempts FROM model_steps ORDER BY number")
        assert [number for number, _ in steps] == [1, 2, 3]
        asked = self.llm.asked(self.name)
        lengths = [len(request["body"]["messages"]) for request in asked]
        assert lengths == sorted(lengths)  # each step is asked with more than the one before
        times = Counter(lengths)
        assert len(times) == 3
        for length, (_, attempts) in zip(sorted(times), steps, strict=True):
            assert times[length] <= attempts


def plans(missing: list[str], lacking: int, dice: random.Random) -> list[list[str]]:
    """For each turn the deaths of its server; there is one tool in a turn, of the rest there is more."""
    firsts = [[f"{p}:{1 if p == 'after-tool' else dice.randint(1, 3)}", RANDOM] for p in missing]
    return firsts + [[RANDOM] * 3] * -(-max(0, lacking - 2 * len(firsts)) // 3)


@pytest.mark.timeout(1800)
async def test_nothing_is_lost_or_done_twice_wherever_the_server_is_killed(
    tmp_path: Path, mark: str, note_figure: NoteFigure
) -> None:
    """K1, R37, R46–R48, C2, C16, C18: every turn ends; one prompt for each piece of work; no step twice."""
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
                fallen.append(await turn.run(kills))

        count = Counter[str]()
        for _ in range(ROUNDS):
            missing = [point for point in BOUNDARIES for _ in range(TIMES - count[point])]
            todo = plans(missing, WANTED - sum(count.values()), dice)
            if not missing and sum(count.values()) >= WANTED:
                break
            async with anyio.create_task_group() as tasks:
                for number, kills in enumerate(todo, len(fallen)):
                    tasks.start_soon(one, number, kills)
            count = Counter(point for turn in fallen for point in turn.points)
    note_figure(
        f"{sum(count.values())} kills, {len(fallen)} turns, seed {seed}: {dict(sorted(count.items()))}"
    )
    assert all(count[point] >= TIMES for point in BOUNDARIES)
    assert sum(count.values()) >= WANTED
