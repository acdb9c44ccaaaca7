"""Whether an agent may continue without asking, decided from the request and the chosen policy.

Lives here: the policy that applies to a request, and what no policy covers. Anything not fully understood is
asked about. Pure: a function that resolves paths is passed in.
Lives elsewhere: what a call does (calls.py), whether it has acted (chat/acting.py), asking and answering
(runtime/questions/open_questions.py).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from voxpilot.chat.events import Fields, Json
from voxpilot.chat.permissions.call_titles import Disagree
from voxpilot.chat.permissions.calls import understand
from voxpilot.chat.permissions.commands import folders_after, leaves_folders
from voxpilot.chat.permissions.control_files import is_control_file, is_secret_file
from voxpilot.chat.permissions.program_tables import DEVICES, words
from voxpilot.chat.permissions.runners import Doing
from voxpilot.chat.permissions.shell import NotPlain
from voxpilot.chat.permissions.trees import IGNORE_FILES, MOST_ENTRIES, Entry, Skipped, below, repository_of
from voxpilot.values import dataclass

Policy = Literal["ask", "auto"]
Lane = Literal["agent", "delegated"]
"""Whether a person talks to the agent directly, or the assistant delegates work to it."""

ALLOWING = "allow_once"
"""The one kind of option that may be chosen for a person."""
_PLAIN_LABEL = words(
    "yes ok okay allow approve accept proceed continue confirm permit run do execute apply make save write "
    "read edit delete move go ahead once only just this that the it a an one time to please command change "
    "file tool call action request operation patch"
)
"""All words that the label of an option may have if it is to be chosen for a person: any other word may
promise more than one approval, or mean the opposite."""
LONGEST_LABEL = 500
MOST_VALUES = 2_000
DEEPEST = 8
LONGEST_CALL = 1_000_000
"""Characters in all texts of a call together."""
MOST_TREES = 50
"""The most folders that are searched for secrets and control files because of one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """The settings that apply to all chats."""

    strict: bool = False
    """Ask everywhere."""
    auto_allow: bool = False
    """Auto-approve everywhere; `strict` takes precedence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundaries:
    """Where a chat may work, and where it always has to ask."""

    roots: tuple[str, ...]
    own: tuple[str, ...] = ()
    """Our own settings and data."""
    home: str = ""
    skills: str = ""
    """The skills folder within a workspace: its files instruct assistants."""
    follow: Callable[[str], str] = posixpath.normpath
    """Where an absolute path really leads, links followed. This and the other functions raise NotPlain if it
    takes too long."""
    shell_in: tuple[str, ...] = ()
    """Possible current folders of a shell that the agent keeps open; empty for the first root."""
    below: Callable[[str, Skipped], Sequence[Entry] | None] = below
    """Everything below a folder; None if there is too much."""
    repository_of: Callable[[str], str | None] = repository_of
    """The top of the repository that git uses in a folder; None if there is any doubt."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Where a command may run: some agents keep a shell open, others start each command at the top."""
        return tuple(dict.fromkeys((*self.shell_in, *self.roots[:1])))


@dataclass(frozen=True, slots=True)
class Verdict:
    """`option` is the one to choose; if it is None, a person is asked, and `why` gives the reason."""

    option: str | None
    why: str = ""
    changes: int = 0
    """How many changes choosing it would make without asking."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a person has to decide about a call."""

    words: str
    is_grave: bool
    """Whether it may do harm or contradicts itself; otherwise it is just not understood."""


def default_policy(mode: str) -> Policy:
    """Agents that people talk to ask; work that the assistant delegates is approved."""
    return "auto" if mode == "llm" else "ask"


def lane_of(mode: str) -> Lane:
    return "delegated" if mode == "llm" else "agent"


def policy_for(lane: Lane, mode: str, policy: str, switches: Switches) -> Policy:
    """A chat's policy applies to the lane of its mode; a turn left over from the other mode asks."""
    if switches.strict:
        return "ask"
    if switches.auto_allow:
        return "auto"
    return "auto" if policy == "auto" and lane == lane_of(mode) else "ask"


def decide(policy: Policy, call: Fields, options: Sequence[Json], bounds: Boundaries) -> Verdict:
    """`call` combines everything the agent said about the call, in the request or before it."""
    if policy != "auto":
        return Verdict(None)
    looked = look(call, bounds)
    if isinstance(looked, Reason):
        return Verdict(None, looked.words)
    allowing = [option for option in options if option.get("kind") == ALLOWING]
    if len(allowing) != 1 or not _says_so(str(allowing[0].get("label", ""))):
        return Verdict(None, "the agent does not offer a single, clear “Allow once” option")
    changes = max(1, len(set(looked.writes))) if looked.is_change else 0
    return Verdict(str(allowing[0]["id"]), changes=changes)


def _says_so(label: str) -> bool:
    """Whether the label of an option says that it allows this one call, and nothing else."""
    said = re.findall(r"[^\s()!.,:✓✔✅\ufe0f]+", label[: LONGEST_LABEL + 1].casefold())
    return bool(said) and len(label) <= LONGEST_LABEL and _PLAIN_LABEL.issuperset(said)


def reservation(call: Fields, bounds: Boundaries) -> str:
    """Why a person has to decide, whatever the policy; empty if there is no reason."""
    looked = look(call, bounds)
    return looked.words if isinstance(looked, Reason) else ""


def look(call: Fields, bounds: Boundaries) -> Doing | Reason:
    """What a call does, or why a person decides about it."""
    if _is_large(call):
        return Reason("it is too large to check", False)
    if marked := _marked(call):
        return marked
    try:
        doing = understand(call, bounds.roots, bounds.folders)
        return _reason_in_paths(doing, bounds, is_move=call.get("tool_kind") == "move") or doing
    except Disagree as error:
        return Reason(str(error), True)
    except NotPlain as error:
        return Reason(str(error), False)
    except Exception:  # a call that we fail to judge must still reach a person
        return Reason("it could not be checked", False)


def _is_large(call: Fields) -> bool:
    """Whether checking a call might take long: it has too many values, too much text or too many levels."""
    values, characters = 0, 0
    level: list[Any] = list(call.values())
    for _ in range(DEEPEST):
        values += len(level)
        characters += sum(len(value) for value in level if isinstance(value, str))
        if values > MOST_VALUES or characters > LONGEST_CALL:
            return True
        inner = [value for value in level if isinstance(value, dict | list | tuple)]
        if sum(map(len, inner)) > MOST_VALUES:
            return True
        if any(isinstance(value, dict) and sum(map(len, value)) > LONGEST_CALL for value in inner):
            return True
        level = [each for value in inner for each in (value.values() if isinstance(value, dict) else value)]
        if not level:
            return False
    return True


def _marked(call: Fields) -> Reason | None:
    """A reason that is known before it is clear what the call does."""
    for flag, why in _FLAGS.items():
        if call.get(flag):
            return Reason(why, True)
    if call.get("tool_kind") == "switch_mode":
        return Reason("it would change how the agent works", True)
    if call.get("cut"):
        return Reason("it is too large to check", False)
    return None


def _reason_in_paths(doing: Doing, bounds: Boundaries, is_move: bool) -> Reason | None:
    folders = _Folders.of(bounds)
    for paths, is_written in ((doing.reads, False), (doing.writes, True), (doing.removes, True)):
        for path in sorted(set(paths)):
            if why := _reservation_about(path, is_written, bounds, folders):
                return Reason(why, True)
    removed = _places(doing.removes, bounds)
    for path in removed:
        if any(is_inside(root, (path,)) for root in folders.roots):
            return Reason("it would remove the whole folder", True)
    # Paths were checked as they are now. They lead elsewhere if a link, or the shell's own folder, moves.
    if any(is_inside(place, removed) for place in _places(_used(doing, "work"), bounds)):
        return Reason("it would move or remove the folder in which it runs", True)
    if any(bounds.repository_of(place) is None for place in _places(_used(doing, "git"), bounds)):
        return Reason("git may use a folder that only looks like a repository", True)
    return _reason_in_trees(doing, removed, bounds, folders.own) or _reason_in_links(doing, bounds, is_move)


def _places(paths: Iterable[str], bounds: Boundaries) -> set[str]:
    """Where paths lead, whether `..` means the parent in the path or the real one."""
    places = [_absolute(path, bounds) for path in paths]
    return {bounds.follow(form) for place in places for form in (place, posixpath.normpath(place))}


def _used(doing: Doing, use: str) -> list[str]:
    return [each.path for each in doing.sweeps if each.use == use]


def _reason_in_trees(
    doing: Doing, removed: set[str], bounds: Boundaries, own: tuple[str, ...]
) -> Reason | None:
    """What a call does to everything below a folder."""
    searched = _searched(doing, bounds)
    if len(removed) + len(searched) > MOST_TREES:
        return Reason("it involves too many folders to check", False)
    if any(is_inside(ours, (path,)) for ours in own for path, _ in searched):
        return Reason("it would read files that belong to VoxPilot", True)
    room = MOST_ENTRIES
    trees = [(*each, is_secret_file, False) for each in sorted(searched)]
    trees += [(path, "nothing", _is_control, True) for path in sorted(removed)]
    for path, skipped, matters, is_removed in trees:
        entries = bounds.below(path, skipped)
        room -= len(entries or ())
        if entries is None or room < 0:
            return Reason("it involves too many files to check", False)
        if found := next((entry.name for entry in entries if matters(entry.name)), None):
            what = "can change what programs do" if is_removed else "may contain secrets"
            return Reason(f"{found[:200]} {what}", is_removed)
    return None


def _searched(doing: Doing, bounds: Boundaries) -> set[tuple[str, Skipped]]:
    """Each folder of which everything is read, and what is left out."""
    # What is written to such a file now decides what is left out.
    is_open = any(posixpath.basename(path).casefold() in IGNORE_FILES for path in doing.writes)
    found: set[tuple[str, Skipped]] = set()
    for each in doing.sweeps:
        skipped = _UNLIMITED.get(each.skipped, each.skipped) if is_open else each.skipped
        place = bounds.follow(_absolute(each.path, bounds))
        if each.use == "stage":
            place = bounds.repository_of(place) or place
        if each.use in ("read", "stage"):
            found.add((place, skipped))
    return found


_UNLIMITED: dict[str, Skipped] = {"hidden": "nothing", "ignored": "git"}


def _reason_in_links(doing: Doing, bounds: Boundaries, is_move: bool) -> Reason | None:
    """A link that is moved, or replaced with something else, changes where other paths lead."""
    if not is_move and len(doing.writes) <= len(doing.removes):
        return None  # it only removes
    for path in sorted({_absolute(path, bounds).rstrip("/") for path in doing.removes}):
        for place in {path, posixpath.normpath(path)}:
            parent, _, name = place.rpartition("/")
            leads_to = bounds.follow(place)
            is_link = leads_to != posixpath.join(bounds.follow(parent or "/"), name)
            if is_link or any(entry.is_link for entry in bounds.below(leads_to, "nothing") or ()):
                return Reason("it would move or replace a link", True)
    return None


def _is_control(path: str) -> bool:
    """Also a file that can make a folder look like a repository, whose settings git would then use."""
    name = "".join(filter(str.isascii, posixpath.basename(path))).casefold().rstrip(". ")
    return name == "head" or is_control_file(path)


def shell_after(call: Fields, bounds: Boundaries) -> tuple[str, ...]:
    """Where a shell that the agent keeps open may be after a call; `/` if that is unknown."""
    before = after = bounds.shell_in or bounds.roots[:1]
    kind, given = call.get("tool_kind"), call.get("input")
    fields = given if isinstance(given, dict) else {}
    if kind == "execute":
        after = folders_after(fields, before)
    try:
        removed = _places(understand(call, bounds.roots, bounds.folders).removes, bounds)
        is_moved = any(is_inside(place, removed) for place in _places((*before, *after), bounds))
    except Exception:  # a person may have allowed anything
        is_still = leaves_folders(fields) if kind == "execute" else kind in _STILL
        is_moved = not is_still and before != bounds.roots[:1]
    return ("/",) if is_moved else after


_STILL = frozenset({"read", "search", "edit", "think", "fetch", "switch_mode"})
"""Kinds of tools that move no folders."""


_FLAGS = {
    "conflict": "the file has changed since the agent read it, and that change would be lost",
    "alike": "some options have the same ID, so the agent cannot tell them apart",
    "changed": "the agent described this call differently before",
    "options_left_out": "it offers more options than are shown",
}


def is_inside(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


@dataclass(frozen=True, slots=True)
class _Folders:
    """Where the folders really are."""

    roots: tuple[str, ...]
    own: tuple[str, ...]

    @classmethod
    def of(cls, bounds: Boundaries) -> _Folders:
        # Their links were followed when a person chose them: one that is there now was put there since.
        roots = bounds.roots
        # One of our own folders that is a chat's workspace is a root like any other.
        own = [f for f in map(bounds.follow, bounds.own) if not any(is_inside(root, (f,)) for root in roots)]
        return cls(roots, tuple(own))


def _reservation_about(path: str, is_written: bool, bounds: Boundaries, folders: _Folders) -> str:
    place = _absolute(path, bounds)
    leads_to, roots = bounds.follow(place), folders.roots
    shown = (_below(path, bounds.roots) or path)[:200]
    if place in DEVICES and not is_written and leads_to.startswith(("/dev/", "/proc/")):
        return ""
    # After following a link, `..` means the parent in the path for a shell, but the real parent for programs.
    by_words = bounds.follow(posixpath.normpath(place)) if ".." in place else leads_to
    if not is_inside(leads_to, roots) or not is_inside(by_words, roots):
        return f"{shown} is outside the chat's folder"
    names = {_below(one, (*bounds.roots, *roots)) for one in (posixpath.normpath(place), leads_to, by_words)}
    if any(map(is_secret_file, names)) or (is_written and any(map(_is_control, names))):
        return f"{shown} may contain secrets or change what programs do"
    if is_written and any(_is_skills(one, bounds.skills) for one in names):
        return f"{shown} contains instructions for the assistant"
    holds_own = (
        is_written and leads_to not in roots and any(is_inside(own, (leads_to,)) for own in folders.own)
    )
    return f"{shown} belongs to VoxPilot" if holds_own or is_inside(leads_to, folders.own) else ""


def _is_skills(name: str, skills: str) -> bool:
    """Whether a path is in the skills folder, or one that the skills folder is in."""
    if not skills or not name:
        return False
    return is_inside(f"/{name}", (f"/{skills}",)) or is_inside(f"/{skills}", (f"/{name}",))


def _absolute(path: str, bounds: Boundaries) -> str:
    if path.startswith("~"):
        name, _, rest = path.partition("/")
        return posixpath.join(bounds.home or "/", rest) if name == "~" else f"/{path}"
    return posixpath.join(bounds.roots[0], path)


def _below(path: str, roots: Iterable[str]) -> str:
    """The part of a path below its root, because the root itself may be inside a hidden folder."""
    for root in sorted(roots, key=len, reverse=True):
        if is_inside(path, (root,)):
            return path[len(root) :].lstrip("/")
    return path
