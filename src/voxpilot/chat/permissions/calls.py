"""What a tool call would do, if everything an agent says about it is understood.

Lives here: reading kind, title, input, locations and diffs of a call together. Each field of
the input must be a known one; a call that names its files differently in two places, or whose
kind and content do not fit, is not understood. Lives elsewhere: titles and patches (call_titles.py), command
lines (commands.py), which files matter (decide.py).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any

from voxpilot.chat.events import Fields, Json
from voxpilot.chat.permissions.call_titles import (
    DISAGREE,
    MOST_PATHS,
    Disagree,
    check_letters,
    check_more,
    check_paths,
    check_title,
    files_in_patch,
    is_in_title,
)
from voxpilot.chat.permissions.commands import deeds_of, is_text, without_shell
from voxpilot.chat.permissions.control_files import is_harmless_glob
from voxpilot.chat.permissions.options import Sweep
from voxpilot.chat.permissions.runners import Doing
from voxpilot.chat.permissions.shell import NotPlain

_IDLE = frozenset(
    {
        "description", "explanation", "reason", "justification", "instruction", "instructions",
        "purpose", "message", "callid", "turnid", "startedatms", "sessionid", "toolcallid", "timeout",
        "timeoutms", "timeoutseconds", "outputbytelimit",
    }
)  # fmt: skip
"""Fields of any call that do not affect what it does."""
_EDITED = frozenset(
    {
        "content", "contents", "text", "newstring", "oldstring", "newstr", "oldstr", "newtext",
        "oldtext", "filetext", "inserttext", "insertline", "search",
        "replace", "replaceall", "expectedreplacements", "oldlines", "newlines", "oldcode", "newcode",
        "encoding", "overwrite", "cellid", "celltype", "editmode", "newsource", "startline",
        "endline", "line", "viewrange", "codeedit", "replacement",
    }
)  # fmt: skip
_AMBIGUOUS = frozenset({"old", "new", "before", "after", "original", "updated", "edit"})
"""Fields with text or with the name of a file; text that could be a path is checked like one."""
_CHANGE_TYPES = frozenset(
    {"add", "create", "write", "update", "modify", "edit", "insert", "replace", "str_replace", "delete"}
)
"""What the type of a change may be; another one may be a link."""
_READ = frozenset(
    {
        "offset", "limit", "line", "lines", "startline", "endline", "pages", "viewrange", "encoding",
        "pattern", "query", "regex", "glob", "include", "exclude", "filepattern", "includepattern",
        "excludepattern", "outputmode", "casesensitive", "ignorecase", "headlimit", "multiline",
        "recursive", "maxresults", "type", "a", "b", "c", "i", "n", "depth",
    }
)  # fmt: skip
_PATHS = frozenset(
    {
        "path", "filepath", "file", "filename", "absolutepath", "abspath", "absolutefilepath",
        "relativepath", "targetfile", "notebookpath", "dir", "directory", "folder", "paths", "files",
        "filepaths", "source", "destination", "src", "dest", "dst", "from", "to", "oldpath", "newpath",
        "sourcepath", "destinationpath", "targetpath", "movepath", "dirpath", "directorypath",
    }
)  # fmt: skip
_FOLDERS = frozenset({"dir", "directory", "folder", "dirpath", "directorypath"})
_INNER = frozenset({"file", "filename", "files", "relativepath"})
"""Fields with names that may be relative to the folder in another field; `path` may be such a folder."""
_GLOBS = frozenset(["glob", "include", "filepattern", "includepattern"])
_SEARCHING = _GLOBS | {"pattern", "query", "regex", "recursive"}
"""Fields that make a tool look into more files than the named ones."""
_EDITOR_COMMANDS = frozenset({"create", "str_replace", "insert", "view", "undo_edit"})
_KINDS = frozenset(
    ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other", "switch_mode"]
)


def understand(call: Fields, roots: Iterable[str], folders: Iterable[str]) -> Doing:
    """What a call would do; NotPlain if anything about it is not understood.

    `folders` are those in which a command without a folder of its own may run.
    """
    kind = call.get("tool_kind") or "other"
    if not isinstance(kind, str) or kind not in _KINDS:
        raise NotPlain("the kind of this tool is unknown")
    check_more(call.get("more"), kind)
    if kind == "execute":
        doing = _execute(call, list(folders))
    elif kind in ("read", "search", "edit", "delete", "move"):
        doing = _on_files(call, kind, list(roots))
    elif is_text(_fields(call).get("command")) or is_text(_fields(call).get("cmd")):
        raise Disagree(f"{DISAGREE}: it runs a command, but its kind is {kind}")
    else:
        what = "it would use the network" if kind == "fetch" else "it is unclear what this tool does"
        raise NotPlain(what)
    check_paths(doing.paths)
    check_title(call, kind, doing)
    return doing


def became_another(before: Fields, after: Fields) -> bool:
    """Whether a call is now described differently; details that were missing before may be added."""
    try:
        kind = before.get("tool_kind")
        if kind not in (None, "", "other") and after.get("tool_kind") not in (None, kind):
            return True
        old, new = _described(before), _described(after)
        if any(name in new and new[name] != value for name, value in old.items()):
            return True
        return (
            _shows_another_command(before, after)
            or _is_elsewhere(before, after)
            or _shows_another_change(before, after)
        )
    except Exception:  # such as values that are nested too deeply to be compared
        return True


def _described(call: Fields) -> dict[tuple[str, str], Any]:
    """What a call says: each field, and under one name what can be said in several fields."""
    given = call.get("input")
    said: dict[tuple[str, str], Any] = {}
    fields = given if isinstance(given, dict) else {"": given}
    for name, value in fields.items():
        plain = name.lower().replace("_", "").replace("-", "")
        if not _is_said(value) or plain in _IDLE:
            continue
        said["field", name] = value
        said["form", ""] = isinstance(given, dict)
        for meaning, names in _MEANINGS.items():
            if plain in names:
                said.setdefault((meaning, ""), set()).add(repr(without_shell(value)))
    return said


_MEANINGS = {
    "command": frozenset({"command", "cmd", "script", "argv"}),
    "path": frozenset({"path", "filepath", "file", "filename", "absolutepath", "targetfile", "notebookpath"}),
}
"""Fields that different tools use for the same thing."""


def _shows_another_change(before: Fields, after: Fields) -> bool:
    """Whether a call shows changes to other files, or other changes; more or fewer lines may be shown."""
    old, new = (
        {item.get("path"): item for item in call.get("content") or () if item.get("type") == "diff"}
        for call in (before, after)
    )
    if not old or not new:
        return False
    return old.keys() != new.keys() or not all(_is_part(old[path], new[path]) for path in old)


def _is_part(one: Json, other: Json) -> bool:
    if any(mark in item for item in (one, other) for mark in ("cut", "whole_at", "from_line")):
        return True  # only a preview
    texts = sorted((str(item.get("newText")).strip() for item in (one, other)), key=len)
    return texts[0] in texts[1] if texts[0] else texts[0] == texts[1]


def _shows_another_command(before: Fields, after: Fields) -> bool:
    """Whether only a title named the command so far, and it was not this one."""
    old, new = (_fields(call).get("command") or _fields(call).get("cmd") for call in (before, after))
    return not old and bool(new) and not is_in_title(str(before.get("title") or ""), new)


def _is_elsewhere(before: Fields, after: Fields) -> bool:
    """Whether a call that changes files no longer names all the places it named."""
    if before.get("tool_kind") not in ("edit", "delete", "move"):
        return False
    old, new = ({str(place.get("path")) for place in call.get("locations") or ()} for call in (before, after))
    return bool(new) and not old <= new


def _is_said(value: object) -> bool:
    return value is not None and value != "" and value != [] and value != () and value != {}


def _fields(call: Fields) -> Json:
    given = call.get("input")
    return given if isinstance(given, dict) else {}


def _execute(call: Fields, folders: list[str]) -> Doing:
    if any(item.get("type") == "diff" for item in _items(call.get("content"))):
        raise Disagree(f"{DISAGREE}: it runs a command, but shows a change to a file")
    if not isinstance(call.get("input"), dict):
        raise NotPlain("the command is missing")
    doing = Doing(reads=_located(call))
    for deed in deeds_of(call["input"], folders, _IDLE):
        doing.reads += deed.reads
        doing.writes += deed.writes
        doing.removes += deed.removes
        doing.is_change |= deed.is_change
        doing.is_edit |= deed.is_edit
        doing.sweeps += deed.sweeps
    return doing


def _on_files(call: Fields, kind: str, roots: list[str]) -> Doing:
    named = _Named(kind)
    given = call.get("input")
    if given is not None and not isinstance(given, dict):
        raise NotPlain("its input has an unknown format")
    named.take(given or {}, 0)
    check_paths([*named.paths, *named.patched])
    shown = [_path_of(item) for item in _items(call.get("content")) if item.get("type") == "diff"]
    if shown and kind != "edit":
        raise Disagree(f"{DISAGREE}: it shows a change to a file, but its kind is {kind}")
    located = _located(call)
    paths = named.paths or shown or located or named.patched
    if not paths:
        raise NotPlain("it does not say which files it uses")
    check_letters([*named.paths, *named.patched, *shown, *located], roots)
    for others in (shown, named.patched, located):
        if kind in ("edit", "delete") and others and not _same(paths, others, roots):
            raise Disagree(f"{DISAGREE}: it names different files in different places")
    everything = [*named.paths, *shown, *located, *_loose(paths, named.patched), *named.possible]
    everything += named.joined()
    if kind in ("read", "search"):
        is_search = kind == "search" or named.is_search
        # Even if it names a pattern for files: the tool may ignore it.
        sweeps = [Sweep(path, "git") for path in everything] if is_search else []
        return Doing(reads=everything, sweeps=sweeps)
    gone = everything if kind in ("delete", "move") else []
    return Doing(writes=everything, removes=gone, is_change=True, is_edit=True)


class _Named:
    """The files that the input of a call names."""

    def __init__(self, kind: str) -> None:
        self.paths: list[str] = []
        self.patched: list[str] = []
        self.possible: list[str] = []
        """Texts that may be further files."""
        self.is_search = False
        self._folders: list[str] = []
        self._tops: list[str] = []
        self._inner: list[str] = []
        self._kind = kind
        self._inert = _IDLE | (_READ if kind in ("read", "search") else _EDITED if kind == "edit" else set())

    def take(self, fields: Fields, depth: int) -> None:
        if depth > 3 or len(fields) > MOST_PATHS:
            raise NotPlain("its input is nested too deeply or too large to check")
        for name, value in fields.items():
            self._field(name, value, depth)

    def joined(self) -> list[str]:
        """Where files are if their names are relative to a folder that the input names too."""
        others = [path for path in (*self.paths, *self.patched, *self.possible) if path not in self._folders]
        pairs = {(folder, name) for folder in self._folders for name in others}
        pairs |= {(top, name) for top in self._tops for name in self._inner}
        return sorted(posixpath.join(folder, name) for folder, name in pairs if name[:1] not in ("/", "~"))

    def _field(self, name: str, value: Any, depth: int) -> None:
        plain = name.lower().replace("_", "").replace("-", "") if len(name) < 40 else name
        if _is_said(value) and not self._takes(plain, value, depth):
            self._check(name, plain, value)

    def _takes(self, plain: str, value: Any, depth: int) -> bool:
        """Whether a field names files; those are noted."""
        match value:
            case str() | [str(), *_] if plain in _PATHS:
                self.paths += (given := _strings(value))
                self._folders += given if plain in _FOLDERS else []
                self._tops += given if plain == "path" else []
                self._inner += given if plain in _INNER else []
            case str() if plain in ("diff", "patch", "unifieddiff") and self._kind == "edit":
                patch = files_in_patch(value)
                self.patched += patch.files
                self.possible += patch.also
            case dict() if plain == "changes" and self._kind == "edit":
                for path, change in value.items():
                    self.paths.append(path)
                    self.take(change if isinstance(change, dict) else {"?": change}, depth + 1)
            case [*edits] if plain in ("edits", "changes") and self._kind == "edit":
                if len(edits) > MOST_PATHS:
                    raise NotPlain("its input is nested too deeply or too large to check")
                for edit in edits:
                    self.take(edit if isinstance(edit, dict) else {"?": edit}, depth + 1)
            case _:
                return False
        return True

    def _check(self, name: str, plain: str, value: Any) -> None:
        """Refuse a field that does not name files but may mean more than we know."""
        match value:
            case str() if plain == "command" and self._kind in ("edit", "read") and value in _EDITOR_COMMANDS:
                return
            case str() if plain == "type" and self._kind == "edit" and value in _CHANGE_TYPES:
                return
            case str() if plain in _AMBIGUOUS and self._kind == "edit":
                self.possible += [value] if _may_be_path(value) else []
            case str() if plain in ("command", "cmd", "script", "argv", "args", "commands"):
                raise Disagree(f"{DISAGREE}: it runs a command, but its kind is {self._kind}")
            case _ if plain not in self._inert:
                raise NotPlain(f"its input has an unknown field: {name[:60]}")
            case str() | int() | float():
                self._searches(plain, [value])
            case list() | tuple() if plain not in ("pattern", "query", "regex"):
                self._searches(plain, list(value))
            case _:
                raise NotPlain(f"its input has an unknown field: {name[:60]}")

    def _searches(self, plain: str, values: list[Any]) -> None:
        if not all(isinstance(value, str | int | float) for value in values):
            raise NotPlain("its input has an unknown format")
        if self._kind not in ("read", "search"):
            return
        self.is_search |= plain in _SEARCHING and values != [False]
        is_harmless = all(isinstance(value, str) and is_harmless_glob(value) for value in values)
        if plain in _GLOBS and not is_harmless:
            raise NotPlain(
                "it searches by a pattern that may match secrets or files outside the chat's folder"
            )
        if plain == "pattern" and _leads_out(str(values[0])):
            raise NotPlain("it searches by a pattern that may match files outside the chat's folder")


def _may_be_path(text: str) -> bool:
    is_one_word = len(text.split()) == 1
    return (is_one_word or text.startswith(("/", "~", ".."))) and len(text.splitlines()) == 1


def _leads_out(pattern: str) -> bool:
    """Whether a pattern for names, rather than for text, could match outside the folder."""
    is_for_names = any(sign in pattern for sign in "*?[{")
    return "../" in pattern or (pattern.startswith(("/", "~")) and is_for_names)


def _same(paths: list[str], others: list[str], roots: list[str]) -> bool:
    """Whether two lists name the same files; some agents leave out the first slash, or the folder."""
    return {_whole(path, roots) for path in paths} == {_whole(path, roots) for path in others}


def _whole(path: str, roots: list[str]) -> str:
    if any(f"/{path}".startswith(f"{root}/") for root in roots):
        path = f"/{path}"
    return posixpath.normpath(posixpath.join(roots[0], path) if roots else path)


def _loose(paths: list[str], patched: list[str]) -> list[str]:
    """Files of a patch as they are to be checked: without the slash they are the ones already named."""
    return [path for path in patched if f"/{path}" not in paths]


def _located(call: Fields) -> list[str]:
    return [_path_of(place) for place in _items(call.get("locations"))]


def _path_of(item: Json) -> str:
    if "path" not in item:
        raise NotPlain("its content has an unknown format")
    return str(item["path"])


def _items(value: object) -> Iterator[Json]:
    """Locations and contents, if nothing about them is unknown."""
    for item in value if isinstance(value, list | tuple) else ():
        if not isinstance(item, dict) or not isinstance(item.get("path", ""), str):
            raise NotPlain("its content has an unknown format")
        known = _ITEMS.get(item.get("type", "location"))
        if known is None or not known.issuperset(item):
            raise NotPlain("its content has an unknown format")
        yield item


_ITEMS = {
    "location": frozenset({"path", "line"}),
    "diff": frozenset({"type", "path", "oldText", "newText"}),
    "content": frozenset({"type", "content"}),
    "terminal": frozenset({"type", "terminalId"}),
}
"""The fields of each kind of item."""


def _strings(value: str | list[Any]) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if not all(isinstance(one, str) for one in listed):
        raise NotPlain("its input has an unknown format")
    return listed
