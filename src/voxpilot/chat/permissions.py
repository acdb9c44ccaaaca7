"""Whether an agent may go on without a person: decided from what is asked and what people chose.

Lives here: the policy that counts for a request, and what no policy covers.
What an agent says of itself, like a tool's kind, can only make us ask more.
Pure: where a path leads is told by a function that is handed in. Lives
elsewhere: what a call touches (touched.py), asking and answering
(runtime/questions.py).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from voxpilot.chat.control_files import is_control_file
from voxpilot.chat.events import Json
from voxpilot.chat.touched import touched_by

Policy = Literal["ask", "auto"]
Lane = Literal["agent", "delegated"]
"""Whether a person talks to the agent directly, or the assistant hands it work."""

ALLOWING = ("allow_once", "allow_always")
"""Kinds of options that may be chosen for a person, the more modest first."""
MOST_PATHS = 500
"""Places one call may name and still be looked through."""
MUTATING = frozenset({"edit", "delete", "move", "execute"})
_NOTHING = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"})
"""Paths outside every folder that hold nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """What was chosen for all chats."""

    strict: bool = False
    """Ask everywhere."""
    auto_allow: bool = False
    """Approve everywhere what may be approved; `strict` is stronger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where a chat may work, and where nobody may without asking."""

    roots: tuple[str, ...]
    own: tuple[str, ...] = ()
    """Our own settings and data."""
    home: str = ""
    follow: Callable[[str], str] = posixpath.normpath
    """Where an absolute path really leads, links followed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`option` is the one to choose; without one a person is asked, and `why` says what is not covered."""

    option: str | None
    why: str = ""


def default_policy(mode: str) -> Policy:
    """Agents that people talk to ask; work that the assistant hands on is approved."""
    return "auto" if mode == "llm" else "ask"


def lane_of(mode: str) -> Lane:
    return "delegated" if mode == "llm" else "agent"


def policy_for(lane: Lane, mode: str, policy: str, switches: Switches) -> Policy:
    """The policy of a chat speaks for the lane of its mode; a turn left over from the other mode asks."""
    if switches.strict:
        return "ask"
    if switches.auto_allow:
        return "auto"
    return "auto" if policy == "auto" and lane == lane_of(mode) else "ask"


def decide(policy: Policy, call: Json, options: Sequence[Json], ground: Ground) -> Verdict:
    """`call` is all that was said of what would be done, in the request or before it."""
    if policy != "auto":
        return Verdict(None)
    if why := reservation(call, ground):
        return Verdict(None, why)
    for kind in ALLOWING:
        for option in options:
            if option.get("kind") == kind:
                return Verdict(str(option["id"]))
    return Verdict(None, "it offers nothing that allows it")


def reservation(call: Json, ground: Ground) -> str:
    """Why this is a person's to decide whatever the policy; empty when nothing speaks against it."""
    if call.get("tool_kind") == "switch_mode":
        return "it would change how the agent works"
    if call.get("conflict"):
        return "the file was changed since the agent read it, and that would be lost"
    if call.get("cut"):
        return "it is too large to be looked through"
    touched = touched_by(call)
    if len(touched.paths) > MOST_PATHS:
        return "it is too large to be looked through"
    folders = _Folders.of(ground)
    for path in sorted(touched.paths):
        if why := _reservation_about(path, call, ground, folders):
            return why
    if touched.unclear:
        return touched.unclear
    return "the agent cannot tell some of its answers apart" if call.get("alike") else ""


def acts(call: Json) -> bool:
    """Whether a tool call changes something: by its kind, a diff, or a command."""
    if call.get("tool_kind") in MUTATING:
        return True
    if any(isinstance(item, dict) and item.get("type") == "diff" for item in call.get("content") or ()):
        return True
    return runs_command(call)


def has_acted(call: Json) -> bool:
    """Whether a tool call has changed something: a command that failed has run, an edit has not."""
    status = call.get("status")
    return acts(call) and (status == "completed" or (status == "failed" and runs_command(call)))


def is_inside(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


@dataclass(frozen=True, slots=True)
class _Folders:
    """Where the folders of a ground really are."""

    roots: tuple[str, ...]
    own: tuple[str, ...]

    @classmethod
    def of(cls, ground: Ground) -> _Folders:
        roots = tuple(map(ground.follow, ground.roots))
        # A folder of ours that a chat was given to work in is a root like any other.
        own = [f for f in map(ground.follow, ground.own) if not any(is_inside(root, (f,)) for root in roots)]
        return cls(roots, tuple(own))


def _reservation_about(path: str, call: Json, ground: Ground, folders: _Folders) -> str:
    places = _absolute(path, call, ground)
    leads_to = {ground.follow(place) for place in places}
    roots = folders.roots
    if leads_to <= _NOTHING:
        return ""
    if any(not is_inside(place, roots) for place in leads_to):
        return f"{path} is outside the folder"
    named = {posixpath.normpath(place) for place in places}
    if any(is_control_file(_below(place, (*ground.roots, *roots))) for place in named | leads_to):
        return f"{path} can change what programs do"
    is_own = any(is_inside(place, folders.own) for place in leads_to)
    return f"{path} belongs to VoxPilot" if is_own else ""


def _absolute(path: str, call: Json, ground: Ground) -> list[str]:
    """Where a path may lead: from each root, and from the folder a command is to run in."""
    if path.startswith("/"):
        return [path]
    if path.startswith("~"):
        name, _, rest = path.partition("/")
        return [posixpath.join(ground.home or "/", rest) if name == "~" else f"/{path}"]
    return [posixpath.join(base, path) for base in (*ground.roots[:1], *_folders(call, ground))]


def _folders(call: Json, ground: Ground) -> list[str]:
    given = call.get("input")
    if not isinstance(given, dict):
        return []
    named = [given.get(name) for name in ("cwd", "workdir", "directory", "working_directory")]
    return [posixpath.join(ground.roots[0], name) for name in named if isinstance(name, str) and name]


def _below(path: str, roots: Iterable[str]) -> str:
    """The part of a path under its root: a folder may itself lie in a hidden one."""
    for root in sorted(roots, key=len, reverse=True):
        if is_inside(path, (root,)):
            return path[len(root) :].lstrip("/")
    return path


def runs_command(call: Json) -> bool:
    given = call.get("input")
    named = [given.get(name) for name in ("command", "cmd")] if isinstance(given, dict) else []
    return call.get("tool_kind") == "execute" or any(map(_has_words, named))


def _has_words(value: Any) -> bool:
    return bool(value) and isinstance(value, str | list | tuple)
