"""The manual's table of agents is generated from the results of the tests here."""

from __future__ import annotations

import json

from scripts.real_agents import PINS
from tests.real_agents.provision import AGENTS, MANUAL
from tests.real_agents.sheet import ROWS, manual_with, read_matrix


def test_the_table_is_what_was_seen() -> None:
    assert MANUAL.read_text("utf-8") == manual_with(read_matrix())


def test_every_row_was_seen_of_every_agent_at_its_pinned_version() -> None:
    asked_for = json.loads((PINS / "package.json").read_text())
    pins = asked_for["dependencies"] | asked_for["optionalDependencies"]
    matrix = read_matrix()
    for agent in AGENTS:
        assert matrix[agent.id]["version"] == pins[agent.package]
        assert set(matrix[agent.id]["cells"]) == set(ROWS)


def test_what_an_agent_cannot_do_has_its_reason() -> None:
    cells = [cell for agent in read_matrix().values() for cell in agent["cells"].values()]
    assert all(cell["seen"] or cell.get("evidence") for cell in cells)
