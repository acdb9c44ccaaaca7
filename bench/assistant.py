"""A message to the assistant with a scripted model, compared with a bare client of the same model.

Lives here: how fast the words arrive, when the first one does, and what they cost the server. Lives
elsewhere: the model (tests/fakes/llm), the bare client (bare_clients.py).
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure, milliseconds, rate
from bench.machine import processor_seconds
from bench.stage import Stage, run_program, staged, stream_of
from tests.kit.clients.assistant import assistant
from tests.kit.peers.llm import ScriptedLlm, scripted_llm

WORDS = 2000


@dataclass(frozen=True, slots=True)
class Answer:
    first_ms: float
    per_second: float
    """Words, one per token, after the first one."""
    processor_ms: float
    """For 1,000 of them."""
    wrong: str


async def answered(folder: Path, lines: Path, rounds: int) -> list[Figure]:
    with scripted_llm(folder / "model.jsonl", ["--plain"]) as llm:
        async with staged(folder, lines, settings=assistant(llm)) as stage:
            await _ours(stage)  # imports the model library
            bare, ours = [], []
            for _ in range(2 * rounds):
                bare.append(await _bare(llm))
                ours.append(await _ours(stage))
    return [_speed(bare, ours), _first(bare, ours), _work(bare, ours)]


async def _ours(stage: Stage) -> Answer:
    chat = str((await stage.api.create_chat(stage.workspace, agent=None, mode="llm"))["id"])
    async with stage.watching([stream_of(chat)], look="first words") as watch:
        used, posted_ns = processor_seconds(stage.server.pid), time.monotonic_ns()
        await stage.api.prompt(chat, f"slow {WORDS} 0")
        view = (await watch.views())[0]
    used = processor_seconds(stage.server.pid) - used
    seconds = (view["ended_ns"] - view["first_ns"]) / 1e9
    return _answer((view["first_ns"] - posted_ns) / 1e6, seconds, used, view["words"])


async def _bare(llm: ScriptedLlm) -> Answer:
    read = await run_program("bench.bare_clients", "model", llm.openai, str(WORDS))
    return _answer(read["first"] * 1000, read["seconds"], read["processor_seconds"], read["words"])


def _answer(first_ms: float, seconds: float, used: float, words: int) -> Answer:
    wrong = "" if words == WORDS else f"{words} words"
    return Answer(first_ms, WORDS / seconds, used * 1e6 / WORDS, wrong)


def _speed(bare: list[Answer], ours: list[Answer]) -> Figure:
    best, least = max(one.per_second for one in ours), max(one.per_second for one in bare)
    return Figure(
        name="assistant, tokens per second",
        value=best / least,
        unit="×",
        measured=rate(best),
        baseline=f"the model alone: {rate(least)}",
        wrong=_wrong(bare, ours),
    )


def _first(bare: list[Answer], ours: list[Answer]) -> Figure:
    best, least = (statistics.median(one.first_ms for one in answers) for answers in (ours, bare))
    return Figure(
        name="assistant, first token after POST",
        value=best / least,
        unit="×",
        measured=milliseconds(best),
        baseline=f"the model alone: {milliseconds(least)}",
        wrong=_wrong(bare, ours),
    )


def _work(bare: list[Answer], ours: list[Answer]) -> Figure:
    best, least = (min(one.processor_ms for one in answers) for answers in (ours, bare))
    return Figure(
        name="assistant, CPU time for 1,000 tokens",
        value=best / least,
        unit="×",
        measured=milliseconds(best),
        baseline=f"a bare client: {milliseconds(least)}",
        wrong=_wrong(bare, ours),
    )


def _wrong(bare: list[Answer], ours: list[Answer]) -> str:
    return next((one.wrong for one in (*bare, *ours) if one.wrong), "")
