"""Commands that an agent runs itself and lets us watch.

Lives here: reading what such an agent reports outside the protocol, in the `_meta` of its tool calls: where a
command runs, its output, how it ends.
Lives elsewhere: commands that we run for agents (runtime/callbacks/terminals.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from voxpilot.chat.events import Json, TerminalExited, TerminalOpened, TerminalPrinted
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Session, Terminal
from voxpilot.storage.database.states import SessionPhase

if TYPE_CHECKING:
    from voxpilot.chat.shapes import TerminalBlock

_PRINTED = ("terminal_output_delta", "terminal_output")
_WORDS = ("terminal_info", *_PRINTED, "terminal_exit")
_Told = TerminalOpened | TerminalPrinted | TerminalExited
PIECE = 8_000
"""Characters of one event: even if each of them takes six in JSON, it streams whole."""


def without_terminals(meta: object) -> Json | None:
    """Other fields that an agent sends outside the protocol."""
    if not isinstance(meta, dict):
        return None
    return {name: value for name, value in meta.items() if name not in _WORDS} or None


def names_in(ledger: Ledger, session: Session, call_id: str, call: Json) -> dict[str, str]:
    """Our names for the terminals in a tool call, by the agent's names.

    They are the same, except for a name that is used again after its command has ended.
    """
    told = [raw for raw in _told(call.get("_meta")) if not _is_ours(ledger, session, raw)]
    return {raw: _name_of(ledger, session, call_id, raw) for raw in told}


def with_names(ledger: Ledger, session: Session, fields: Json, names: dict[str, str]) -> Json:
    """The fields of a tool call, with our own names for its terminals."""
    content = fields.get("content")
    if not content or all(item.get("type") != "terminal" for item in content):
        return fields
    return {**fields, "content": tuple(_named(ledger, session, item, names) for item in content)}


def tell_of_terminal(
    ledger: Ledger, session: Session, call_id: str, call: Json, names: dict[str, str], at: float
) -> None:
    """Record what a tool call reports about its command; call it once the tool call is known."""
    meta = call.get("_meta")
    if not isinstance(meta, dict):
        return
    inside = {"turn": session.turn, "tool_call_id": session.tool_call_id}
    opened = _opened(call, meta, call_id, inside)
    reused = [raw for raw, name in names.items() if raw != name and _block(ledger, name) is None]
    told = [event.terminal_id for event in opened]
    opened += [_opening(call, raw, None, call_id, inside) for raw in reused if raw not in told]
    for event in (*opened, *_printed(meta, inside), *_exited(meta, inside)):
        raw = event.terminal_id
        if raw not in names:  # for commands that we run or have run, our own information is better
            continue
        if raw != names[raw]:
            event = replace(event, terminal_id=names[raw])
        if isinstance(event, TerminalOpened) and raw != names[raw]:
            event = replace(event, told_as=raw)
        ledger.emit(event, at)


def _told(meta: object) -> list[str]:
    """The names of the terminals in a tool call."""
    said = [meta.get(word) for word in _WORDS] if isinstance(meta, dict) else []
    named = [word.get("terminal_id") for word in said if isinstance(word, dict)]
    return [name for name in named if isinstance(name, str)]


def _is_ours(ledger: Ledger, session: Session, name: str) -> bool:
    return name.startswith(f"{session.process_id}-") or ledger.get(Terminal, name) is not None


def _name_of(ledger: Ledger, session: Session, call_id: str, raw: str) -> str:
    if _block(ledger, raw) is None and not ledger.transcript.has_older:
        return raw
    block = ledger.transcript.told_terminal(raw, session.tool_call_id)
    if block is not None and ("exit" not in block or _is_same_call(block, session, call_id)):
        return str(block["terminal_id"])
    return f"{raw}~{ledger.transcript.head['seq']}"


def _is_same_call(block: TerminalBlock, session: Session, call_id: str) -> bool:
    """Whether a call refers to its own command that has ended: late, repeatedly, or in a repeated history."""
    is_then = session.turn in (None, block.get("turn")) or session.phase is SessionPhase.RESTORING
    return is_then and block.get("tool", call_id) == call_id


def _named(ledger: Ledger, session: Session, item: Json, names: dict[str, str]) -> Json:
    raw = item.get("terminalId")
    if item.get("type") != "terminal" or not isinstance(raw, str):
        return item
    block = None if raw in names else ledger.transcript.told_terminal(raw, session.tool_call_id)
    name = block["terminal_id"] if block is not None else names.get(raw, raw)
    return {**item, "terminalId": name}


def _block(ledger: Ledger, name: str) -> TerminalBlock | None:
    return ledger.transcript.find("terminal", name)


def _opened(call: Json, meta: Json, call_id: str, inside: Json) -> list[TerminalOpened]:
    info = meta.get("terminal_info") or {}
    match info:
        case {"terminal_id": str(id)}:
            return [_opening(call, id, info.get("cwd"), call_id, inside)]
    return []


def _opening(call: Json, id: str, cwd: object, call_id: str, inside: Json) -> TerminalOpened:
    given = call.get("rawInput")
    command = given.get("command") if isinstance(given, dict) else None
    where = cwd if isinstance(cwd, str) else None
    return TerminalOpened(
        terminal_id=id, command=command or call.get("title"), cwd=where, tool=call_id, **inside
    )


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
