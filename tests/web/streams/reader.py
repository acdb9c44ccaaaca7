"""Pages that are reloaded and lose their connection at any byte.

Lives here: reading a chat like this, and recording everything received. Lives elsewhere: whether it is
correct (tests/kit/oracles/oracle.py, page.py).
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from typing import Any

import anyio

from tests.kit.clients.sse import Event, StreamEnded, connect
from tests.kit.oracles.oracle import Row
from tests.kit.servers.server import ServerProcess
from tests.web.page import Page


def luck_of_today() -> random.Random:
    seed = int(os.environ.get("SEED") or random.randrange(2**32))
    print(f"SEED={seed}")
    return random.Random(seed)


@dataclass
class Reading:
    """What one page received, over all its connections."""

    tail: int | None
    events: list[Event] = field(default_factory=list)
    is_whole: bool = False

    @property
    def shows_all(self) -> bool:
        return self.tail in (None, 1000)


@dataclass
class Reader:
    """Reads a chat repeatedly, like a page that is reloaded, on connections that are cut at any byte."""

    server: ServerProcess
    chat: str
    luck: random.Random
    cuts: int = 0
    readings: list[Reading] = field(default_factory=list)

    async def read(self, cuts: int) -> None:
        while self.cuts < cuts:
            reading = Reading(self.luck.choice((None, 0, 5, 1000)))
            self.readings.append(reading)
            is_patient = True
            while is_patient and not reading.is_whole:
                reading.is_whole = await self._to_the_end(reading.events, reading.tail)
                self.cuts += not reading.is_whole
                is_patient = self.luck.random() < 0.8

    async def _to_the_end(self, events: list[Event], tail: int | None) -> bool:
        """One connection; False if it was cut before the end."""
        try:
            async with connect(
                self.server.url,
                f"/api/chats/{self.chat}/stream",
                self.server.token,
                cut_after=self._bytes(),
                **self._place(events, tail),
            ) as stream:
                live_events, is_live = self.luck.randrange(300), False
                while live_events > 0 and not self._is_end(events):
                    with anyio.fail_after(30):
                        events.append(await stream.next())
                    is_live = is_live or events[-1].kind == "ready"
                    live_events -= is_live
                return self._is_end(events)
        except StreamEnded:
            return False

    def _place(self, events: list[Event], tail: int | None) -> dict[str, Any]:
        seen = max((event.seq for event in events if event.is_stored or event.kind == "snapshot"), default=0)
        if not seen and tail is not None:
            return {"tail": tail}
        return {self.luck.choice(("after", "last_event_id")): seen}

    def _bytes(self) -> int:
        """Within the head, within an event, some events later, or so late that everything arrives."""
        return int(10 ** self.luck.choice((self.luck.uniform(0, 4.5), self.luck.uniform(3, 7.5))))

    def _is_end(self, events: list[Event]) -> bool:
        """Whether the turn has ended, so that nothing more will happen."""
        if not events or events[-1].kind == "ready":
            return False
        last = events[-1]
        if last.kind == "snapshot":
            return last.data["chat"]["turn"] is None and last.data["chat"]["agents"] != {}
        return last.kind == "agent-status" and last.data["status"] == "connected" and last.seq > 20


def fold_of(rows: list[Row], seq: int) -> Page:
    return Page().take(Event(row.kind, None, row.data) for row in rows[:seq])
