"""Commands that an agent runs by itself and lets us watch.

Lives here: reading what such an agent says of them beside the protocol, in the
`_meta` of its tool calls: where a command runs, what it prints, how it ends.
Lives elsewhere: commands that we run for agents (runtime/terminals.py).
"""

from __future__ import annotations

from typing import Any

from voxpilot.chat.events import Json, TerminalExited, TerminalOpened, TerminalPrinted
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Session, Terminal

_PRINTED = ("terminal_output_delta", "terminal_output")
_WORDS = ("terminal_info", *_PRINTED, "terminal_exit")
_Told = TerminalOpened | TerminalPrinted | TerminalExited
PIECE = 8_000
"""Characters of one event: even if each of them takes six in JSON, it streams whole."""


def without_terminals(meta: Any) -> Json | None:
    """What else an agent says beside the protocol."""
    if not isinstance(meta, dict):
        return None
    return {name: value for name, value in meta.items() if name not in _WORDS} or None


def tell_of_terminal(ledger: Ledger, session: Session, call: Json, at: float) -> None:
    """Record what a tool call says of the command behind it; call it once the tool call is known."""
    meta = call.get("_meta")
    if not isinstance(meta, dict):
        return
    inside = {"turn": session.turn, "tool_call_id": session.tool_call_id}
    for event in (*_opened(call, meta, inside), *_printed(meta, inside), *_exited(meta, inside)):
        # Of those that we run, and of those that we ran, we know better.
        is_ours = event.terminal_id.startswith(f"{session.process_id}-")
        if not is_ours and ledger.get(Terminal, event.terminal_id) is None:
            ledger.emit(event, at)


def _opened(call: Json, meta: Json, inside: Json) -> list[_Told]:
    info = meta.get("terminal_info") or {}
    match info:
        case {"terminal_id": str(id)}:
            given = call.get("rawInput")
            command = given.get("command") if isinstance(given, dict) else None
            cwd = info.get("cwd") if isinstance(info.get("cwd"), str) else None
            return [TerminalOpened(terminal_id=id, command=command or call.get("title"), cwd=cwd, **inside)]
    return []


def _printed(meta: Json, inside: Json) -> list[_Told]:
    events: list[_Told] = []
    for word in _PRINTED:
        match meta.get(word):
            case {"terminal_id": str(id), "data": str(data)}:
                pieces = (data[start : start + PIECE] for start in range(0, len(data), PIECE))
                events += [TerminalPrinted(terminal_id=id, data=piece, **inside) for piece in pieces]
    return events


def _exited(meta: Json, inside: Json) -> list[_Told]:
    end = meta.get("terminal_exit") or {}
    match end:
        case {"terminal_id": str(id)}:
            code, signal = end.get("exit_code"), end.get("signal")
            exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
            said = signal if isinstance(signal, str) else None
            return [TerminalExited(terminal_id=id, exit_code=exit_code, signal=said, **inside)]
    return []
