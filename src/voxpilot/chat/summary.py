"""A short summary of a conversation, from its blocks alone.

Lives here: what was asked, what was done and answered, which files changed and how it ended, within a limit.
It goes to agents: as the note after a lost session, and for an earlier chat that a message mentions. Lives
elsewhere: the title of a chat (titles.py), reading its blocks (storage/chats/folds.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from voxpilot.chat.acting import has_acted, runs_command
from voxpilot.values import dataclass

if TYPE_CHECKING:  # shapes take long to import, and nothing needs them at run time
    from voxpilot.chat.shapes import Block, ToolBlock

LENGTH = 6_000
"""Characters of a summary in words."""
_ASKED, _ANSWERED, _COMMANDS, _FILES, _STEPS = 6, 3, 10, 40, 12
"""How many of each are kept: the newest, and the first message."""
_SHARES = (1.0, 0.5, 0.25, 0.1, 0.05)
_PIECE, _LINE = 1_500, 240
"""Characters of a message or answer, and of a path, command or step of a plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    asked: tuple[str, ...] = ()
    """The requests, oldest first."""
    answered: tuple[str, ...] = ()
    """The last answers, oldest first."""
    files: tuple[str, ...] = ()
    """Paths of changed files."""
    commands: tuple[str, ...] = ()
    """The last commands that ran."""
    plan: tuple[tuple[str, str], ...] = ()
    """The state and the words of each step of the last plan."""
    ended: str = ""
    """How the last turn ended, unless it ended with an answer."""


def summarize(blocks: Iterable[Block], calls: Collection[str] | None = None) -> Summary:
    """Summarize what a person asked of an agent or the assistant; with `calls`, these delegated tasks."""
    asked: list[str] = []
    answered: list[str] = []
    files: dict[str, None] = {}
    commands: list[str] = []
    plan: tuple[tuple[str, str], ...] = ()
    ended = ""
    for block in blocks:
        if request := _request(block, calls):
            asked.append(request)
        if not _belongs(block, calls):
            continue
        match block["kind"]:
            case "text" if block["text"].strip() and not block.get("superseded"):
                answered.append(block["text"].strip())
            case "tool" if has_acted({**block}):
                files.update(dict.fromkeys(_paths(block)))
                commands.extend(_command(block))
            case "plan":
                plan = tuple((str(one.get("status")), str(one.get("content"))) for one in block["entries"])
            case "turn":
                ended = "" if block["stop_reason"] == "end_turn" else block["stop_reason"]
    return Summary(
        asked=_first_and_last(asked, _ASKED),
        answered=tuple(answered[-_ANSWERED:]),
        files=tuple(files),
        commands=tuple(commands[-_COMMANDS:]),
        plan=plan[:_STEPS],
        ended=ended,
    )


def in_words(summary: Summary, most: int = LENGTH) -> str:
    """The summary as text of at most this many characters; empty if nothing happened."""
    text = ""
    for share in _SHARES:
        text = "\n\n".join(_parts(summary, share))
        if len(text) <= most:
            return text
    return _cut(text, most)


def _belongs(block: Block, calls: Collection[str] | None) -> bool:
    """Files that a delegated agent changes belong to the chat as well; what it says does not."""
    call = block.get("tool_call_id")
    if calls is not None:
        return call in calls
    return call is None or block["kind"] == "tool"


def _request(block: Block, calls: Collection[str] | None) -> str:
    if block["kind"] == "message" and calls is None and block["role"] == "user":
        named = [_name(one) for one in block.get("attachments", ())]
        attached = f"[Attached: {', '.join(filter(None, named))}]" if any(named) else ""
        return "\n".join(part for part in (block["text"].strip(), attached) if part)
    if block["kind"] == "tool" and calls is not None and block["id"] in calls:
        wanted = block.get("input")
        return str(wanted.get("prompt") or "").strip() if isinstance(wanted, Mapping) else ""
    return ""


def _name(attachment: Mapping[str, Any]) -> str:
    inner = attachment.get("resource")
    uri = inner.get("uri") if isinstance(inner, Mapping) else attachment.get("uri")
    known = [attachment.get(name) for name in ("path", "name", "title", "source")] + [uri]
    return next((_cut(one, _LINE) for one in known if isinstance(one, str) and one), "")


def _paths(block: ToolBlock) -> Iterator[str]:
    """The files that a completed tool call changed."""
    if block["status"] != "completed":
        return
    diffs = [str(item["path"]) for item in block["content"] if item["type"] == "diff" and item.get("path")]
    yield from diffs
    if not diffs and block["tool_kind"] in ("edit", "delete", "move"):
        yield from (str(place["path"]) for place in block["locations"] if place.get("path"))


def _command(block: ToolBlock) -> Iterator[str]:
    if not runs_command({**block}):
        return
    given = block.get("input")
    command = (given.get("command") or given.get("cmd")) if isinstance(given, Mapping) else None
    words = " ".join(map(str, command)) if isinstance(command, list | tuple) else command
    failed = " (failed)" if block["status"] == "failed" else ""
    yield f"{_line(str(words or block['title']))}{failed}"


def _first_and_last(texts: list[str], most: int) -> tuple[str, ...]:
    return tuple(texts if len(texts) <= most else [texts[0], *texts[1 - most :]])


def _parts(summary: Summary, share: float) -> Iterator[str]:
    length = max(80, int(_PIECE * share))
    files = max(5, int(_FILES * share))
    if summary.asked:
        yield _listed("Asked, oldest first:", [_cut(text, length) for text in summary.asked])
    if summary.commands:
        yield _listed("Commands that ran:", map(_line, summary.commands[-max(2, int(_COMMANDS * share)) :]))
    if summary.files:
        more = [f"and {len(summary.files) - files} more"] if len(summary.files) > files else []
        yield _listed("Files changed:", [*map(_line, summary.files[:files]), *more])
    if summary.plan:
        yield _listed("The last plan:", [_line(f"{words} ({state})") for state, words in summary.plan])
    if summary.answered:
        last = [_cut(text, length) for text in summary.answered[-max(1, int(_ANSWERED * share)) :]]
        yield _listed("The last answers:", last)
    if summary.ended:
        yield f"The last turn ended with: {_line(summary.ended)}."


def _listed(heading: str, lines: Iterable[str]) -> str:
    return "\n".join((heading, *(f"- {line}" for line in lines)))


def _line(text: str) -> str:
    return _cut(" ".join(text.split()), _LINE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
