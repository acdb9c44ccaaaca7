"""Ways to misbehave in a turn, written in the script language itself.

Lives here: what each fault adds to the script of every prompt.
Lives elsewhere: faults of starting, signing in and loading (agent.py).
"""

from __future__ import annotations

import json

from .options import size_in_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MALFORMED = [
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sess',
    b"Warning: something a library printed",
    b'{"jsonrpc":"2.0","method":"session/update","params":"\xff\xfe\x80"}',
    b'{"jsonrpc":"2.0"}',
]
NON_OBJECTS = [b"42", b"[]", b'"text"', b"null", b"true", b'[{"jsonrpc":"2.0","method":"_batch"}]']
BAD_IDS = [
    b'{"jsonrpc":"2.0","id":{"a":1},"result":{}}',
    b'{"jsonrpc":"2.0","id":[1],"method":"session/request_permission","params":{}}',
    b'{"jsonrpc":"2.0","id":true,"result":{}}',
    b'{"jsonrpc":"2.0","id":987654321,"result":{}}',
]
GARBAGE = MALFORMED + NON_OBJECTS + BAD_IDS
"""Each of these lines is sent once in every turn of an agent with the fault `garbage`."""

FUTURE_UPDATES: list[dict[str, Any]] = [
    {"sessionUpdate": "hologram_update", "depth": 3, "payload": {"shape": "cube"}},
    {
        "sessionUpdate": "tool_call",
        "toolCallId": "future-1",
        "title": "Teleport",
        "kind": "teleport",
        "status": "pending",
        "quantum": True,
        "content": [{"type": "hologram", "data": "??"}],
    },
    {"sessionUpdate": "tool_call_update", "toolCallId": "future-1", "status": "entangled"},
    {"sessionUpdate": "agent_message_chunk", "content": {"type": "hologram", "data": "??"}},
]
EMPTY_HINT = "Error: no API key found. Set SCRIPTED_API_KEY or run `scripted login`."
WAYS_TO_SPAWN = ("plain", "setsid", "double", "nohup")


def add_faults(faults: dict[str, Any], lines: list[str], first_turn: bool) -> list[str]:
    """The script that an agent with these faults runs."""
    if "empty" in faults:
        return [f"stderr {EMPTY_HINT}"]
    if "silent" in faults:
        return ["silent"]
    before, after = _mixed_in(faults)
    if "stderr" in faults:
        before.append(f"stderr-flood {size_in_bytes(faults['stderr']) / 2**20}")
    if "bigline" in faults:
        before.append(f"bigline {faults['bigline']}")
    if "flood" in faults:
        before.append(f"flood {_number(faults['flood'], 100_000)}")
    if "future" in faults:
        before += [f"update {json.dumps(update)}" for update in FUTURE_UPDATES]
        before.append('notify _scripted/status {"mood":"curious"}')
    if "grandchildren" in faults and first_turn:
        before += [f"spawn {way}" for way in WAYS_TO_SPAWN]
    if "perm-burst" in faults:
        before.append(f"ask-many {_number(faults['perm-burst'], 50)}")
    if "exit-mid" in faults:
        before += [f"chunks {_number(faults['exit-mid'], 3)}", "exit 0"]
    return before + lines + after


def _mixed_in(faults: dict[str, Any]) -> tuple[list[str], list[str]]:
    chosen: list[bytes] = []
    for name, group in (("garbage", GARBAGE), ("nondict", NON_OBJECTS), ("badid", BAD_IDS)):
        chosen += group if name in faults else []
    written = [f"raw-hex {line.hex()}" for line in chosen]
    return written[::2], written[1::2]


def _number(value: Any, default: int) -> int:
    return default if value is True else int(value)
