"""How many updates per second arrive: at one client, and at fifty.

Lives here: flooding a chat, compared with a bare reader of the same lines. A round is valid only if the text
is complete and exact at every client and in the database. Lives elsewhere: the flood (lines.py, agent.py),
the bare reader (reader.py).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Aim, Figure, rate
from bench.lines import Flood
from bench.machine import processor_seconds
from bench.stage import Stage, run_program, stream_of

CROWD = 50


@dataclass(frozen=True, slots=True)
class Round:
    per_second: float
    processor_seconds: float
    """What the server and the agent's keeper used."""
    wrong: str


async def to_one(stage: Stage, flood: Flood, rounds: int) -> tuple[list[Figure], float]:
    """The figures, and the rate itself for others to compare with."""
    bare, ours = [], []
    for _ in range(rounds):
        bare.append(await _bare_round(flood))
        ours.append(await _round(stage, flood, 1))
    return [_in_time(_best(bare), _best(ours)), _in_work(flood, _best(bare), _best(ours))], _best(
        ours
    ).per_second


async def to_many(stage: Stage, flood: Flood, rounds: int, to_one_per_second: float) -> Figure:
    best = _best([await _round(stage, flood, CROWD) for _ in range(rounds)])
    return Figure(
        name=f"updates to {CROWD} clients, in sum",
        value=best.per_second / to_one_per_second,
        unit="×",
        measured=rate(best.per_second),
        baseline=f"one client: {rate(to_one_per_second)}",
        aim=Aim(10, at_least=True),
        wrong=best.wrong,
    )


def _in_time(bare: Round, ours: Round) -> Figure:
    return Figure(
        name="updates to one client",
        value=ours.per_second / bare.per_second,
        unit="×",
        measured=rate(ours.per_second),
        baseline=rate(bare.per_second),
        aim=Aim(0.5, at_least=True),
        wrong=ours.wrong,
    )


def _in_work(flood: Flood, bare: Round, ours: Round) -> Figure:
    """The same in processor time, which hardly depends on other work on the machine."""
    per_update = 1e6 / flood.updates
    return Figure(
        name="the same, CPU time of server and keeper",
        value=ours.processor_seconds / bare.processor_seconds,
        unit="×",
        measured=f"{ours.processor_seconds * per_update:.2f} µs each",
        baseline=f"{bare.processor_seconds * per_update:.2f} µs each",
        wrong=ours.wrong,
    )


async def _bare_round(flood: Flood) -> Round:
    read = await run_program("bench.reader", str(flood.path))
    wrong = "" if read["updates"] == flood.updates else "the reader missed some"
    return Round(flood.updates / read["seconds"], read["processor_seconds"], wrong)


async def _round(stage: Stage, flood: Flood, clients: int) -> Round:
    chat = await stage.new_chat()
    async with stage.watching([stream_of(chat)] * clients, look="text") as watch:
        before = processor_seconds(stage.server.pid)
        await stage.api.prompt(chat, "flood")
        views = await watch.views()
    used = sum(map(processor_seconds, [stage.server.pid, *stage.keepers()])) - before
    stored = _stored(stage.server.database, chat)
    await stage.api.delete_chat(chat)
    seconds = (max(view["ended_ns"] for view in views) - views[0]["began_ns"]) / 1e9
    return Round(clients * flood.updates / seconds, used, _wrong(flood, views, stored))


def _best(rounds: list[Round]) -> Round:
    """The fastest and the cheapest; one invalid round invalidates all."""
    return Round(
        max(one.per_second for one in rounds),
        min(one.processor_seconds for one in rounds),
        next((one.wrong for one in rounds if one.wrong), ""),
    )


def _wrong(flood: Flood, views: list[dict[str, Any]], stored: str) -> str:
    if stored != flood.sha256:
        return "the stored text differs"
    if any((view["length"], view["sha256"]) != (flood.length, flood.sha256) for view in views):
        return "a client's text differs"
    return "events are missing" if any(view["missing"] for view in views) else ""


def _stored(database: Path, chat: str) -> str:
    """The hash of the text in the log, read without the server."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        found = connection.execute(
            "SELECT body FROM events WHERE chat_id = ? AND kind = 'text-delta' ORDER BY seq", (chat,)
        )
        digest = hashlib.sha256()
        for (body,) in found:
            digest.update(json.loads(body)["content"].encode())
    return digest.hexdigest()
