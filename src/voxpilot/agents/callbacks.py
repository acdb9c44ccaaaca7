"""What agents ask us to do on this machine: files and commands, in our words and back.

Lives here: reading such a request and the shape of its answer. Lives elsewhere:
matching requests (dialogue.py), doing it (runtime/files.py, runtime/terminals.py).
"""

from __future__ import annotations

from typing import Any, Literal

from voxpilot.agents.dialogue import refuse, reply
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, NotFound, VoxPilotError
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Request

Ability = Literal["fs", "terminal"]
REFUSED = -32001
"""A person said no. The protocol has no number of its own for that."""
LARGEST_COUNT = 2**53 - 1
"""More lines or bytes than that nobody has, and the database holds no number much larger."""
_NOT_OFFERED, _INVALID, _MISSING, _CANCELLED = -32601, -32602, -32002, -32800


def ability_of(request: Request) -> Ability:
    return "fs" if request.method.startswith("fs/") else "terminal"


def capabilities(fs: bool, terminal: bool) -> Json:
    """What we tell an agent that we do."""
    return {"fs": {"readTextFile": fs, "writeTextFile": fs}, "terminal": terminal}


def wanted(request: Request, params: Json) -> Json:
    """What is to be done, in our words; Invalid if that cannot be understood."""
    match request.method.partition("/")[2]:
        case "read_text_file":
            line, limit = _count(params, "line"), _count(params, "limit")
            return {"do": "read", "path": _word(params, "path"), "line": line, "limit": limit}
        case "write_text_file":
            return {"do": "write", "path": _word(params, "path"), "content": _word(params, "content")}
        case "create":
            return {
                "do": "run",
                "command": _word(params, "command"),
                "args": _words(params.get("args")),
                "cwd": params.get("cwd"),
                "env": _variables(params.get("env")),
                "limit": _count(params, "outputByteLimit"),
            }
        case "output" | "kill" | "release" as what:
            return {"do": what, "terminal": _word(params, "terminalId")}
        case _:
            return {"do": "wait", "terminal": _word(params, "terminalId")}


def give_text(ledger: Ledger, request: Request, text: str) -> None:
    """The contents of a file, which are not kept: the file is where they are."""
    reply(ledger, request, {"content": text}, kept={"characters": len(text)})


def give_nothing(ledger: Ledger, request: Request) -> None:
    """It is done, and there is nothing more to say."""
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
    refuse(ledger, request, _NOT_OFFERED, f"{request.method} is not offered")


def rejected(ledger: Ledger, request: Request, reason: str | None) -> None:
    """A person said no."""
    refuse(
        ledger,
        request,
        REFUSED,
        f"the person refused this: {reason}" if reason else "the person refused this",
    )


def stopped(ledger: Ledger, request: Request) -> None:
    """Nobody will decide: the turn was stopped, or there is none."""
    refuse(ledger, request, _CANCELLED, "the turn was stopped")


def failed(ledger: Ledger, request: Request, error: VoxPilotError) -> None:
    message = f"{error.message} {error.hint}".strip()
    if isinstance(error, NotFound) and "path" in request.subject:
        data = {"uri": request.subject["path"]}
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


def _words(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise Invalid("args must be a list of strings.")
    return value


def _variables(value: Any) -> dict[str, str]:
    variables: dict[str, str] = {}
    for pair in value if isinstance(value, list) else () if value is None else (None,):
        match pair:
            case {"name": str(name), "value": str(text)} if name and "=" not in name:
                variables[name] = text
            case _:
                raise Invalid("env must be a list of names with their values.")
    return variables
