"""Commands run for agents: asked about, started, shown, ended.

Lives here: what each request of an agent about a command leads to, and how
commands end. Lives elsewhere: the commands themselves (keeper/program/commands/terminals.py),
telling the keeper (agents/wire/connection.py), showing what they print (terminal_output.py).
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from voxpilot.agents.requests import callbacks
from voxpilot.chat.events import Json, TerminalOpened
from voxpilot.errors import Invalid, NotFound, OutOfFiles, VoxPilotError, explained
from voxpilot.keeper.output import KEPT_BYTES, read_end, text_at_end
from voxpilot.runtime.callbacks import terminal_output
from voxpilot.runtime.questions import consent
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Question, Session, Terminal
from voxpilot.storage.database.subjects import CommandRequest, RunCommand, Stage
from voxpilot.threads import look_at
from voxpilot.workspace.folder import check_folder

if TYPE_CHECKING:
    from voxpilot.runtime.callbacks.jobs import Finish, Job

PURPOSE = "command"
"""The purpose of a question whether a command may be run."""
MOST_TERMINALS = 50
"""The most terminals that one process may have open."""
DEFAULT_LIMIT = 1_000_000
"""How many bytes of output an agent gets if it names no limit."""


def begin(ledger: Ledger, request: Request, session: Session) -> None:
    """Handle an agent's request about a command."""
    if request.purpose is Purpose.RUN_COMMAND:
        _begin_run(ledger, request, session)
        return
    terminal = _own(ledger, request, session)
    if request.purpose is Purpose.COMMAND_OUTPUT:
        ledger.change(request, subject=replace(request.about(CommandRequest), stage=Stage.OUTPUT))
    elif request.purpose is Purpose.WAIT_FOR_COMMAND:
        if terminal.ended is not None:
            callbacks.give_exit(ledger, request, terminal.ended)
    else:
        is_released = request.purpose is Purpose.RELEASE_COMMAND
        ledger.change(terminal, killed=True, released=is_released)
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
    """The keeper reports that a command ended. Its last output is processed first, then its end is shown."""
    terminal = ledger.get(Terminal, told["terminal"])
    if terminal is None or terminal.ended is not None:
        return
    terminal = ledger.change(terminal, ended={name: told[name] for name in ("exit_code", "signal", "bytes")})
    _answer_waiting(ledger, terminal)


def take_output(ledger: Ledger, process_id: str, directory: Path, at: float) -> bool:
    """Show new output of a process's commands; True if there may be more."""
    more = False
    for terminal in _of(ledger, process_id):
        more |= terminal_output.take(ledger, terminal, directory, at)
    return more


def process_gone(ledger: Ledger, process_id: str, directory: Path, at: float) -> None:
    """The agent is gone and its commands with it: show the rest, and close them."""
    for terminal in _of(ledger, process_id):
        if terminal.ended is None:
            size = _size_of(directory, terminal)
            ledger.change(terminal, ended={"exit_code": None, "signal": None, "bytes": size})
        while terminal_output.take(ledger, terminal, directory, at):
            pass
        ledger.change(terminal, released=True)


def _size_of(directory: Path, terminal: Terminal) -> int:
    """How much a command has printed; what is known of it if its output cannot be read."""
    try:
        return read_end(directory, terminal.id, 1).end
    except OSError as error:
        if isinstance(explained(error), OutOfFiles):
            raise
        return terminal.offset


def stop_turn(ledger: Ledger, turn: str) -> None:
    """A person stopped the turn: end its commands."""
    for terminal in ledger.all(Terminal):
        if terminal.turn == turn and terminal.ended is None:
            ledger.change(terminal, killed=True)


# Stages


async def _check_place(services: Services, ledger: Ledger, request: Request) -> Finish:
    wanted, chat = request.about(RunCommand), ledger.chat
    try:
        cwd = wanted.cwd or chat.workspace
        cwd = await look_at((cwd, *chat.roots), check_folder, chat.roots, cwd)
    except VoxPilotError as error:
        refusal = Invalid(f"The command cannot run in this folder. {error.message}")
        return lambda ledger, request, at: callbacks.failed(ledger, request, refusal)

    def finish(ledger: Ledger, request: Request, at: float) -> None:
        session = ledger.get(Session, wanted.session)
        if session is None or not consent.may_be_asked(ledger, session):
            callbacks.stopped(ledger, request)
            return
        request = ledger.change(request, subject=replace(request.about(RunCommand), cwd=cwd))
        consent.seek(ledger, request, session, PURPOSE, "Run a command", _detail(request), at)

    return finish


async def _output(services: Services, ledger: Ledger, request: Request) -> Finish:
    terminal = ledger.get(Terminal, request.about(CommandRequest).terminal)
    if terminal is None:
        error = NotFound("Terminal not found.")
        return lambda ledger, request, at: callbacks.failed(ledger, request, error)
    over, limit = terminal.ended, min(terminal.byte_limit or 0, KEPT_BYTES)
    if terminal.byte_limit is None:
        limit = DEFAULT_LIMIT
    directory = services.settings.keepers / terminal.process_id
    end = await asyncio.to_thread(read_end, directory, terminal.id, limit)
    text, is_cut = text_at_end(end.data, limit, end.start > 0, over is not None)
    return lambda ledger, request, at: callbacks.give_output(ledger, request, text, is_cut, over)


ERRANDS: dict[Stage, Job] = {Stage.PLACE: _check_place, Stage.OUTPUT: _output}


# Requests


def _begin_run(ledger: Ledger, request: Request, session: Session) -> None:
    if not consent.may_be_asked(ledger, session):
        callbacks.stopped(ledger, request)
        return
    _check_number(ledger, request)
    ledger.change(request, subject=replace(request.about(RunCommand), stage=Stage.PLACE))


def _check_number(ledger: Ledger, request: Request) -> None:
    if len(_of(ledger, request.process_id)) >= MOST_TERMINALS:
        raise Invalid(
            f"The limit of {MOST_TERMINALS} terminals has been reached.",
            "Release terminals that are no longer needed.",
        )


def _run(ledger: Ledger, request: Request, at: float) -> None:
    try:
        _check_number(ledger, request)  # others requested at the same time may be running by now
    except Invalid as error:
        callbacks.failed(ledger, request, error)
        return
    wanted = request.about(RunCommand)
    command, args = wanted.command, wanted.args
    terminal = Terminal(
        id=request.id.replace(":", "-"),
        chat_id=ledger.chat.id,
        process_id=request.process_id,
        session_id=wanted.session,
        turn=wanted.turn,
        tool_call_id=wanted.tool_call_id,
        argv=(command, *args) if args else ("/bin/sh", "-c", command),
        cwd=wanted.cwd or ledger.chat.workspace,
        env=dict(wanted.env),
        byte_limit=wanted.limit,
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
    """Exactly what would run: the raw command, its folder and its environment variables."""
    wanted = request.about(RunCommand)
    command = [wanted.command, *wanted.args] if wanted.args else wanted.command
    env = {"env": wanted.env} if wanted.env else {}
    limit = {"outputByteLimit": wanted.limit} if wanted.limit is not None else {}
    given = {"command": command, "cwd": wanted.cwd, **env, **limit}
    return {"tool_kind": "execute", "input": given, "tool": None}


def _own(ledger: Ledger, request: Request, session: Session) -> Terminal:
    """A terminal of the session that asks; others, and released ones, do not exist for it."""
    terminal = ledger.get(Terminal, request.about(CommandRequest).terminal)
    if terminal is None or terminal.released or terminal.session_id != session.id:
        raise NotFound("Terminal not found.")
    return terminal


def _of(ledger: Ledger, process_id: str) -> list[Terminal]:
    return [terminal for terminal in ledger.all(Terminal) if terminal.process_id == process_id]


def _answer_waiting(ledger: Ledger, terminal: Terminal) -> None:
    for request in ledger.all(Request):
        is_waiting = request.purpose is Purpose.WAIT_FOR_COMMAND and isinstance(
            request.subject, CommandRequest
        )
        if is_waiting and request.about(CommandRequest).terminal == terminal.id:
            callbacks.give_exit(ledger, request, terminal.ended or {})
