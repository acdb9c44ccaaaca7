"""Output of commands, turned into events.

Lives here: the next piece of a command's output, whole characters only, and its end. The row stores the
offset in the same step as the events, so that each byte is shown once, whatever is killed. Of a very long
output, only the beginning and the end are shown. Lives elsewhere: reading the output (keeper/output.py), the
output that agents get (terminals.py).
"""

from __future__ import annotations

import logging
from pathlib import Path

from voxpilot.chat.events import TerminalExited, TerminalPrinted
from voxpilot.errors import OutOfFiles, explained
from voxpilot.keeper.output import from_character, read_output, text_at_start
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Terminal

log = logging.getLogger(__name__)
SHOWN_BYTES = 200_000
"""How much is shown while a command runs; the rest waits until it ends."""
END_BYTES = 50_000
"""How much of the end is shown then."""
STEP_BYTES = 64_000
PIECE = 8_000
"""Characters of one event: even if each of them takes six in JSON, it streams whole."""
_LONGEST_CHARACTER = 4


def take(ledger: Ledger, terminal: Terminal, directory: Path, at: float) -> bool:
    """Show the next piece of a command's output, and after the last piece how it ended; True while there is
    more. Raises OSError only if no more files can be opened."""
    terminal = ledger.get(Terminal, terminal.id) or terminal
    size = terminal.ended["bytes"] if terminal.ended else None
    room = SHOWN_BYTES - terminal.shown
    if terminal.told or (room <= 0 and size is None):
        return False
    start = terminal.offset
    if room <= 0 and size is not None:
        start, room = max(start, size - END_BYTES), END_BYTES
    try:
        found = read_output(directory, terminal.id, start, min(STEP_BYTES, max(room, _LONGEST_CHARACTER)))
    except OSError as error:
        _do_without(ledger, terminal, error, at)
        return False
    data = found.data if found.start == terminal.offset else from_character(found.data)
    skipped = found.end - len(data) - terminal.offset
    is_last = size is not None and (found.end >= size or not found.data)
    text, used = text_at_start(data, is_last)
    if not used and not is_last:
        return False
    shown = terminal.shown + used
    held = size is None and shown >= SHOWN_BYTES
    terminal = ledger.change(terminal, offset=terminal.offset + skipped + used, shown=shown)
    _print(ledger, terminal, text, skipped, held, at)
    if is_last:
        _tell_end(ledger, terminal, at)
    return not is_last


def _do_without(ledger: Ledger, terminal: Terminal, error: OSError, at: float) -> None:
    """Output that cannot be read is reported where it would be shown, and stops nothing else.

    While the command runs, the rest waits for its end, when it is tried once more.
    """
    if isinstance(explained(error), OutOfFiles):
        raise error
    log.warning("output of terminal %s cannot be read: %s", terminal.id, error)
    is_running = terminal.ended is None
    if is_running:
        terminal = ledger.change(terminal, shown=SHOWN_BYTES)
    _print(ledger, terminal, f"\n[The output cannot be read: {error.strerror}]\n", 0, is_running, at)
    if not is_running:
        _tell_end(ledger, terminal, at)


def _print(ledger: Ledger, terminal: Terminal, text: str, skipped: int, held: bool, at: float) -> None:
    if skipped:
        text = f"\n[… {skipped:,} bytes omitted …]\n{text}"
    for start in range(0, len(text), PIECE):
        event = TerminalPrinted(
            terminal_id=terminal.id,
            data=text[start : start + PIECE],
            skipped=skipped if skipped and not start else None,
            held=(held and start + PIECE >= len(text)) or None,
            turn=terminal.turn,
            tool_call_id=terminal.tool_call_id,
        )
        ledger.emit(event, at)


def _tell_end(ledger: Ledger, terminal: Terminal, at: float) -> None:
    over = terminal.ended or {}
    event = TerminalExited(
        terminal_id=terminal.id,
        exit_code=over.get("exit_code"),
        signal=over.get("signal"),
        turn=terminal.turn,
        tool_call_id=terminal.tool_call_id,
    )
    ledger.emit(event, at)
    ledger.change(terminal, told=True)
