"""The scripted model in its own process.

Lives here: starting and ending it, and the requests it got. Lives elsewhere:
what it replies (tests/fakes/llm).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class ScriptedLlm:
    url: str
    log: Path

    @property
    def openai(self) -> str:
        """The base address for an OpenAI client."""
        return f"{self.url}/v1"

    def asked(self, containing: str = "", own_too: bool = False) -> list[dict[str, Any]]:
        """Every request that answers a message with these words, and how each `ended` (None: it has not).

        `own_too` includes an agent's own requests, such as for titles.
        """
        lines = self._lines()
        ends = {line["n"]: line["ended"] for line in lines if "ended" in line}
        return [
            {**line, "ended": ends.get(line["n"])}
            for line in lines
            if "path" in line and containing in line["user"] and (own_too or not line["own"])
        ]

    def _lines(self) -> list[dict[str, Any]]:
        if not self.log.exists():
            return []
        *whole, _ = self.log.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in whole]


@contextmanager
def scripted_llm(log: Path, options: Sequence[str] = ()) -> Iterator[ScriptedLlm]:
    """Run it within the block."""
    command = [sys.executable, "-m", "tests.fakes.llm", "--log", str(log), *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield ScriptedLlm(process.stdout.readline().strip(), log)
        finally:
            process.kill()
