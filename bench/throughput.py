"""How many updates a second come through: to one client, and to fifty.

Lives here: flooding a chat, against a bare reader of the same lines. A round counts only if the text is
complete and exact at every client and in the database. Lives elsewhere: the flood (lines.py, agent.py), the
bare reader (reader.py).
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
from bench.stage import Stage, run_program, stream_of

CROWD = 50


@dataclass(frozen=True, slots=True)
class Round:
    per_second: float
    wrong: str


async def to_one(stage: Stage, flood: Flood, rounds: int) -> tuple[Figure, float]:
    """The figure, and the rate itself for others to compare with."""
    bare, ours = [], []
    for _ in range(rounds):
        read = await run_program("bench.reader", str(flood.path))
        assert read["updates"] == flood.updates
        bare.append(flood.updates / read["seconds"])
        ours.append(await _round(stage, flood, 1))
    best = _best(ours)
    figure = Figure(
        name="updates to one client",
        value=best.per_second / max(bare),
        unit="×",
        measured=rate(best.per_second),
        baseline=rate(max(bare)),
        aim=Aim(0.5, at_least=True),
        wrong=best.wrong,
    )
    return figure, best.per_second


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


async def _round(stage: Stage, flood: Flood, clients: int) -> Round:
    chat = await stage.new_chat()
    async with stage.watching([stream_of(chat)] * clients, look="text") as watch:
        await stage.api.prompt(chat, "flood")
        views = await watch.views()
    stored = _stored(stage.server.database, chat)
    await stage.api.delete_chat(chat)
    seconds = (max(view["ended_ns"] for view in views) - views[0]["began_ns"]) / 1e9
    return Round(clients * flood.updates / seconds, _wrong(flood, views, stored))


def _best(rounds: list[Round]) -> Round:
    """The fastest; one wrong round spoils all."""
    wrong = next((one.wrong for one in rounds if one.wrong), "")
    return Round(max(one.per_second for one in rounds), wrong)


def _wrong(flood: Flood, views: list[dict[str, Any]], stored: str) -> str:
    if stored != flood.sha256:
        return "the stored text differs"
    if any((view["length"], view["sha256"]) != (flood.length, flood.sha256) for view in views):
        return "a client's text differs"
    return "events are missing" if any(view["missing"] for view in views) else ""


def _stored(database: Path, chat: str) -> str:
    """The hash of the text in the log, read past the server."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        found = connection.execute(
            "SELECT body FROM events WHERE chat_id = ? AND kind = 'text-delta' ORDER BY seq", (chat,)
        )
        digest = hashlib.sha256()
        for (body,) in found:
            digest.update(json.loads(body)["content"].encode())
    return digest.hexdigest()
