"""What a keeper is told when it starts.

Lives here: the fields with their defaults, and rejecting invalid values. Lives elsewhere: the same fields on
the server's side, with their meaning (../attach.py).
"""

from __future__ import annotations

import json

from .clock import offset_now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1


class Spec:
    """One agent and how to run it. Raises ValueError, TypeError or KeyError if the spec is invalid."""

    def __init__(self, text: bytes) -> None:
        fields = json.loads(text)
        if fields.get("version", VERSION) != VERSION:
            raise ValueError(f"unknown version {fields['version']!r}")
        self.id = word(fields["id"])
        self.argv = [word(argument) for argument in fields["argv"]]
        self.cwd = word(fields["cwd"])
        self.env = {word(name): word(value) for name, value in fields["env"].items()}
        self.tcp = address(fields.get("tcp"))
        if not (self.argv or self.tcp) or any("=" in name or not name for name in self.env):
            raise ValueError("no program, or an invalid variable name in the environment")
        self.sandbox = sandbox(fields.get("sandbox"))
        self.idle_seconds = number(fields.get("idle_seconds", 1800))
        self.busy_seconds = number(fields.get("busy_seconds", 86400))
        self.attach_seconds = number(fields.get("attach_seconds", 60))
        self.line_cap = int(number(fields.get("line_cap", 16 << 20)))
        self.keep_bytes = int(number(fields.get("keep_bytes", 50 << 20)))
        self.ahead_bytes = int(number(fields.get("ahead_bytes", 512 << 20)))
        self.segment_bytes = int(number(fields.get("segment_bytes", 8 << 20)))
        self.stderr_bytes = int(number(fields.get("stderr_bytes", 64 << 10)))
        self.clock = offset(fields.get("clock"))
        to_leave, to_obey = fields.get("grace_seconds", (2, 2))
        self.grace_seconds = number(to_leave), number(to_obey)


def word(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{value!r:.50} is not a string that can be passed to a program")
    return value


def address(value: Any) -> tuple[str, int] | None:
    if value is None:
        return None
    host, port = value
    return word(host), int(number(port))


def offset(value: Any) -> float:
    """The reading of the server's clock when the machine started."""
    if value is None:
        return offset_now()
    if type(value) not in (int, float) or not abs(value) < float("inf"):
        raise ValueError(f"{value!r:.50} is not a duration")
    return float(value)


def sandbox(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if value["kind"] not in ("bwrap", "landlock") or not value["argv"]:
        raise ValueError("unknown sandbox")
    env = {word(name): word(text) for name, text in value["env"].items()}
    return {"kind": value["kind"], "argv": [word(part) for part in value["argv"]], "env": env}


def number(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < float("inf"):
        raise ValueError(f"{value!r:.50} is not a number of bytes or seconds")
    return float(value)
