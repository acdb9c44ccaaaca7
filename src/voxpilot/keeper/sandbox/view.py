"""What a sandboxed program sees: which folders it may read and write, and which do not exist for it.

Lives here: the decision, as a map of paths. Lives elsewhere: the secrets (secrets.py), repositories
(repositories.py), applying it (bubblewrap.py, grants.py).

A folder that contains something hidden is rebuilt from its other entries, so that a secret that is created or
replaced later is hidden too. Only in a folder that the program may write to are secrets covered one by one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import field
from typing import Literal

from voxpilot.errors import Conflict
from voxpilot.keeper.sandbox import repositories, secrets
from voxpilot.keeper.sandbox.secrets import is_within
from voxpilot.values import dataclass

Level = Literal["off", "standard", "strict"]
Mark = Literal["read", "write", "empty", "temporary", "covered"]
"""`empty` is a folder that contains only what deeper marks put there; `covered` is a file."""

_FROM_RUN = (
    "/run/systemd/resolve", "/run/NetworkManager/resolv.conf", "/run/resolvconf", "/run/nscd",
    "/run/current-system", "/run/opengl-driver",
)  # fmt: skip
"""Name resolution, and the programs of one distribution. The rest of /run contains sockets of services."""
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/snap",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One program to run in a sandbox."""

    level: Literal["standard", "strict"]
    network: bool = True
    home: str
    roots: tuple[str, ...]
    """The chat's folders; their paths contain no links."""
    writable: tuple[str, ...] = ()
    """The program's own folders and files; a folder ends with a slash and is created if it is missing."""
    readable: tuple[str, ...] = ()
    """Where the program itself is, and what a person added."""
    hidden: tuple[str, ...] = ()
    """Folders of other agents, and secrets in unusual places."""
    ours: tuple[str, ...] = ()
    """Our own data directory and settings, which nothing uncovers."""
    open_to_agents: tuple[str, ...] = ()
    """Folders of ours in which agents work."""
    shared: tuple[str, ...] = ()
    """Folders of ours that the program may read."""
    temporary: tuple[str, ...] = ()


@dataclass(slots=True)
class View:
    marks: dict[str, Mark] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    """Symbolic links in rebuilt folders."""
    hidden: tuple[str, ...] = ()
    """What must be hidden, whether or not it exists."""

    def allows(self, path: str) -> Mark:
        """What may be done with a path on the program's behalf; links in the path must be resolved."""
        holder = self.holder_of(path)
        if any(is_within(path, one) and is_within(one, holder) for one in self.hidden):
            return "covered"
        return self.marks[holder]

    def covering(self, path: str) -> Mark:
        """The mark that applies to a path: its own, or that of the nearest folder above."""
        return self.marks[self.holder_of(path)]

    def holder_of(self, path: str) -> str:
        while path not in self.marks:
            path = os.path.dirname(path)
        return path


def view_of(wanted: Wanted) -> View:
    """Blocks on the disk. Raises Conflict for a folder that cannot be opened to the program."""
    home = os.path.realpath(wanted.home)
    ours = _both(wanted.ours)
    chosen = [os.path.realpath(path) for path in (*wanted.readable, *_made(wanted.writable))]
    personal = [path for path in _both((*secrets.of_a_person(home), *wanted.hidden)) if path not in chosen]
    _check(wanted, ours, personal)
    view = View(hidden=(*personal, *ours))
    _lay_ground(view, wanted, home)
    for path in (*wanted.readable, *wanted.shared):
        _show(view, path, "read")
    for path in (*wanted.roots, *wanted.writable):
        _show(view, path, "write")
    if any(home != root and is_within(home, root) for root in wanted.roots):
        view.marks.pop(home, None)  # the chosen folder contains it
    _hide(view, view.hidden)
    _cover(view, (path for path in _both(secrets.of_the_system(home)) if path not in chosen))
    _cover(view, (path for path in _both(secrets.sockets()) if _is_foreign(view, path, chosen)))
    for root in wanted.roots:
        for path, mark in repositories.marks_for(root):
            if view.covering(path) == "write" or mark == "write":
                view.marks[path] = mark
    for path in (wanted.home, *wanted.readable, *wanted.shared, *wanted.roots, *wanted.writable):
        _link(view, path)
    _pin(view)
    return view


def _is_foreign(view: View, path: str, chosen: list[str]) -> bool:
    """A socket outside the folders that the program works in, or that were opened to it."""
    return view.covering(path) == "read" and not any(is_within(path, one) for one in chosen)


def _lay_ground(view: View, wanted: Wanted, home: str) -> None:
    if wanted.level == "standard":
        view.marks["/"] = "read"
        view.marks["/run"] = "empty"
    else:
        view.marks["/"] = "empty"
        for path in _SYSTEM:
            if os.path.islink(path):
                view.links[path] = os.readlink(path)
            elif os.path.exists(path):
                view.marks[path] = "read"
    for path in ("/tmp", "/var/tmp", *(os.path.realpath(path) for path in wanted.temporary)):
        view.marks[path] = "temporary"
    for path in _FROM_RUN:
        if os.path.exists(path):
            view.marks[path] = "read"
    if home != "/":
        view.marks[home] = "read" if wanted.level == "standard" else "empty"


def _show(view: View, path: str, mark: Mark) -> None:
    real = os.path.realpath(path)
    if os.path.exists(real):
        view.marks[real] = mark


def _link(view: View, path: str, most: int = 20) -> None:
    """Keep the links that lead from a path to its real place, also in folders that are not visible."""
    folder = "/"
    for name in os.path.normpath(path).split("/")[1:]:
        step = os.path.join(folder, name)
        if os.path.islink(step) and most:
            if view.covering(step) == "temporary" and folder not in view.marks:
                view.marks[folder] = "empty"  # links on the real disk stay as they are
            if view.covering(step) == "empty":
                view.links[step] = os.readlink(step)
            _link(view, os.path.join(folder, os.readlink(step)), most - 1)
        folder = os.path.realpath(step)


def _hide(view: View, hidden: Iterable[str]) -> None:
    paths = set(hidden)
    to_cover = []
    rebuilt: set[str] = set()
    for path in paths:
        folder = os.path.dirname(path)
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        match view.covering(folder):
            case "read":
                rebuilt.add(folder)
            case "write":
                to_cover.append(path)
        if view.marks.get(path) == "read":
            del view.marks[path]
    for folder in rebuilt:
        _build_again(view, folder, paths | rebuilt)
    _cover(view, to_cover)


def _build_again(view: View, folder: str, left_out: set[str]) -> None:
    view.marks[folder] = "empty"
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.path in left_out or entry.path in view.marks or entry.path in ("/dev", "/proc"):
            continue
        if entry.is_symlink():
            view.links[entry.path] = os.readlink(entry.path)
        elif entry.is_dir() or entry.is_file():  # never a socket: those can be connected to
            view.marks[entry.path] = "read"


def _pin(view: View) -> None:
    """Mark each folder between a writable one and a mark below it: a separate mount cannot be moved.

    Otherwise the program could move a folder away with what is hidden in it, or replace it with a link, and
    the next sandbox would look for it in the wrong place.
    """
    for path in list(view.marks):
        folder = os.path.dirname(path)
        holder = view.holder_of(folder)
        while view.marks[holder] == "write" and folder != holder:
            view.marks[folder] = "write"
            folder = os.path.dirname(folder)


def _cover(view: View, paths: Iterable[str]) -> None:
    for path in paths:
        if view.covering(path) in ("read", "write") and path not in view.links:
            try:
                mode = os.lstat(path).st_mode
            except OSError:
                continue
            if not stat.S_ISLNK(mode):  # its target is covered under its own name
                view.marks[path] = "empty" if stat.S_ISDIR(mode) else "covered"


def _both(paths: Iterable[str]) -> list[str]:
    """Each path as given, and with links resolved."""
    found: dict[str, None] = {}
    for path in paths:
        parent, name = os.path.split(os.path.normpath(path))
        found[os.path.join(os.path.realpath(parent), name)] = None
        found[os.path.realpath(path)] = None
    return list(found)


def _made(paths: Iterable[str]) -> Iterable[str]:
    """The program's own folders and files, created if missing, because a missing path cannot be mounted."""
    for path in paths:
        try:
            if path.endswith("/"):
                os.makedirs(path, mode=0o700, exist_ok=True)
            elif not os.path.lexists(path):
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
                with open(path, "x", opener=_private) as file:
                    file.write("{}" if path.endswith(".json") else "")
        except OSError:
            pass  # then the program has to work without it
        yield path


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _check(wanted: Wanted, ours: list[str], personal: list[str]) -> None:
    _check_roots(wanted, ours, personal)
    home = os.path.realpath(wanted.home)
    for path in wanted.writable:
        real = os.path.realpath(path)
        named = os.path.normpath(path)
        if named != real and is_within(home, real) and not is_within(os.path.normpath(wanted.home), named):
            raise Conflict(
                f"{path} is a symbolic link to {real}, which contains the whole home folder",
                "Replace the link with a folder, or turn the sandbox of this agent off in the settings.",
            )
    for path in map(os.path.realpath, (*wanted.writable, *wanted.readable)):
        if any(is_within(path, own) for own in ours):
            raise Conflict(
                f"its sandbox settings include {path}, which belongs to VoxPilot",
                "Remove it from sandbox_writable and sandbox_readable of this agent.",
            )


def _check_roots(wanted: Wanted, ours: list[str], personal: list[str]) -> None:
    opened = [os.path.realpath(path) for path in wanted.open_to_agents]
    for root in wanted.roots:
        # Its links were followed when a person chose it, so somebody has put one there since.
        if os.path.realpath(root) != root:
            raise Conflict(
                f"a symbolic link in the path of its folder {root} leads elsewhere",
                "Choose the folder again.",
            )
        if any(is_within(root, path) for path in opened):
            continue
        if any(is_within(root, path) for path in (*ours, *personal)):
            raise Conflict(
                f"its folder {root} is hidden from agents in a sandbox",
                "Choose another folder, or turn the sandbox of this agent off in the settings.",
            )
    for path in ours:
        if not os.path.isdir(path) and any(is_within(path, root) for root in wanted.roots):
            raise Conflict(
                f"its folder contains {path}, which belongs to VoxPilot and cannot be hidden",
                "Choose a smaller folder, or turn the sandbox of this agent off in the settings.",
            )
