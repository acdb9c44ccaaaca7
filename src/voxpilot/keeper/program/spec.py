"""What a keeper is told when it starts.

Lives here: the fields with their defaults, and refusing what makes no sense.
Lives elsewhere: the same fields from the server's side, with what they mean (../attach.py).
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1


class Spec:
    """One agent and how to keep it. Raises ValueError, TypeError or KeyError if it cannot be that."""

    def __init__(self, text: bytes) -> None:
        fields = json.loads(text)
        if fields.get("version", VERSION) != VERSION:
            raise ValueError(f"version {fields['version']!r} is unknown here")
        self.id = word(fields["id"])
        self.argv = [word(argument) for argument in fields["argv"]]
        self.cwd = word(fields["cwd"])
        self.env = {word(name): word(value) for name, value in fields["env"].items()}
        self.tcp = address(fields.get("tcp"))
        if not (self.argv or self.tcp) or any("=" in name or not name for name in self.env):
            raise ValueError("no program, or a name in the environment that cannot be")
        self.idle_seconds = number(fields.get("idle_seconds", 1800))
        self.busy_seconds = number(fields.get("busy_seconds", 86400))
        self.attach_seconds = number(fields.get("attach_seconds", 60))
        self.line_cap = int(number(fields.get("line_cap", 16 << 20)))
        self.keep_bytes = int(number(fields.get("keep_bytes", 50 << 20)))
        self.segment_bytes = int(number(fields.get("segment_bytes", 8 << 20)))
        self.stderr_bytes = int(number(fields.get("stderr_bytes", 64 << 10)))
        to_leave, to_obey = fields.get("grace_seconds", (2, 2))
        self.grace_seconds = number(to_leave), number(to_obey)


def word(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{value!r:.50} is no string that a program could be given")
    return value


def address(value: Any) -> tuple[str, int] | None:
    if value is None:
        return None
    host, port = value
    return word(host), int(number(port))


def number(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < float("inf"):
        raise ValueError(f"{value!r:.50} is no number of bytes or seconds")
    return float(value)
