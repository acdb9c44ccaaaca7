"""The texts of a call that name files: its title, paths and patches.

Lives here: titles that name another command or file, or hide a change, and other fields of a request. None of
these words makes a call harmless. How a path may be written, and the files in the headers of a patch.
Lives elsewhere: everything else that a call says (calls.py).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import field

from voxpilot.chat.events import Fields
from voxpilot.chat.permissions.runners import Doing
from voxpilot.chat.permissions.shell import NotPlain
from voxpilot.values import dataclass

DISAGREE = "the agent's description of this call contradicts itself"


class Disagree(NotPlain):
    """Two things that an agent says about one call contradict each other."""


_READING = frozenset({"read", "list", "search", "find", "show", "view", "grep", "print"})
_CHANGING = frozenset(
    {"write", "edit", "create", "update", "delete", "remove", "move", "rename", "patch", "add"}
)


_TOOL_NAMES = {
    "Bash": "execute", "Write": "edit", "Edit": "edit", "MultiEdit": "edit", "Read": "read", "Grep": "search",
    "Glob": "search", "LS": "read",
}  # fmt: skip
"""What Claude Code calls its own tools, with their kinds."""


def check_more(more: object, kind: str) -> None:
    """Fields of a request that we do not know may mean anything."""
    if not more:
        return
    name = more.get("name") if isinstance(more, dict) and len(more) == 1 else None
    if not isinstance(name, str) or _TOOL_NAMES.get(name) != kind:
        raise NotPlain("the request has unknown fields")


def check_title(call: Fields, kind: str, doing: Doing) -> None:
    """Raises if the title describes something other than what the call does."""
    title = str(call.get("title") or "")[:500]
    if "mcp" in re.split("[^a-z]+", title.casefold()):
        raise NotPlain("it may be a tool from an MCP server")
    words = [word.strip("`'\"()[],;:") for word in title.split()]
    verb = words[0].lower() if words else ""
    if verb in _READING and doing.is_edit and not (kind == "execute" and title[:1].islower()):
        raise Disagree(f"{DISAGREE}: its title mentions only reading, but it changes something")
    if verb in _CHANGING and kind in ("read", "search"):
        raise Disagree(f"{DISAGREE}: its title mentions a change, but its kind is {kind}")
    if kind == "execute":
        _check_command_title(str(call.get("title") or ""), call.get("input"))
        return
    named = [word for word in words if _looks_like_path(word)]
    if any(path.rpartition("/")[2] in title for path in doing.paths if path.rpartition("/")[2]):
        named = [word for word in named if word.startswith(("/", "~", ".."))]
    strange = [word for word in named if not any(_alike(word, path) for path in doing.paths)]
    if strange and (len(strange) == len(named) or any(word.startswith(("/", "~", "..")) for word in strange)):
        raise Disagree(f"{DISAGREE}: its title names another file")


def _check_command_title(title: str, given: object) -> None:
    """A title in back quotes is a command, and must be the one that runs."""
    fields = given if isinstance(given, dict) else {}
    if not is_in_title(title, fields.get("command", fields.get("cmd"))):
        raise Disagree(f"{DISAGREE}: its title shows another command")


def is_in_title(title: str, command: object) -> bool:
    """Whether a title that shows a command, perhaps only its beginning, shows this one."""
    shown = title.strip()
    if not (shown.startswith("`") and shown.endswith("`") and len(shown) > 2):
        return True
    text = " ".join(command) if isinstance(command, list) else str(command)
    return shown.strip("`").strip().removesuffix("…").strip() in text


def _looks_like_path(word: str) -> bool:
    if "://" in word or not word.isascii():
        return False
    stem, dot, ending = word.rpartition(".")
    return (
        word.startswith(("/", "~/", "../", "./"))
        or ("/" in word and "." in word)
        or (bool(stem) and bool(dot) and ending.isalnum() and len(ending) <= 5 and not stem[-1:].isdigit())
    )


def _alike(one: str, other: str) -> bool:
    one, other = one.removeprefix("./").lstrip("/"), other.removeprefix("./").lstrip("/")
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


# Paths

LONGEST_PATH = 1024
LONGEST_PATHS = 50_000
"""Characters of all paths of a call together."""
MOST_PATHS = 200


def check_paths(paths: list[str]) -> None:
    if len(paths) > MOST_PATHS or sum(map(len, paths)) > LONGEST_PATHS:
        raise NotPlain("it touches too many files to check")
    for path in paths:
        _check_form(path)


def check_letters(paths: list[str], roots: list[str]) -> None:
    """Some tools expand patterns and variables, or take a list in one text."""
    for path in paths:
        inside = next((path[len(root) :] for root in roots if path.startswith(f"{root}/")), path)
        is_plain = all(letter.isalnum() or letter in _IN_PATHS for letter in inside)
        if not is_plain or _EXTENDED.search(inside):
            raise NotPlain("it names a file with characters that may match other files")


_IN_PATHS = frozenset(" _-./+@=#~()")
_EXTENDED = re.compile(r"^-|[@+]\(|\s[./~-]")
"""An option, patterns of some programs (`@(a|b)`), and a second path."""


def _check_form(path: str) -> None:
    if len(path) > LONGEST_PATH:
        raise NotPlain("it names a very long path")
    if "://" in path:
        raise NotPlain("it names an address")
    if any(unicodedata.category(letter)[0] == "C" or letter in "\u2028\u2029" for letter in path):
        raise NotPlain("it names a path with invisible characters")


# Patches

LONGEST_PATCH = 200_000
"""The longest patch, in characters, that is searched for file names."""

_NO_FILE = frozenset({"/dev/null", "dev/null"})
_LIKE_HEADER = re.compile(
    # `patch` accepts patches that are indented, and ones whose lines begin with `- ` (RFC 934).
    r"(?:[\s\ufeff]|- )*(?:\*\*\*|(?:---|\+\+\+)\s|diff\s|(?:rename|copy)\s+(?:from|to)\b|index\s*:"
    r"|prereq\s*:|(?:old|new|\w+\s+file)\s+mode\b|index\s+[0-9a-f]+\.\.)",
    re.IGNORECASE,
)
_PATH = r"(?P<path>[^\s\"]+)"
_HEADERS = tuple(
    map(
        re.compile,
        (
            rf"\*\*\* (?:Add File|Update File|Delete File|Move to): {_PATH}",
            rf"(?:rename|copy) (?:from|to) {_PATH}",
            rf"Index: {_PATH}",
            r"(?:---|\+\+\+) (?P<prefixed>[^\s\"]+)(?:\t.*)?",
            r"diff --git (?P<first>a/[^\s\"]+) (?P<second>b/[^\s\"]+)",
            r"\*\*\* (?:Begin Patch|End Patch|End of File)",
            r"(?:old|new|new file|create file|deleted file) mode 100(?:644|755)",
            r"index [0-9a-f]+\.\.[0-9a-f]+(?: 100(?:644|755))?",
        ),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Patched:
    files: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    """The same files as written, if they begin with `a/` or `b/`: some programs keep that, others do not."""


def files_in_patch(text: str) -> Patched:
    """The files named by the headers of a patch, in time linear in its length."""
    if len(text) > LONGEST_PATCH:
        raise NotPlain("it is too large to check")
    found = Patched()
    for line in text.splitlines():
        if len(found.files) > MOST_PATHS:
            raise NotPlain("it touches too many files to check")
        if _LIKE_HEADER.match(line):  # some program might take it for a header
            _take(line, found)
    return found


def _take(line: str, found: Patched) -> None:
    match = next(filter(None, (header.fullmatch(line) for header in _HEADERS)), None)
    if match is None:
        raise NotPlain("its patch has a line that may name another file")
    for name, path in match.groupdict().items():
        file = path[2:] if name != "path" and path.startswith(("a/", "b/")) else path
        if file in _NO_FILE:
            continue
        found.files.append(file)
        found.also.extend([path] if path != file else [])
