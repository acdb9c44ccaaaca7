"""Commands run for agents: asked about, started, shown, ended.

Lives here: what each request of an agent about a command leads to, and how
commands end. Lives elsewhere: the commands themselves (keeper/program/terminals.py),
telling the keeper (agents/connection.py), showing what they print (printed.py).
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from voxpilot.agents import callbacks
from voxpilot.chat.events import Json, TerminalOpened
from voxpilot.errors import Invalid, NotFound, VoxPilotError
from voxpilot.keeper.output import KEPT_BYTES, read_end, text_at_end
from voxpilot.runtime import consent, printed
from voxpilot.runtime.house import House
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Question, Request, Session, Terminal
from voxpilot.workspace.folder import check_folder

if TYPE_CHECKING:
    from voxpilot.runtime.errands import Errand, Finish

PURPOSE = "command"
"""Of a question whether a command may be run."""
MOST_TERMINALS = 50
"""Open ones of one process."""
DEFAULT_LIMIT = 1_000_000
"""Bytes of its output that an agent is given if it names no limit."""


def begin(ledger: Ledger, request: Request, session: Session) -> None:
    """Take in what an agent wants of a command."""
    what = request.subject["do"]
    if what == "run":
        _begin_run(ledger, request, session)
        return
    terminal = _own(ledger, request, session)
    if what == "output":
        ledger.change(request, subject={**request.subject, "stage": "output"})
    elif what == "wait" and terminal.ended is not None:
        callbacks.give_exit(ledger, request, terminal.ended)
    elif what in ("kill", "release"):
        ledger.change(terminal, killed=True, released=what == "release")
        callbacks.give_nothing(ledger, request)


def decided(ledger: Ledger, question: Question, at: float) -> None:
    """A person answered whether a command may be run."""
    request = ledger.get(Request, question.request_id)
    if request is None:
        return
    if (question.outcome or "").startswith("allow"):
        _run(ledger, request, at)
    else:
        callbacks.rejected(ledger, request, question.reason)


def ended(ledger: Ledger, told: Json) -> None:
    """The keeper says that a command ended. What it printed last is taken in next, then its end is shown."""
    terminal = ledger.get(Terminal, told["terminal"])
    if terminal is None or terminal.ended is not None:
        return
    terminal = ledger.change(terminal, ended={name: told[name] for name in ("exit_code", "signal", "bytes")})
    _answer_waiting(ledger, terminal)


def take_output(ledger: Ledger, process_id: str, directory: Path, at: float) -> bool:
    """Show what the commands of a process have printed since; True when there may be more."""
    more = False
    for terminal in _of(ledger, process_id):
        more |= printed.take(ledger, terminal, directory, at)
    return more


def process_gone(ledger: Ledger, process_id: str, directory: Path, at: float) -> None:
    """The agent is gone and its commands with it: show the rest, and close them."""
    for terminal in _of(ledger, process_id):
        if terminal.ended is None:
            size = read_end(directory, terminal.id, 1).end
            ledger.change(terminal, ended={"exit_code": None, "signal": None, "bytes": size})
        while printed.take(ledger, terminal, directory, at):
            pass
        ledger.change(terminal, released=True)


def stop_turn(ledger: Ledger, turn: str) -> None:
    """A person stopped the turn: what it runs is ended."""
    for terminal in ledger.all(Terminal):
        if terminal.turn == turn and terminal.ended is None:
            ledger.change(terminal, killed=True)


# Stages


async def _check_place(house: House, ledger: Ledger, request: Request) -> Finish:
    wanted, chat = request.subject, ledger.chat
    try:
        cwd = await asyncio.to_thread(check_folder, chat.roots, wanted["cwd"] or chat.workspace)
    except VoxPilotError as error:
        refusal = Invalid(f"The command cannot run there. {error.message}")
        return lambda ledger, request, at: callbacks.failed(ledger, request, refusal)

    def finish(ledger: Ledger, request: Request, at: float) -> None:
        session = ledger.get(Session, wanted["session"])
        if session is None or not consent.may_be_asked(ledger, session):
            callbacks.stopped(ledger, request)
            return
        request = ledger.change(request, subject={**request.subject, "cwd": cwd})
        consent.seek(ledger, request, session, PURPOSE, "Run a command", _detail(request), at)

    return finish


async def _output(house: House, ledger: Ledger, request: Request) -> Finish:
    terminal = ledger.get(Terminal, request.subject["terminal"])
    if terminal is None:
        error = NotFound("There is no such terminal.")
        return lambda ledger, request, at: callbacks.failed(ledger, request, error)
    over, limit = terminal.ended, min(terminal.byte_limit or 0, KEPT_BYTES)
    if terminal.byte_limit is None:
        limit = DEFAULT_LIMIT
    directory = house.settings.keepers / terminal.process_id
    end = await asyncio.to_thread(read_end, directory, terminal.id, limit)
    text, is_cut = text_at_end(end.data, limit, end.start > 0, over is not None)
    return lambda ledger, request, at: callbacks.give_output(ledger, request, text, is_cut, over)


ERRANDS: dict[str, Errand] = {"place": _check_place, "output": _output}


# Requests


def _begin_run(ledger: Ledger, request: Request, session: Session) -> None:
    if not consent.may_be_asked(ledger, session):
        callbacks.stopped(ledger, request)
        return
    _check_number(ledger, request)
    ledger.change(request, subject={**request.subject, "stage": "place"})


def _check_number(ledger: Ledger, request: Request) -> None:
    if len(_of(ledger, request.process_id)) >= MOST_TERMINALS:
        raise Invalid(f"There are {MOST_TERMINALS} terminals already.", "Release those no longer needed.")


def _run(ledger: Ledger, request: Request, at: float) -> None:
    try:
        _check_number(ledger, request)  # others that were wanted with it may run by now
    except Invalid as error:
        callbacks.failed(ledger, request, error)
        return
    wanted = request.subject
    command, args = wanted["command"], wanted["args"]
    terminal = Terminal(
        id=request.id.replace(":", "-"),
        chat_id=ledger.chat.id,
        process_id=request.process_id,
        session_id=wanted["session"],
        turn=wanted["turn"],
        tool_call_id=wanted["tool_call_id"],
        argv=(command, *args) if args else ("/bin/sh", "-c", command),
        cwd=wanted["cwd"],
        env=wanted["env"],
        byte_limit=wanted["limit"],
        created_at=at,
    )
    ledger.save(terminal)
    event = TerminalOpened(
        terminal_id=terminal.id,
        command=[command, *args] if args else command,
        cwd=terminal.cwd,
        turn=terminal.turn,
        tool_call_id=terminal.tool_call_id,
    )
    ledger.emit(event, at)
    callbacks.give_terminal(ledger, request, terminal.id)


def _detail(request: Request) -> Json:
    """Exactly what would run: the raw command, where, and with what in its environment."""
    wanted = request.subject
    command = [wanted["command"], *wanted["args"]] if wanted["args"] else wanted["command"]
    env = {"env": wanted["env"]} if wanted["env"] else {}
    return {"tool_kind": "execute", "input": {"command": command, "cwd": wanted["cwd"], **env}, "tool": None}


def _own(ledger: Ledger, request: Request, session: Session) -> Terminal:
    """A terminal of the session that asks; others, and released ones, do not exist for it."""
    terminal = ledger.get(Terminal, request.subject["terminal"])
    if terminal is None or terminal.released or terminal.session_id != session.id:
        raise NotFound("There is no such terminal.")
    return terminal


def _of(ledger: Ledger, process_id: str) -> list[Terminal]:
    return [terminal for terminal in ledger.all(Terminal) if terminal.process_id == process_id]


def _answer_waiting(ledger: Ledger, terminal: Terminal) -> None:
    for request in ledger.all(Request):
        wanted = request.subject
        if request.direction == "in" and wanted.get("do") == "wait" and wanted["terminal"] == terminal.id:
            callbacks.give_exit(ledger, request, terminal.ended or {})
