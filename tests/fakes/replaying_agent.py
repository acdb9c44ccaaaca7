"""An agent that says again what a real one said: `replaying_agent.py FOLDER`.

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
    from typing import Any


class Client:
    """What has come in and is not used yet."""

    def __init__(self) -> None:
        self._waiting: list[dict[str, Any]] = []

    def take(self, expected: dict[str, Any]) -> dict[str, Any]:
        """The next message like this one; a stop and the answers it brings may come in any order."""
        while True:
            for message in self._waiting:
                if is_like(message, expected):
                    self._waiting.remove(message)
                    return message
            line = sys.stdin.readline()
            if not line:
                sys.exit(0)
            self._waiting.append(json.loads(line))


def is_like(message: dict[str, Any], expected: dict[str, Any]) -> bool:
    if "method" in expected:
        return message.get("method") == expected["method"]
    return "method" not in message and message.get("id") == expected["id"]


def main(folder: str) -> None:
    with open(os.path.join(folder, "run"), "a+") as runs:
        runs.seek(0)
        run = len(runs.read()) + 1
        runs.write("x")
    with open(os.path.join(folder, "pid"), "w") as file:
        file.write(str(os.getpid()))
    with open(os.path.join(folder, "frames.json"), encoding="utf-8") as file:
        frames = json.load(file)
    client = Client()
    ids: dict[str, Any] = {}
    """The ids of the client's requests now, by those in the recording."""
    for number, frame in enumerate(frames):
        message = frame["message"]
        if frame["run"] != run:
            continue
        if frame["from_agent"]:
            if "method" not in message:
                message = {**message, "id": ids[json.dumps(message["id"])]}
            print(json.dumps(message), flush=True)
            continue
        with open(os.path.join(folder, f"at-{number}"), "w"):
            pass
        got = client.take(message)
        if "method" in message and "id" in message:
            ids[json.dumps(message["id"])] = got["id"]
    with open(os.path.join(folder, f"end-{run}"), "w"):
        pass
    sys.stdin.read()


main(sys.argv[1])
