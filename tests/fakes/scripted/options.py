"""The scripted agent's command line.

Parsed by hand: argparse would double the agent's start-up time.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Options:
    """How one agent process was started."""

    def __init__(self, arguments: list[str]) -> None:
        self.faults: dict[str, Any] = {}
        """Fault name to its value, `True` where none was given."""
        self.log: str | None = None
        self.log_out = True
        self.uuid_ids = False
        self.message_ids = False
        self.version = "1.0.0"
        self.models = ("scripted-1", "scripted-2")
        self.store: str | None = None
        """The folder for sessions of `session/load`; without it the agent cannot load."""
        self.signed_in_file: str | None = None
        """Counts as signed in while this file exists; `--login` creates it."""
        self.forks = False
        self.login = False
        rest = iter(arguments)
        for argument in rest:
            self._take(argument, rest)

    def _take(self, argument: str, rest: Any) -> None:
        match argument:
            case "--fault":
                name, equals, value = next(rest).partition("=")
                self.faults[name] = _value(value) if equals else True
            case "--log":
                self.log = next(rest)
            case "--no-log-out":
                self.log_out = False
            case "--ids":
                self.uuid_ids = next(rest) == "uuid"
            case "--message-ids":
                self.message_ids = True
            case "--agent-version":
                self.version = next(rest)
            case "--models":
                self.models = tuple(next(rest).split(","))
            case "--store":
                self.store = next(rest)
            case "--signed-in-file":
                self.signed_in_file = next(rest)
            case "--forks":
                self.forks = True
            case "--login":
                self.login = True
            case _:
                raise SystemExit(f"scripted agent: unknown argument {argument!r}")


def _value(text: str) -> Any:
    """A number or quoted string as in JSON, anything else unchanged."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def size_in_bytes(value: Any) -> int:
    """`1g`, `20mb`, `500k` or a plain number of bytes."""
    text = str(value).lower().removesuffix("b")
    factor = {"k": 2**10, "m": 2**20, "g": 2**30}.get(text[-1:], 1)
    return int(float(text.rstrip("kmg")) * factor)
