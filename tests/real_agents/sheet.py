"""What was observed of each real agent, compared with the manual.

Lives here: the rows of the matrix, the manual's copy of the results (docs/matrix.json) and the table
generated from it (docs/agents.md). Lives elsewhere: observing it (the tests).

With VOXPILOT_WRITE_MATRIX=1 a run writes its results instead of comparing them.
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
    "opens": "starts and opens a session",
    "text": "streams its text",
    "thought": "shows its reasoning",
    "plan": "shows its plan",
    "diff": "shows an edit as a diff",
    "asks-write": "asks before the first write (as VoxPilot starts it)",
    "asks-command": "asks before the first command (as VoxPilot starts it)",
    "reject": "respects a rejection",
    "output": "shows the output of commands",
    "picture": "passes an attached image to its model",
    "file": "passes an attached text file to its model",
    "tools-stdio": "starts an MCP server from VoxPilot's settings",
    "tools-http": "calls an MCP server by URL",
    "form": "asks the user its own questions",
    "commands": "offers slash commands",
    "model": "lets you choose its model",
    "mode": "lets you choose its mode",
    "usage": "reports how full its context is",
    "provider-error": "shows an error from its provider",
    "stop-text": "stops while it is writing",
    "stop-question": "stops while a question is open",
    "stop-command": "stops while a command is running",
    "stop-ends-command": "ends the command itself when stopped",
    "two": "works in two chats at once",
    "named": "runs two named sessions in one process",
    "kill-text": "loses nothing when the server is killed while it is writing",
    "kill-question": "keeps an open question when the server is killed, and gets one answer",
    "restore": "remembers the chat after it was killed and restarted",
    "restore-cut": "continues with the next message after it was killed while writing",
    "list": "lists its older sessions",
    "history": "opens an older session with its history",
    "fork": "can fork a session",
    "forget": "can delete a session",
}


@dataclass
class Sheet:
    """What one test has observed of one agent."""

    agent: RealAgent
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)

    def note(self, row: str, seen: object, evidence: str = "") -> None:
        """Whether the agent can do what the row says, and if not, how we know."""
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
        assert not new, f"the manual says otherwise, and VOXPILOT_WRITE_MATRIX=1 would write it again: {new}"


def read_matrix() -> dict[str, Any]:
    return dict(json.loads(MATRIX.read_text("utf-8"))) if MATRIX.exists() else {}


def write_matrix(matrix: Mapping[str, Any]) -> None:
    text = json.dumps(matrix, indent=2, ensure_ascii=False, sort_keys=True)
    MATRIX.write_text(text + "\n", "utf-8")
    MANUAL.write_text(manual_with(matrix), "utf-8")


def manual_with(matrix: Mapping[str, Any]) -> str:
    """The expected page of the manual."""
    before, _, rest = MANUAL.read_text("utf-8").partition(BEGIN)
    return before + BEGIN + table(matrix) + END + rest.partition(END)[2]


def table(matrix: Mapping[str, Any]) -> str:
    """The matrix as printed in the manual; reasons for what an agent cannot do are below it."""
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
