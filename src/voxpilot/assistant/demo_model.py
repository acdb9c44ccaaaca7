"""The model of a first run: no network, no key, always the same answers.

It delegates coding work to an agent as a real model would, continues the same session when asked for more,
and looks at files with the read-only tools. It understands almost nothing, and says so. Lives elsewhere: real
models (llm.py).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator, Sequence

from voxpilot.assistant.shapes import (
    Delta,
    Json,
    Message,
    ModelSaid,
    OnDelta,
    PersonSaid,
    Step,
    Tool,
    ToolCall,
    ToolReturned,
    Usage,
)

WORK_TOOL = "copilot_agent"
PAUSE_SECONDS = 0.02
"""The pause after each word; VOXPILOT_DEMO_SPEED multiplies it."""
GREETING = (
    "I am the demo model: I run inside VoxPilot, need no key and understand very little. "
    "Ask me to change some code, for example “Add a greeting to hello.py”, and I will delegate it to an "
    "agent. Ask for more, and the agent continues where it left off. I can also list files, read one, "
    "search, and show a diff. "
    "Choose a real model in the settings."
)
_WORK = re.compile(
    r"\b(add|build|change|clean|code|convert|create|delete|document|edit|extend|fix|format|implement|improve"
    r"|make|mend|migrate|move|optimi[sz]e|refactor|remove|rename|replace|repair|rewrite|set ?up|simplify"
    r"|speed|test|translate|update|write)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^\W*(also|and|again|another|now|next|then|too|but|please also|one more|in addition|continue|go on"
    r"|go ahead|yes)\b"
    r"|\b(too|as well|instead)\W*$",
    re.IGNORECASE,
)
_READ = re.compile(r"\b(?:read|show|open|print)\b.*?\b([\w./-]+\.\w+)", re.IGNORECASE)
_LIST = re.compile(
    r"\b(list|show|which|what)\b.*\b(files?|folders?|director(y|ies)|workspace|project)\b", re.IGNORECASE
)
_SEARCH = re.compile(r"\b(?:search|grep|look)\b.*?\bfor\s+[\"'“`]?([^\"'”`?.!]+)", re.IGNORECASE)
_DIFF = re.compile(r"\b(diff|what (has )?changed|changes)\b", re.IGNORECASE)
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can could for from i in into is it its me my of on or our please so some "
        "that the their there this to us we will with would you your",
    )
)
_NAME_WORDS = 3


async def answer(messages: Sequence[Message], tools: Sequence[Tool], on_delta: OnDelta) -> Step:
    """The next step. It depends on the conversation alone."""
    text, call = _next(messages, {tool.name for tool in tools})
    pause = _pause()
    for piece in _pieces(text):
        on_delta(Delta("text", piece))
        await asyncio.sleep(pause)
    calls = (call,) if call else ()
    usage = Usage(sum(len(_words(message)) for message in messages) // 4, len(text) // 4)
    return Step(text, calls, usage=usage, finish="tool_call" if calls else "stop")


def _next(messages: Sequence[Message], tools: set[str]) -> tuple[str, ToolCall | None]:
    last = messages[-1] if messages else PersonSaid("")
    if isinstance(last, ToolReturned):
        return _report(messages), None
    wish = last.text.strip()
    number = sum(len(message.calls) for message in messages if isinstance(message, ModelSaid)) + 1
    for text, name, arguments in _ideas(wish, _open_session(messages)):
        if name in tools:
            return text, ToolCall(f"demo-{number}", name, arguments, json.dumps(arguments))
    return GREETING, None


def _ideas(wish: str, session: str | None) -> Iterator[tuple[str, str, Json]]:
    """Possible reactions to a request, the most likely first."""
    seen = wish[:2000]  # the patterns below take quadratic time
    if session and _MORE.search(seen):
        text = f"The agent continues in its session “{session}”."
        yield text, WORK_TOOL, {"prompt": _instruction(wish, follow_up=True), "session_name": session}
    elif found := _SEARCH.search(seen):
        yield "Let me search.", "grep_search", {"pattern": re.escape(found[1].strip())}
    elif found := (None if _WORK.search(seen) else _READ.search(seen)):
        yield "Let me read it.", "read_file", {"path": found[1]}
    elif _DIFF.search(seen):
        yield "Let me check what has changed.", "git_diff", {}
    elif _LIST.search(seen):
        yield "Let me look.", "list_directory", {}
    elif _WORK.search(seen):
        name = _name_for(wish)
        text = f"This is work for an agent. I will call the session “{name}”."
        yield text, WORK_TOOL, {"prompt": _instruction(wish), "session_name": name}


def _instruction(wish: str, follow_up: bool = False) -> str:
    if follow_up:
        return f"One more thing for the same task: {wish}"
    return (
        f"{wish}\n\nWork in the current folder, keep the change small, and summarise the change at the end."
    )


def _name_for(wish: str) -> str:
    """A short name for a task, as `add-greeting-hello`."""
    words = [word for word in re.findall(r"[a-z0-9]+", wish.lower()) if word not in _SMALL]
    return "-".join(words[:_NAME_WORDS])[:40] or "task"


def _open_session(messages: Sequence[Message]) -> str | None:
    """The session that was used last."""
    for message in reversed(messages):
        if isinstance(message, ModelSaid):
            for call in message.calls:
                if call.name == WORK_TOOL and call.arguments:
                    return str(call.arguments.get("session_name") or "") or None
    return None


def _report(messages: Sequence[Message]) -> str:
    results = []
    for message in reversed(messages):
        if not isinstance(message, ToolReturned):
            break
        results.append(message)
    return "\n\n".join(_about(result) for result in reversed(results))


def _about(result: ToolReturned) -> str:
    lines = result.content.strip()
    if result.is_error:
        return f"That did not work: {lines[:500]}"
    if result.name == WORK_TOOL:
        words = _quoted(lines[-600:])
        return f"The agent is done. Its summary:\n\n{words}\n\nAsk for more and it continues from here."
    return f"Here is what I found:\n\n```\n{lines[:1500]}\n```"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines()) or "> (nothing)"


def _words(message: Message) -> str:
    return message.content if isinstance(message, ToolReturned) else message.text


def _pieces(text: str) -> list[str]:
    return re.findall(r"\S+\s*|\s+", text)


def _pause() -> float:
    try:
        speed = float(os.environ.get("VOXPILOT_DEMO_SPEED") or 1)
    except ValueError:
        speed = 1.0
    return PAUSE_SECONDS * max(speed, 0.0)
