"""Requests of agents for files and commands on this machine.

Lives here: parsing such a request, and the form of its answer. Lives elsewhere:
matching requests (dialogue.py), doing it (runtime/callbacks/files.py, runtime/callbacks/terminals.py).
"""

from __future__ import annotations

from typing import Literal

from voxpilot.agents.requests.dialogue import refuse, reply
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, NotFound, VoxPilotError
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Session
from voxpilot.storage.database.subjects import (
    Callback,
    CommandRequest,
    FileRequest,
    ReadFile,
    RunCommand,
    WriteFile,
)

Ability = Literal["fs", "terminal"]
REFUSED = -32001
"""A person rejected it. The protocol has no error code for that."""
LARGEST_COUNT = 2**53 - 1
"""No file has more lines or bytes than this, and the database cannot store much larger numbers."""
_NOT_OFFERED, _INVALID, _MISSING, _CANCELLED = -32601, -32602, -32002, -32800


def ability_of(request: Request) -> Ability:
    return "fs" if request.purpose in (Purpose.READ_FILE, Purpose.WRITE_FILE) else "terminal"


def capabilities(fs: bool, terminal: bool) -> Json:
    """The capabilities we announce to an agent."""
    return {"fs": {"readTextFile": fs, "writeTextFile": fs}, "terminal": terminal}


def wanted(request: Request, params: Json, session: Session) -> Callback:
    """The parsed request; raises Invalid if it cannot be understood."""
    whose: Json = {"session": session.id, "turn": session.turn, "tool_call_id": session.tool_call_id}
    match request.purpose:
        case Purpose.READ_FILE:
            line, limit = _count(params, "line"), _count(params, "limit")
            return ReadFile(path=_word(params, "path"), line=line, limit=limit, **whose)
        case Purpose.WRITE_FILE:
            return WriteFile(path=_word(params, "path"), content=_word(params, "content"), **whose)
        case Purpose.RUN_COMMAND:
            return RunCommand(
                command=_word(params, "command"),
                args=_words(params.get("args")),
                cwd=params.get("cwd"),
                env=_variables(params.get("env")),
                limit=_count(params, "outputByteLimit"),
                **whose,
            )
        case _:
            return CommandRequest(terminal=_word(params, "terminalId"), **whose)


def give_text(ledger: Ledger, request: Request, text: str) -> None:
    """The contents of a file, which are not stored: they are in the file."""
    reply(ledger, request, {"content": text}, kept={"characters": len(text)})


def give_nothing(ledger: Ledger, request: Request) -> None:
    """The request is done and has no result."""
    reply(ledger, request, {})


def give_terminal(ledger: Ledger, request: Request, terminal_id: str) -> None:
    reply(ledger, request, {"terminalId": terminal_id})


def give_output(ledger: Ledger, request: Request, text: str, truncated: bool, ended: Json | None) -> None:
    result: Json = {"output": text, "truncated": truncated}
    if ended is not None:
        result["exitStatus"] = _status(ended)
    reply(ledger, request, result, kept={"characters": len(text)})


def give_exit(ledger: Ledger, request: Request, ended: Json) -> None:
    reply(ledger, request, _status(ended))


def not_offered(ledger: Ledger, request: Request) -> None:
    refuse(ledger, request, _NOT_OFFERED, f"{request.method} is not supported")


def rejected(ledger: Ledger, request: Request, reason: str | None) -> None:
    """A person rejected it."""
    refuse(
        ledger,
        request,
        REFUSED,
        f"the user rejected this: {reason}" if reason else "the user rejected this",
    )


def stopped(ledger: Ledger, request: Request) -> None:
    """Nobody will decide: the turn was stopped, or there is none."""
    refuse(ledger, request, _CANCELLED, "the turn was stopped")


def failed(ledger: Ledger, request: Request, error: VoxPilotError) -> None:
    message = f"{error.message} {error.hint}".strip()
    if isinstance(error, NotFound) and isinstance(request.subject, FileRequest):
        data = {"uri": request.subject.path}
        refuse(ledger, request, _MISSING, message, data)
    else:
        refuse(ledger, request, _INVALID, message)


def _status(ended: Json) -> Json:
    return {"exitCode": ended.get("exit_code"), "signal": ended.get("signal")}


def _word(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise Invalid(f"{name} must be a string.")
    return value


def _count(params: Json, name: str) -> int | None:
    value = params.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise Invalid(f"{name} must be a whole number, 0 or more.")
    return value if value is None else min(value, LARGEST_COUNT)


def _words(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise Invalid("args must be a list of strings.")
    return tuple(value)


def _variables(value: object) -> dict[str, str]:
    variables: dict[str, str] = {}
    for pair in value if isinstance(value, list) else () if value is None else (None,):
        match pair:
            case {"name": str(name), "value": str(text)} if (
                name and "=" not in name and "\0" not in name + text
            ):
                variables[name] = text
            case _:
                raise Invalid("env must be a list of names with their values.")
    return variables
