"""The notice that an agent kept working while the server was restarted: looked for cheaply."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from voxpilot.runtime.processes.found_again import FoundAgain
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import Process
from voxpilot.storage.database.subjects import Prompt


class Rows:
    """A ledger with one prompt of one process; it notes how often the requests are looked through."""

    def __init__(self) -> None:
        self.looks = 0
        self.process: object | None = object()

    def all(self, kind: type) -> list[Any]:
        if kind is not Request:
            return []
        self.looks += 1
        prompt = Prompt(session="s", turn="t", task="t")
        return [SimpleNamespace(process_id="k-1", subject=prompt)]

    def get(self, kind: type, key: str) -> object | None:
        assert (kind, key) == (Process, "k-1")
        return self.process


def test_an_agent_that_is_not_found_again_costs_nothing_in_each_step() -> None:
    """B7: a chat may have thousands of open requests."""
    rows: Any = Rows()
    found = FoundAgain(rows)
    before = rows.looks
    away: Any = SimpleNamespace(has_agent=False)
    for _ in range(10):
        found.tell(rows, {"k-1": away}, 1.0)
        found.stored()
    assert rows.looks == before
    rows.process = None  # it has ended without ever being found
    for _ in range(10):
        found.tell(rows, {}, 1.0)
        found.stored()
    assert rows.looks <= before + 1
