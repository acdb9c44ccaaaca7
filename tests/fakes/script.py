"""Scripts for the scripted agent, and what it will say when it runs them.

Lives here: composing a prompt, the exact text to expect of it, the command that starts the agent.
Lives elsewhere: the language itself (scripted/directives.py says what each directive does).

    prompt = script(say("one"), ask("edit", "May I edit?"), chunks(2000))
    expected = spoken_by(prompt, answers=["opt-allow"])
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .scripted.directives import DIRECTIVES, chunk_text, lines_of, name_of, text_of
from .scripted.faults import add_faults

AGENT = Path(__file__).with_name("scripted_agent.py")
ALLOW, ALWAYS, REJECT, CANCELLED = "opt-allow", "opt-always", "opt-reject", "cancelled"
"""The option ids offered by `ask`, and what it says when the outcome was `cancelled`."""


def agent_command(*faults: str, log: Path | None = None, options: Sequence[str] = ()) -> list[str]:
    """The argv of a scripted agent: `agent_command("garbage", "slow-init=2", log=path)`."""
    command = [sys.executable, "-I", "-S", str(AGENT)]
    for fault in faults:
        command += ["--fault", fault]
    if log is not None:
        command += ["--log", str(log)]
    return [*command, *options]


def script(*directives: str) -> str:
    """The prompt text that makes the agent do these things in order."""
    for directive in directives:
        if name_of(directive) not in DIRECTIVES:
            raise ValueError(f"not a directive: {directive!r}")
    return "\n".join(directives)


def say(text: str) -> str:
    return f"say {_quoted(text)}"


def chunks(count: int, every_ms: float | None = None) -> str:
    return f"chunks {count}" if every_ms is None else f"chunks {count} every {every_ms}"


def text(count: int, size: int) -> str:
    return f"text {count} {size}"


def flood(count: int) -> str:
    return f"flood {count}"


def think(text: str) -> str:
    return f"think {_quoted(text)}"


def plan(*entries: str) -> str:
    return f"plan {'|'.join(entries)}"


def tool(call: str, kind: str = "edit", title: str = "A tool call") -> str:
    return f"tool {call} {kind} {title}"


def tool_update(call: str, status: str, text: str = "") -> str:
    return f"tool-update {call} {status} {_quoted(text)}".rstrip() if text else f"tool-update {call} {status}"


def escapes(call: str, megabytes: float) -> str:
    return f"escapes {call} {megabytes}"


def diff(call: str, path: str) -> str:
    return f"diff {call} {path}"


def ask(call: str = "ask-1", title: str = "May I?") -> str:
    return f"ask {call} {title}"


def ask_many(count: int) -> str:
    return f"ask-many {count}"


def request(method: str, params: Mapping[str, Any] | None = None) -> str:
    return f"request {method} {json.dumps(params or {})}"


def notify(method: str, params: Mapping[str, Any] | None = None) -> str:
    return f"notify {method} {json.dumps(params or {})}"


def update(update: Mapping[str, Any]) -> str:
    return f"update {json.dumps(update)}"


def commands(*names: str) -> str:
    return f"commands {','.join(names)}"


def mode(name: str) -> str:
    return f"mode {name}"


def usage(used: int, size: int) -> str:
    return f"usage {used} {size}"


def title(text: str) -> str:
    return f"title {_quoted(text)}"


def raw(line: str | bytes) -> str:
    """One line of standard output, unchanged."""
    return f"raw-hex {(line if isinstance(line, bytes) else line.encode()).hex()}"


def bigline(megabytes: float) -> str:
    return f"bigline {megabytes}"


def stderr(text: str) -> str:
    return f"stderr {_quoted(text)}"


def stderr_flood(megabytes: float) -> str:
    return f"stderr-flood {megabytes}"


def sleep(seconds: float) -> str:
    return f"sleep {seconds}"


def wait_file(path: Path | str) -> str:
    """Continue once the file exists; holds an agent at a known place without a timer."""
    return f"wait-file {path}"


def touch(path: Path | str) -> str:
    return f"touch {path}"


def close(number: int) -> str:
    return f"close {number}"


def silent() -> str:
    return "silent"


def cancel_race(milliseconds: float) -> str:
    return f"cancel-race {milliseconds}"


def late_update(update: Mapping[str, Any]) -> str:
    return f"late-update {json.dumps(update)}"


def late(text: str) -> str:
    return f"late {_quoted(text)}"


def stop(reason: str) -> str:
    return f"stop {reason}"


def error(code: int, message: str) -> str:
    return f"error {code} {_quoted(message)}"


def leave(code: int = 0) -> str:
    return f"exit {code}"


def die(signal: str = "KILL") -> str:
    return f"die {signal}"


def spawn(way: str = "plain") -> str:
    return f"spawn {way}"


def env() -> str:
    return "env"


def spoken_by(
    prompt: str, answers: Iterable[str] = (), faults: Iterable[str] = (), first_turn: bool = True
) -> str:
    """All text of the agent in answer to the prompt, late text last.

    `answers` are the option ids (or `cancelled`) it gets, in the order it asks. If cancelled in the middle,
    it has said a prefix of this. Unpredictable text (`env`, `request`) is refused.
    """
    parted = (fault.partition("=") for fault in faults)
    named: dict[str, Any] = {name: value or True for name, _, value in parted}
    given = iter(answers)
    said: list[str] = []
    lines = add_faults(named, lines_of(prompt), first_turn)
    for line in _until_the_end(lines):
        said += _said(line, given, named)
    return "".join([*said, *(_late_text(lines)), *(["<late>"] if "late-chunks" in named else [])])


def _until_the_end(lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if name_of(line) in ("stop", "error", "exit", "die", "silent", "cancel-race"):
            return


def _late_text(lines: list[str]) -> list[str]:
    ran = list(_until_the_end(lines))
    if ran and name_of(ran[-1]) in ("error", "exit", "die"):
        return []
    return [text_of(_rest(line)) for line in ran if name_of(line) == "late"]


def _said(line: str, answers: Iterator[str], faults: Mapping[str, Any]) -> list[str]:
    name, rest = name_of(line), _rest(line)
    match name:
        case "say":
            return [text_of(rest)]
        case "chunks" | "flood":
            return [chunk_text(i) for i in range(int(rest.partition("every")[0]))]
        case "text":
            count, size = map(int, rest.split())
            return [chunk_text(i, size) for i in range(count)]
        case "bigline":
            return ["x" * int(float(rest) * 2**20)]
        case "ask":
            return [f"<answer:{'none' if 'no-ask' in faults else next(answers)}>"]
        case "ask-many":
            return [f"<answers:{','.join(next(answers) for _ in range(int(rest)))}>"]
        case "spawn":
            return [f"<spawned:{rest}>"]
        case "env" | "request":
            raise ValueError(f"nobody can know beforehand what {name!r} says")
        case _:
            return [] if name in DIRECTIVES else [f"<unknown:{line}>"]


def _rest(line: str) -> str:
    return line.partition(" ")[2].strip()


def _quoted(text: str) -> str:
    """Unchanged if it is parsed back to the same text, else as a JSON string."""
    plain = text == text.strip() and not text.startswith('"') and text.isprintable()
    return text if plain else json.dumps(text)
