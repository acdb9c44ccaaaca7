"""What was seen of each real agent, held against the manual.

Lives here: the rows of the matrix, the manual's copy of what was seen (docs/matrix.json)
and the table made from it (docs/agents.md). Lives elsewhere: seeing it (the tests).

With VOXPILOT_WRITE_MATRIX=1 a run writes what it saw instead of comparing it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.real_agents.provision import AGENTS, MANUAL, RealAgent

MATRIX = MANUAL.with_name("matrix.json")
BEGIN, END = "<!-- the matrix begins -->\n", "<!-- the matrix ends -->\n"
WRITE = bool(os.environ.get("VOXPILOT_WRITE_MATRIX"))

ROWS: Mapping[str, str] = {
    "opens": "starts, and opens a session",
    "text": "streams its text",
    "thought": "shows its reasoning",
    "plan": "shows its plan",
    "diff": "shows an edit as a diff",
    "asks-write": "as started here, asks before the first write",
    "asks-command": "as started here, asks before the first command",
    "reject": "a refusal is obeyed",
    "output": "shows what a command prints",
    "picture": "an attached picture reaches its model",
    "file": "an attached text reaches its model",
    "tools-stdio": "starts a tool server (MCP) that VoxPilot's settings name",
    "tools-http": "calls a tool server (MCP) at an address",
    "form": "asks its user questions of its own",
    "commands": "offers slash commands",
    "model": "its model can be chosen",
    "mode": "its mode can be chosen",
    "usage": "tells how full its context is",
    "provider-error": "an error of its provider is shown",
    "stop-text": "stops while it speaks",
    "stop-question": "stops while a question is open",
    "stop-command": "stops while a command runs",
    "stop-ends-command": "ends the command itself when stopped",
    "two": "two chats at once",
    "named": "two named sessions side by side in one process",
    "kill-text": "the server is killed while it speaks: nothing lost",
    "kill-question": "the server is killed while a question is open: still there, answered once",
    "restore": "killed and started again, it remembers the chat",
    "restore-cut": "killed while it speaks, it goes on with the next message",
    "list": "lists its older sessions",
    "history": "an older session of it can be opened, with what was said in it",
    "fork": "a session can be copied",
    "forget": "a session can be forgotten",
}


@dataclass
class Sheet:
    """What one test has seen of one agent."""

    agent: RealAgent
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)

    def note(self, row: str, seen: object, evidence: str = "") -> None:
        """Whether the agent can do what the row says, and for what it cannot, how we know."""
        assert row in ROWS, f"no such row: {row}"
        self.cells[row] = {"seen": bool(seen)} | ({"evidence": evidence} if evidence else {})

    def settle(self) -> None:
        """Compare with the manual, or write it."""
        matrix = read_matrix()
        known = matrix.setdefault(self.agent.id, {"version": "", "cells": {}})
        if WRITE:
            known["version"] = self.agent.version
            known["cells"] = {row: cell for row, cell in (known["cells"] | self.cells).items() if row in ROWS}
            write_matrix(matrix)
            return
        assert known["version"] == self.agent.version, f"the manual tells of {known['version']} only"
        said = known["cells"]
        new = {row: cell for row, cell in self.cells.items() if cell["seen"] != said.get(row, {}).get("seen")}
        assert not new, f"the manual says otherwise, and VOXPILOT_WRITE_MATRIX=1 would write it anew: {new}"


def read_matrix() -> dict[str, Any]:
    return dict(json.loads(MATRIX.read_text("utf-8"))) if MATRIX.exists() else {}


def write_matrix(matrix: Mapping[str, Any]) -> None:
    text = json.dumps(matrix, indent=2, ensure_ascii=False, sort_keys=True)
    MATRIX.write_text(text + "\n", "utf-8")
    MANUAL.write_text(manual_with(matrix), "utf-8")


def manual_with(matrix: Mapping[str, Any]) -> str:
    """The page of the manual as it should be."""
    before, _, rest = MANUAL.read_text("utf-8").partition(BEGIN)
    return before + BEGIN + table(matrix) + END + rest.partition(END)[2]


def table(matrix: Mapping[str, Any]) -> str:
    """The matrix as the manual prints it; what an agent cannot do has its reason below."""
    heads = [f"{agent.name} {matrix[agent.id]['version']}" for agent in AGENTS if agent.id in matrix]
    lines = [_line("", *heads), _line("---", *(":-:" for _ in heads))]
    reasons: list[str] = []
    for row, words in ROWS.items():
        cells = [(agent, matrix[agent.id]["cells"].get(row)) for agent in AGENTS if agent.id in matrix]
        lines.append(_line(words, *(_mark(agent, words, cell, reasons) for agent, cell in cells)))
    return "\n".join([*lines, "", *reasons, ""])


def _mark(agent: RealAgent, words: str, cell: Mapping[str, Any] | None, reasons: list[str]) -> str:
    mark = "?" if cell is None else "✓" if cell["seen"] else "–"
    if cell is None or "evidence" not in cell:
        return mark
    number = len(reasons) + 1
    reasons.append(f"{number}. {agent.name}, “{words}”: {cell['evidence']}")
    return f"{mark} ({number})"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
