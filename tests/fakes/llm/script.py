"""What the model replies: the script in the user's message.

    say TEXT                text, word by word
    think TEXT              reasoning
    slow N [SECONDS]        N words with a pause after each
    long N                  one word of N letters
    write FILE | TEXT       a new file
    edit FILE | OLD | NEW   a change to a file, which is read first where there is a tool for it
    read FILE
    run COMMAND             a shell command; `quietly COMMAND` does not ask for more rights than it has
    plan A | B              a list of things to do, each done in turn
    ask QUESTION            with the tool that asks the user
    call TOOL {JSON}        any tool; anything that is not JSON is sent unchanged
    nothing                 a reply without a word
    short                   the reply ends at the length limit
    also LINE               in the same reply as the tool call above
    wait SECONDS            before the next reply
    hold FILE               the reply continues after its first words when this file exists
    fail STATUS             an HTTP error instead of the next reply
    break                   the connection is cut within the next reply

One per line, in order; other lines are ignored. A reply ends with a tool
call, and the next one begins when its result has come: how many results follow the
message says which reply is due, so nothing is remembered between requests. The user's last message that
contains a script is used. A message may also be given its script from outside: see `ScriptBook`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.fakes.llm.shapes import Asked, Block, Call, Json, Reply, Said, Say, Think
from tests.fakes.llm.tools import Toolbox

VERBS = (
    "say", "think", "slow", "long", "write", "edit", "read", "run", "quietly", "plan", "ask", "call", "also",
    "wait", "hold", "fail", "break", "nothing", "short",
)  # fmt: skip
_LINE = re.compile(rf"^({'|'.join(VERBS)})(?:[ \t]+(.*))?$", re.MULTILINE)
_WRAPPING = re.compile(r"<([A-Za-z_-]+)>.*?</\1>", re.DOTALL)
"""What agents wrap around a person's text: <system-reminder>…</system-reminder> and similar."""
TITLE = "A scripted title"
"""The answer to requests without a script: agents themselves ask for titles, summaries and suggestions."""
DONE = "Done."
"""The text after a script that ends with a tool call."""


def slow_text(count: int) -> str:
    """What `slow` says."""
    return " ".join(f"word{number}" for number in range(1, count + 1))


@dataclass(frozen=True, slots=True)
class ScriptBook:
    """Scripts for messages without one: a JSON file of `{"words in the message": "script"}`.

    It is read each time, so that a test may write it while the model runs.
    """

    path: Path | None = None

    def script_of(self, message: str) -> str | None:
        text = _without_wrapping(message)
        if _LINE.search(text):
            return text
        found = json.loads(self.path.read_text("utf-8")) if self.path and self.path.exists() else {}
        return next((script for said, script in found.items() if said in text), None)


@dataclass(frozen=True, slots=True)
class Due:
    """The reply to give now."""

    reply: Reply
    place: int = 0
    """Its number in the script."""
    message: str = ""
    """The user's message that it answers."""
    own: bool = False
    """Requested by the agent itself, not by its user."""


def reply_to(asked: Asked, book: ScriptBook, obey_without_tools: bool = False) -> Due:
    last = asked.conversation[-1] if asked.conversation else Said("user", "")
    unscripted = last.by == "user" and not last.beside_result and _is_other_talk(_last_message(asked), book)
    if unscripted or not (asked.tools or obey_without_tools):
        return Due(Reply((Say(TITLE),)), 0, last.text, own=True)
    script, message, results = "", "", 0
    for said in asked.conversation:
        if said.by == "tool":
            results += 1
        elif (found := book.script_of(said.text)) is not None:
            script, message, results = found, said.text, 0
    replies = list(_replies(script, Toolbox(asked.tools, asked.may_want_rights)))
    place = 0
    while place < len(replies) - 1 and replies[place].calls and results >= replies[place].calls:
        results -= replies[place].calls
        place += 1
    return Due(replies[place], place, message)


def _last_message(asked: Asked) -> list[str]:
    """Its parts: an attachment may be a separate text."""
    parts: list[str] = []
    for said in reversed(asked.conversation):
        parts.append(said.text)
        if not said.follows:
            break
    return parts


def _is_other_talk(parts: list[str], book: ScriptBook) -> bool:
    return all(book.script_of(part) is None for part in parts) and any(map(_without_wrapping, parts))


def _without_wrapping(message: str) -> str:
    return _WRAPPING.sub("", message).strip()


def _replies(script: str, tools: Toolbox) -> Iterator[Reply]:
    reply = Reply(())
    for verb, rest in _LINE.findall(script):
        joined = verb == "also"
        if joined:
            verb, _, rest = rest.partition(" ")
        if reply.calls and not joined:
            yield reply
            reply = Reply(())
        match verb:
            case "wait":
                reply = replace(reply, wait_seconds=float(rest))
            case "hold":
                reply = replace(reply, held_by=rest.strip())
            case "fail":
                reply = replace(reply, fails_with=int(rest))
            case "break":
                reply = replace(reply, breaks=True)
            case "nothing":
                reply = replace(reply, is_empty=True)
            case "short":
                reply = replace(reply, is_short=True)
            case _:
                for number, block in enumerate(_blocks(verb, rest.strip(), tools)):
                    if number and reply.calls:
                        yield reply
                        reply = Reply(())
                    reply = replace(reply, blocks=(*reply.blocks, block))
    yield (
        reply
        if reply.blocks or reply.fails_with or reply.is_empty
        else replace(reply, blocks=(Say("Nothing to do."),))
    )
    if reply.calls:
        yield Reply((Say(DONE),))


def _blocks(verb: str, rest: str, tools: Toolbox) -> list[Block]:
    """What one line asks for; several tool calls are made one after the other."""
    parts = [part.strip() for part in rest.split(" | ")]
    match verb:
        case "say":
            return [Say(rest)]
        case "think":
            return [Think(rest)]
        case "slow":
            count, _, pause = rest.partition(" ")
            return [Say(slow_text(int(count)), float(pause or 0.1))]
        case "long":
            return [Say("x" * int(rest))]
        case "write":
            return [tools.write(parts[0], parts[1] if len(parts) > 1 else "written")]
        case "edit":
            return [*tools.read(parts[0], needed=False), tools.edit(*parts)]
        case "read":
            return tools.read(rest)
        case "run":
            return [tools.run(rest, with_more_rights=True)]
        case "quietly":
            return [tools.run(rest, with_more_rights=False)]
        case "plan":
            return tools.plan(parts)
        case "ask":
            return [tools.ask(rest)]
        case "call":
            name, _, arguments = rest.partition(" ")
            return [Call(name, _read(arguments or "{}"), tools.call_id())]
        case _:
            raise ValueError(f"no such line: {verb}")


def _read(arguments: str) -> Json | str:
    try:
        found = json.loads(arguments)
    except ValueError:
        return arguments
    return found if isinstance(found, dict) else arguments
