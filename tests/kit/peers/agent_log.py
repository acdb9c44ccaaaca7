"""What the scripted agent really received and sent, from its own log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentLog:
    """The file given to the agent as `--log`; several processes may share it."""

    path: Path

    def lines(self) -> list[dict[str, Any]]:
        """Every complete line; `dir` is `in`, `out` or `note`."""
        if not self.path.exists():
            return []
        *whole, _ = self.path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in whole]

    def received(self, method: str | None = None) -> list[dict[str, Any]]:
        """Received frames, optionally only those of one method."""
        return [frame for frame in self._frames("in") if method is None or frame.get("method") == method]

    def sent(self, method: str | None = None) -> list[dict[str, Any]]:
        return [frame for frame in self._frames("out") if method is None or frame.get("method") == method]

    def prompts(self) -> list[str]:
        """The text of every received prompt."""
        return [
            "\n".join(block["text"] for block in frame["params"]["prompt"] if block["type"] == "text")
            for frame in self.received("session/prompt")
        ]

    def decisions(self) -> list[str]:
        """Every received permission answer, in order: an option id or `cancelled`."""
        outcomes = [
            frame["result"]["outcome"]
            for frame in self.received()
            if "method" not in frame
            and isinstance(frame.get("result"), dict)
            and isinstance(frame["result"].get("outcome"), dict)
        ]
        return [str(outcome.get("optionId", outcome.get("outcome"))) for outcome in outcomes]

    def starts(self) -> list[int]:
        """The pid of every agent process that was started."""
        return [line["pid"] for line in self.lines() if "started" in line]

    def spawned(self) -> list[int]:
        """The pids of grandchildren."""
        return [line["child"] for line in self.lines() if "spawned" in line]

    def _frames(self, direction: str) -> list[dict[str, Any]]:
        return [
            line["frame"]
            for line in self.lines()
            if line.get("dir") == direction and isinstance(line.get("frame"), dict)
        ]
