"""The agent of the benchmarks: prepared lines as fast as possible, or lines with timestamps at a fixed rate.

    python -I -S agent.py LINES            speaks ACP; the text of a prompt is a command
    python -I -S agent.py LINES ORDER...   speaks no protocol and runs one command, for comparison

Orders:
    say                          one update, at once
    flood                        says when it begins, then writes the file LINES
    tick NAME COUNT EVERY_MS [PHASE]
                                 COUNT updates, each with the time it was written at; PHASE, from 0 to 1, is
                                 where between two ticks of the machine's clock

Lives here: what a line looks like. Lives elsewhere: preparing the file (lines.py). Standard library only.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SESSION = "0192f3a4-5b6c-7d8e-9f01-23456789abcd"
WRITE_BYTES = 256 << 10
PADDING = "and some words that an agent might say meanwhile "


def update_line(text: str, kind: str = "agent_message_chunk") -> bytes:
    """One `session/update` as agents write it: compact, one line."""
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    message = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": SESSION, "update": update},
    }
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def main(lines: str, *order: str) -> None:
    with open(lines, "rb") as file:
        prepared = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if order:
        obey(list(order), prepared)
        return
    for line in sys.stdin.buffer:
        hear(json.loads(line), prepared)


def hear(message: dict[str, Any], prepared: memoryview) -> None:
    if "id" not in message or "method" not in message:
        return
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    match message["method"]:
        case "initialize":
            answer["result"] = {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}
        case "session/new":
            answer["result"] = {"sessionId": SESSION}
        case "session/prompt":
            obey(message["params"]["prompt"][0]["text"].split(), prepared)
            answer["result"] = {"stopReason": "end_turn"}
        case method:
            answer["error"] = {"code": -32601, "message": f"{method} is not offered"}
    write(json.dumps(answer).encode() + b"\n")


def obey(order: list[str], prepared: memoryview) -> None:
    match order:
        case ["say"]:
            write(update_line(PADDING))
        case ["flood"]:
            write(update_line(f"began {time.monotonic_ns()}", "agent_thought_chunk"))
            write(prepared)
        case ["tick", name, count, every_ms, *phase]:
            tick(name, int(count), float(every_ms) / 1000, float(phase[0]) if phase else 0.0)


def tick(name: str, count: int, every_seconds: float, phase: float) -> None:
    due = (time.monotonic() // every_seconds + 1 + phase) * every_seconds
    for number in range(count):
        time.sleep(max(0.0, due - time.monotonic()))
        write(update_line(f"@{name}.{number}.{time.monotonic_ns()}@ {PADDING}"))
        due += every_seconds


def write(data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view[:WRITE_BYTES]) :]


if __name__ == "__main__":
    main(*sys.argv[1:])
