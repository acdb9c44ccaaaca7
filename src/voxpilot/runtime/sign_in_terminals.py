"""Commands by which a person signs in, each in a terminal of its own.

Lives here: starting one beside the agent, finding those that run or have ended,
and what the end of one says. Lives elsewhere: when to start one and what
follows (signing_in.py), typing (typed.py), all other commands (terminals.py).
"""

from __future__ import annotations

import uuid
from typing import Any

from voxpilot.agents.hidden import hide_args
from voxpilot.chat.events import TerminalOpened
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Terminal


def start(
    ledger: Ledger,
    process: Process,
    argv: tuple[str, ...],
    env: Any,
    turn: str | None,
    tool_call_id: str | None,
    at: float,
) -> Terminal:
    """Have the command run in the agent's keeper, with these variables over the agent's own."""
    terminal = Terminal(
        id=f"s-{uuid.uuid4().hex[:12]}",
        chat_id=ledger.chat.id,
        process_id=process.id,
        session_id="",  # so that no agent can reach it
        turn=turn,
        tool_call_id=tool_call_id,
        argv=argv,
        cwd=ledger.chat.workspace,
        env={str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {},
        byte_limit=None,
        takes_input=True,
        created_at=at,
    )
    ledger.save(terminal)
    opened = TerminalOpened(
        terminal_id=terminal.id,
        command=hide_args(argv),
        cwd=terminal.cwd,
        takes_input=True,
        turn=turn,
        tool_call_id=tool_call_id,
    )
    ledger.emit(opened, at)
    return terminal


def running(ledger: Ledger) -> list[Terminal]:
    """Those at which a person may still be signing in, or whose end was not acted on."""
    return [t for t in ledger.all(Terminal) if t.takes_input and not t.killed and not t.released]


def ended(ledger: Ledger) -> list[Terminal]:
    """Those whose end was shown, and not acted on yet."""
    return [t for t in ledger.all(Terminal) if t.takes_input and t.told and not t.released]


def end(ledger: Ledger, process: Process) -> None:
    """The person does not want to any more."""
    for terminal in running(ledger):
        if terminal.process_id == process.id:
            ledger.change(terminal, killed=True)


def close(ledger: Ledger, terminal: Terminal) -> str | None:
    """Done with it. Why the person is not signed in, if so."""
    ledger.change(terminal, released=True)
    over = terminal.ended or {}
    match over.get("exit_code"), over.get("signal"):
        case 0, _:
            return None
        case int(code), _:
            return f"The command ended with exit status {code}."
        case _, str(signal):
            return f"The command was ended by {signal}."
    return "The command was cut off."
