"""Commands by which a person signs in, each in a terminal of its own.

Lives here: starting one next to the agent, finding those that are running or have ended, and what its exit
means. Lives elsewhere: when to start one and what follows (sign_in.py), typing (terminal_input.py), all other
commands (callbacks/terminals.py).
"""

from __future__ import annotations

import uuid

from voxpilot.chat.events import TerminalOpened
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Process, Terminal


def start(
    ledger: Ledger,
    process: Process,
    argv: tuple[str, ...],
    shown: list[str],
    env: dict[str, str],
    turn: str | None,
    tool_call_id: str | None,
    at: float,
) -> Terminal:
    """Have the command run in the agent's keeper, with these variables over the agent's own.

    `shown` is the command without our secrets.
    """
    terminal = Terminal(
        id=f"s-{uuid.uuid4().hex[:12]}",
        chat_id=ledger.chat.id,
        process_id=process.id,
        session_id="",  # so that no agent can reach it
        turn=turn,
        tool_call_id=tool_call_id,
        argv=argv,
        cwd=ledger.chat.workspace,
        env=env,
        byte_limit=None,
        takes_input=True,
        created_at=at,
    )
    ledger.save(terminal)
    opened = TerminalOpened(
        terminal_id=terminal.id,
        command=shown,
        cwd=terminal.cwd,
        takes_input=True,
        turn=turn,
        tool_call_id=tool_call_id,
    )
    ledger.emit(opened, at)
    return terminal


def running(ledger: Ledger) -> list[Terminal]:
    """Sign-in terminals that are running, or whose end was not handled yet."""
    return [t for t in ledger.all(Terminal) if t.takes_input and not t.killed and not t.released]


def ended(ledger: Ledger) -> list[Terminal]:
    """Sign-in terminals whose end was shown but not handled yet."""
    return [t for t in ledger.all(Terminal) if t.takes_input and t.told and not t.released]


def end(ledger: Ledger, process: Process) -> None:
    """The person cancelled the sign-in."""
    for terminal in running(ledger):
        if terminal.process_id == process.id:
            ledger.change(terminal, killed=True)


def close(ledger: Ledger, terminal: Terminal) -> str | None:
    """Close it. Returns why the sign-in failed, if it did."""
    ledger.change(terminal, released=True)
    over = terminal.ended or {}
    match over.get("exit_code"), over.get("signal"):
        case 0, _:
            return None
        case int(code), _:
            return f"The command ended with exit status {code}."
        case _, str(signal):
            return f"The command was stopped by {signal}."
    return "The command was interrupted."
