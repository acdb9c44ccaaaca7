"""The script language: one directive per line of the prompt.

    say TEXT                     one agent_message_chunk
    chunks N [every MS]          N chunks, the i-th being `chunk_text(i)`
    text N SIZE                  N chunks of SIZE characters, `chunk_text(i, SIZE)`
    flood N                      as `chunks N`, in few big writes
    think TEXT                   one agent_thought_chunk
    plan a|b|c                   a plan whose first entry is in progress
    tool ID KIND TITLE           tool_call
    tool-update ID STATUS [TEXT] tool_call_update
    escapes ID MB                tool_call_update of that many MB of terminal escapes and `the end`
    diff ID PATH                 tool_call_update with a diff of PATH
    ask ID TITLE                 request permission, wait, say `<answer:OPTION>`
    ask-many N                   N permission requests at once, wait for all, say `<answers:A,B,...>`
    request METHOD JSON          any request, wait, say `<result:JSON>` or `<error:CODE>`; sessionId is
                                 filled in, and `"$key"` stands for that key of the last result that had it,
                                 in `update` too
    notify METHOD JSON           any notification
    commands a,b · mode X · usage USED SIZE · title T · update JSON
    raw TEXT · raw-hex HEX       one line of standard output, whatever it holds
    bigline MB · stderr TEXT · stderr-flood MB
    sleep S · wait-file PATH · touch PATH
    silent                       wait until cancelled
    cancel-race MS               end after MS unless cancelled before
    late TEXT                    a chunk sent after the prompt was answered; `late-update JSON`, any update
    stop REASON · error CODE MESSAGE    answer the prompt like this, immediately
    close NUMBER                 close standard input (0), output (1) or errors (2), and keep running
    exit CODE · die SIGNAL · spawn plain|setsid|stubborn|double|nohup
    env                          say the environment as JSON

TEXT may be a JSON string, so that it can hold newlines. Lines before the first directive are ignored; a line
after it that is not a directive is printed as `<unknown:LINE>`, so that a misspelt script is noticed.
"""

from __future__ import annotations

import json
import os
import signal

from .tasks import Wait, condition, for_ever, seconds
from .turn import RpcError
from .wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .tasks import Steps
    from .turn import Reply, Turn

    Directive = Callable[[Turn, str], Steps | None]

FLOOD_BATCH = 1000
OPTIONS = [
    {"optionId": "opt-allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "opt-always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "opt-reject", "name": "Reject", "kind": "reject_once"},
]
"""The ids differ from the kinds on purpose: a client must choose by kind and answer by id."""


def chunk_text(i: int, size: int = 0) -> str:
    """The text of the i-th chunk: nine characters, or exactly `size`."""
    mark = f"[{i:06d}]"
    return mark if not size else (mark + "." * size)[:size]


def lines_of(script: str) -> list[str]:
    """The lines that are used: from the first directive on, without blank ones."""
    lines = [line.strip() for line in script.split("\n")]
    first = next((i for i, line in enumerate(lines) if name_of(line) in DIRECTIVES), len(lines))
    return [line for line in lines[first:] if line]


def name_of(line: str) -> str:
    return line.partition(" ")[0]


def text_of(rest: str) -> str:
    """The text as written, or what the JSON string stands for."""
    if rest.startswith('"'):
        try:
            return str(json.loads(rest))
        except ValueError:
            pass
    return rest


def run(turn: Turn, lines: list[str]) -> Steps:
    """Execute the lines in order, pausing at each so that a cancel is noticed."""
    for line in lines:
        directive = DIRECTIVES.get(name_of(line))
        if directive is None:
            turn.say(f"<unknown:{line}>")
            continue
        steps = directive(turn, line.partition(" ")[2].strip())
        if steps is not None:
            yield from steps
        if turn.stop_reason is not None:
            return
        yield Wait()


def _say(turn: Turn, rest: str) -> None:
    turn.say(text_of(rest))


def _chunks(turn: Turn, rest: str) -> Steps:
    count, _, every = rest.partition("every")
    for i in range(int(count)):
        turn.say(chunk_text(i))
        yield seconds(float(every) / 1000) if every else Wait()


def _text(turn: Turn, rest: str) -> Steps:
    count, size = map(int, rest.split())
    for i in range(count):
        turn.say(chunk_text(i, size))
        yield Wait()


def _flood(turn: Turn, rest: str) -> Steps:
    # One frame is split around its text, so that most of the time is spent writing.
    before, _, after = encode(turn.frame(turn.chunk("agent_message_chunk", "{}"))).partition(b"{}")
    for start in range(0, int(rest), FLOOD_BATCH):
        texts = [chunk_text(i) for i in range(start, min(start + FLOOD_BATCH, int(rest)))]
        turn.said.extend(texts)
        if turn.agent.wire.logs_out:
            turn.agent.wire.send_many([turn.frame(turn.chunk("agent_message_chunk", text)) for text in texts])
        else:
            turn.agent.wire.send_piece(b"".join(before + text.encode() + after for text in texts))
        yield Wait()


def _think(turn: Turn, rest: str) -> None:
    turn.update(turn.chunk("agent_thought_chunk", text_of(rest)))


def _plan(turn: Turn, rest: str) -> None:
    entries = [
        {"content": content, "priority": "medium", "status": "pending" if i else "in_progress"}
        for i, content in enumerate(rest.split("|"))
    ]
    turn.update({"sessionUpdate": "plan", "entries": entries})


def _tool(turn: Turn, rest: str) -> None:
    call, kind, title = f"{rest}  ".split(" ", 2)
    turn.update(_tool_call(call, title.strip() or call, kind or "other", "pending"))


def _tool_call(call: str, title: str, kind: str, status: str) -> dict[str, Any]:
    raw_input = {"call": call, "title": title}
    return {
        "sessionUpdate": "tool_call",
        "toolCallId": call,
        "title": title,
        "kind": kind,
        "status": status,
        "rawInput": raw_input,
    }


def _tool_update(turn: Turn, rest: str) -> None:
    call, status, text = f"{rest}  ".split(" ", 2)
    update: dict[str, Any] = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status}
    if text.strip():
        block = {"type": "text", "text": text_of(text.strip())}
        update["content"] = [{"type": "content", "content": block}]
    turn.update(update)


def _escapes(turn: Turn, rest: str) -> None:
    call, _, size = rest.partition(" ")
    unit = "\x1b]0;x\x07\x1b[31m\x1b[1A\x1b[2K\x9b5i"
    text = unit * (int(float(size) * 2**20) // (len(json.dumps(unit)) - 2)) + "\x1b[0m\nthe end"
    block = {"type": "content", "content": {"type": "text", "text": text}}
    turn.update({"sessionUpdate": "tool_call_update", "toolCallId": call, "content": [block]})


def _diff(turn: Turn, rest: str) -> None:
    call, _, path = rest.partition(" ")
    turn.update({"sessionUpdate": "tool_call_update", "toolCallId": call} | _changed(turn, path))


def _changed(turn: Turn, path: str) -> dict[str, Any]:
    whole = os.path.join(turn.session.cwd, path)
    diff = {"type": "diff", "path": whole, "oldText": "old\n", "newText": "new\n"}
    return {"content": [diff], "locations": [{"path": whole, "line": 1}]}


def _ask(turn: Turn, rest: str) -> Steps:
    call, _, title = rest.partition(" ")
    if "no-ask" in turn.agent.options.faults:
        turn.update(_tool_call(call, title, "edit", "in_progress"))
        done = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed"}
        turn.update(done | _changed(turn, "unasked.txt"))
        turn.say("<answer:none>")
        return
    reply = _request_permission(turn, call, title or call)
    yield condition(reply.has_come)
    turn.say(f"<answer:{_decision(reply)}>")


def _ask_many(turn: Turn, rest: str) -> Steps:
    replies = [_request_permission(turn, f"many-{i}", f"Question {i}") for i in range(int(rest))]
    yield condition(lambda: all(reply.has_come() for reply in replies))
    turn.say(f"<answers:{','.join(map(_decision, replies))}>")


def _request_permission(turn: Turn, call: str, title: str) -> Reply:
    tool_call = _tool_call(call, title, "edit", "pending")
    del tool_call["sessionUpdate"]
    return turn.request("session/request_permission", {"toolCall": tool_call, "options": OPTIONS})


def _decision(reply: Reply) -> str:
    match reply.frame:
        case {"result": {"outcome": {"outcome": "selected", "optionId": str(option)}}}:
            return option
        case {"result": {"outcome": {"outcome": "cancelled"}}}:
            return "cancelled"
        case {"error": {"code": code}}:
            return f"error {code}"
        case _:
            return "invalid"


def _request(turn: Turn, rest: str) -> Steps:
    method, params = _method(turn, rest)
    reply = turn.request(method, params)
    yield condition(reply.has_come)
    match reply.frame:
        case {"error": {"code": code}}:
            turn.say(f"<error:{code}>")
        case frame:
            result = (frame or {}).get("result")
            turn.last_result = {**turn.last_result, **(result if isinstance(result, dict) else {})}
            turn.say(f"<result:{json.dumps(result, sort_keys=True, separators=(',', ':'))}>")


def _notify(turn: Turn, rest: str) -> None:
    method, params = _method(turn, rest)
    params = {"sessionId": turn.session.id, **params}
    turn.agent.wire.send({"jsonrpc": "2.0", "method": method, "params": params})


def _method(turn: Turn, rest: str) -> tuple[str, dict[str, Any]]:
    method, _, written = rest.partition(" ")
    return method, _filled(turn, written or "{}")


def _filled(turn: Turn, written: str) -> dict[str, Any]:
    for key, value in turn.last_result.items():
        written = written.replace(f'"${key}"', json.dumps(value))
    filled: dict[str, Any] = json.loads(written)
    return filled


def _commands(turn: Turn, rest: str) -> None:
    turn.update(available_commands(rest.split(",")))


def available_commands(names: list[str]) -> dict[str, Any]:
    commands = [{"name": name, "description": f"Run {name}"} for name in names if name]
    return {"sessionUpdate": "available_commands_update", "availableCommands": commands}


def _mode(turn: Turn, rest: str) -> None:
    turn.session.mode = rest
    turn.update({"sessionUpdate": "current_mode_update", "currentModeId": rest})


def _usage(turn: Turn, rest: str) -> None:
    used, size = map(int, rest.split())
    turn.update({"sessionUpdate": "usage_update", "used": used, "size": size})


def _title(turn: Turn, rest: str) -> None:
    turn.update({"sessionUpdate": "session_info_update", "title": text_of(rest)})


def _update(turn: Turn, rest: str) -> None:
    turn.update(_filled(turn, rest))


def _raw(turn: Turn, rest: str) -> None:
    turn.agent.wire.send_raw(rest.encode())


def _raw_hex(turn: Turn, rest: str) -> None:
    turn.agent.wire.send_raw(bytes.fromhex(rest))


def _bigline(turn: Turn, rest: str) -> Steps:
    """One valid chunk of that many megabytes, written in pieces to save memory."""
    wire, filler = turn.agent.wire, b"x" * 2**20
    before, _, after = encode(turn.frame(turn.chunk("agent_message_chunk", "{}"))).partition(b"{}")
    size = int(float(rest) * 2**20)
    if wire.logs_out:
        wire.note(dir="out", raw=len(before) + size + len(after) - 1)
    wire.send_piece(before)
    whole, part = divmod(size, 2**20)
    for _ in range(whole):
        wire.send_piece(filler)
    wire.send_piece(filler[:part] + after)
    yield Wait()


def _stderr(turn: Turn, rest: str) -> None:
    turn.agent.wire.complain(text_of(rest).encode() + b"\n")


def _stderr_flood(turn: Turn, rest: str) -> Steps:
    block = (b"e" * 127 + b"\n") * 512
    for _ in range(int(float(rest) * 16)):
        turn.agent.wire.complain(block)
        yield Wait()


def _sleep(turn: Turn, rest: str) -> Steps:
    yield seconds(float(rest))


def _wait_file(turn: Turn, rest: str) -> Steps:
    path = os.path.join(turn.session.cwd, rest)
    yield condition(lambda: os.path.exists(path), poll=True)


def _touch(turn: Turn, rest: str) -> None:
    with open(os.path.join(turn.session.cwd, rest), "a", encoding="utf-8"):
        pass


def _silent(turn: Turn, rest: str) -> Steps:
    yield for_ever()


def _cancel_race(turn: Turn, rest: str) -> Steps:
    yield seconds(float(rest) / 1000)
    turn.stop_reason = "end_turn"


def _late(turn: Turn, rest: str) -> None:
    turn.late.append(text_of(rest))


def _late_update(turn: Turn, rest: str) -> None:
    turn.late_updates.append(_filled(turn, rest))


def _stop(turn: Turn, rest: str) -> None:
    turn.stop_reason = rest


def _error(turn: Turn, rest: str) -> None:
    code, _, message = rest.partition(" ")
    raise RpcError(int(code), text_of(message))


def _close(turn: Turn, rest: str) -> None:
    turn.agent.wire.close(int(rest))


def _exit(turn: Turn, rest: str) -> None:
    turn.agent.wire.exit(int(rest or 0))


def _die(turn: Turn, rest: str) -> Steps:
    number = int(rest) if rest.isdigit() else signal.Signals[f"SIG{rest.upper().removeprefix('SIG')}"]
    turn.agent.wire.die(number)
    yield for_ever()


def _spawn(turn: Turn, rest: str) -> Steps:
    pid = turn.agent.wire.spawn(rest)
    turn.agent.wire.note(dir="note", spawned=rest, child=pid)
    turn.say(f"<spawned:{rest}>")
    yield Wait()


def _env(turn: Turn, rest: str) -> None:
    turn.say(json.dumps(turn.agent.wire.environment(), sort_keys=True))


DIRECTIVES: dict[str, Directive] = {
    "say": _say,
    "chunks": _chunks,
    "text": _text,
    "flood": _flood,
    "think": _think,
    "plan": _plan,
    "tool": _tool,
    "tool-update": _tool_update,
    "escapes": _escapes,
    "diff": _diff,
    "ask": _ask,
    "ask-many": _ask_many,
    "request": _request,
    "notify": _notify,
    "commands": _commands,
    "mode": _mode,
    "usage": _usage,
    "title": _title,
    "update": _update,
    "raw": _raw,
    "raw-hex": _raw_hex,
    "bigline": _bigline,
    "stderr": _stderr,
    "stderr-flood": _stderr_flood,
    "sleep": _sleep,
    "wait-file": _wait_file,
    "touch": _touch,
    "silent": _silent,
    "cancel-race": _cancel_race,
    "late": _late,
    "late-update": _late_update,
    "stop": _stop,
    "error": _error,
    "close": _close,
    "exit": _exit,
    "die": _die,
    "spawn": _spawn,
    "env": _env,
}
