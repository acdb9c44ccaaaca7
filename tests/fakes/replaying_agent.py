"""An agent that repeats what a real one said: `replaying_agent.py FOLDER`.

FOLDER/frames.json holds the recording, runs counted from 1; FOLDER/run says which run this is. What the agent
said is printed at once up to the next thing the client said; that is waited for, by method or by the id it
answers. While it waits, FOLDER/at-N is there, N being the number of the frame.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

AGENT = os.path.abspath(__file__)


class Replaying:
    """Takes frames, one after the other; what it says goes to `send`."""

    def __init__(self, folder: str, pid: int, send: Callable[[Any], None]) -> None:
        self._folder = folder
        self._send = send
        self._waiting: list[dict[str, Any]] = []
        """What has come in and is not used yet."""
        with open(os.path.join(folder, "run"), "a+") as runs:
            runs.seek(0)
            self._run = len(runs.read()) + 1
            runs.write("x")
        with open(os.path.join(folder, "pid"), "w") as file:
            file.write(str(pid))
        self._steps = self._play()
        next(self._steps, None)

    def take(self, message: dict[str, Any]) -> None:
        self._waiting.append(message)
        next(self._steps, None)

    def _play(self) -> Iterator[None]:
        """Stops wherever it waits for the client."""
        with open(os.path.join(self._folder, "frames.json"), encoding="utf-8") as file:
            frames = json.load(file)
        ids: dict[str, Any] = {}
        """The ids of the client's requests now, by those in the recording."""
        for number, frame in enumerate(frames):
            message = frame["message"]
            if frame["run"] != self._run:
                continue
            if frame["from_agent"]:
                if "method" not in message:
                    message = {**message, "id": ids[json.dumps(message["id"])]}
                self._send(message)
                continue
            self._touch(f"at-{number}")
            while (got := self._found(message)) is None:
                yield
            if "method" in message and "id" in message:
                ids[json.dumps(message["id"])] = got["id"]
        self._touch(f"end-{self._run}")
        yield

    def _found(self, expected: dict[str, Any]) -> dict[str, Any] | None:
        """The next message like this one; a stop and the answers it causes may arrive in any order."""
        for message in self._waiting:
            if is_like(message, expected):
                self._waiting.remove(message)
                return message
        return None

    def _touch(self, name: str) -> None:
        with open(os.path.join(self._folder, name), "w"):
            pass


def is_like(message: dict[str, Any], expected: dict[str, Any]) -> bool:
    if "method" in expected:
        return message.get("method") == expected["method"]
    return "method" not in message and message.get("id") == expected["id"]


def main(folder: str) -> None:
    agent = Replaying(folder, os.getpid(), lambda message: print(json.dumps(message), flush=True))
    for line in sys.stdin:
        agent.take(json.loads(line))


if __name__ == "__main__":
    main(sys.argv[1])
