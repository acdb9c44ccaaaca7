"""Starts the scripted model and prints where it listens."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.fakes.llm.script import ScriptBook
from tests.fakes.llm.server import LlmServer, Options


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.llm")
    parser.add_argument("--port", type=int, default=0, help="0 takes any")
    parser.add_argument("--log", type=Path, help="JSON lines: each request, and how it ended")
    parser.add_argument("--bodies", action="store_true", help="log requests in full")
    parser.add_argument("--scripts", type=Path, help="scripts for messages that hold none")
    parser.add_argument("--plain", action="store_true", help="obey scripts in requests without tools too")
    given = parser.parse_args()
    options = Options(given.log, ScriptBook(given.scripts), given.plain, given.bodies)
    with LlmServer(given.port, options) as server:
        print(server.url, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
