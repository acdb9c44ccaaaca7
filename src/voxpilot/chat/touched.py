"""What a tool call would touch, as far as it can be read from what an agent sends with it.

Lives here: finding paths in locations, diffs, input and commands. It errs on
the side of finding too many: a word that may be a path is one. Lives elsewhere:
which paths matter (permissions.py, control_files.py).
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from voxpilot.chat.events import Json

LOOKED_AT = 200_000
"""Characters of input that are looked through; what has more cannot be judged."""
DEEPEST = 20

_TEXT = re.compile(
    r"(?:old|new|file|unified|insert(?:ed)?|replacement)?_?(?:contents?|text|string|str|patch|diff|body)"
    r"|(?:old|new)_?(?:source|lines?|code)|prompt|description|reason|explanation|message|query|title",
    re.IGNORECASE,
)
"""Names of fields that hold what is written into files, or words for people."""
_CHANGE = re.compile(r"old|new|before|after|find|search|replace|replacement|original|updated", re.IGNORECASE)
"""Such names too, but only beside the name of the file: alone they may be what is moved, and where to."""
_FILE = re.compile(
    r"(?:absolute|abs|relative|target)?_?file_?(?:path|name|uri)?|(?P<any>path|uri)", re.IGNORECASE
)
"""Names of fields that name the file of a change."""
_HAS_ENDING = re.compile(r"[^/.][^/]*\.[^/.]+$")
"""By which a file is told from the folder in which something is moved."""
_PATH_IN_PATCH = re.compile(
    r"^(?:---|\+\+\+|\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|(?:rename|copy) (?:from|to))[ \t]+"
    r"(?P<path>[^\t\n]+)|^diff --git (?P<both>.+)$",
    re.MULTILINE,
)
_BETWEEN_WORDS = re.compile(r"[\s'\"`;|&<>(){}=,]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_EMBEDDED = re.compile(r"^-+[A-Za-z]*(?=[/~.])|^[^/\\~]*:(?=[/~])|^@")
"""What may stand before a path in one word: `-I/usr`, `host:/path`, `@file`."""
_HIDDEN_BY_PATTERN = re.compile(r"(?:^|/)\.[^/]*[*?\[{]")
"""A pattern that begins with a dot may stand for any hidden file."""
_BY_VARIABLE = re.compile(r"\$.*/|/.*\$")
_SHELL = re.compile(r"\s*(?:/usr(?:/local)?)?/bin/(?:ba|da|fi|k|z)?sh(?=\s+-)")
"""At the head of a command: some agents give the whole path of the shell that they run it with."""
_ACTS_ELSEWHERE = re.compile(
    r"(?:^|[\s;&|(`])(?:sudo|su|doas|crontab|chsh|launchctl|git(?:\s+-\S+(?:\s+[^\s-]\S*)?)*\s+config)(?=$|[\s;&|)`])"
)
"""Programs that change control files, or what is outside, without naming it."""


@dataclass(frozen=True, slots=True)
class Touched:
    paths: frozenset[str]
    """As they were written: relative, absolute, or beginning with `~`."""
    unclear: str = ""
    """Why the paths cannot be all there is to it."""


def touched_by(call: Json) -> Touched:
    """Everything that looks like a path in one or more tellings of a tool call."""
    found = _Search()
    found.places(call.get("locations"))
    found.places(call.get("content"))
    found.value(call.get("input"), "", 0)
    return Touched(frozenset(found.paths), found.unclear)


class _Search:
    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.unclear = ""
        self._left = LOOKED_AT

    def places(self, items: Any) -> None:
        """Locations, or the content of a call: diffs name their file."""
        for item in items if isinstance(items, list | tuple) else ():
            if isinstance(item, dict) and isinstance(item.get("path"), str):
                self._path(item["path"])

    def value(self, value: Any, name: str, depth: int, of_file: bool = False) -> None:
        """What is found under a name; `of_file` tells that the file it belongs to is named."""
        if depth > DEEPEST:
            self.unclear = "it is nested too deeply to be looked through"
        elif isinstance(value, str):
            self._string(value, name, of_file)
        elif isinstance(value, dict):
            of_file = of_file or _names_file(value)
            for key, inner in value.items():
                is_path = "/" in key or "." in key
                if is_path:
                    self._path(key)  # some agents send changes as a table from path to change
                self.value(inner, key, depth + 1, of_file or is_path)
        elif isinstance(value, list | tuple):
            words = " ".join(value) if all(isinstance(word, str) for word in value) else ""
            if words:
                self._string(words, name, of_file)  # the words of a command, or nothing worse
            for inner in value[1:] if _SHELL.match(words) else value:
                self.value(inner, name, depth + 1, of_file)

    def _string(self, text: str, name: str, of_file: bool) -> None:
        self._left -= len(text)
        if self._left < 0:
            self.unclear = "it is too large to be looked through"
            return
        for match in _PATH_IN_PATCH.finditer(text):
            for path in shlex_or_words(match["both"] or "") or [match["path"]]:
                self._path(re.sub(r"^[ab]/", "", path.strip()))
        if _TEXT.fullmatch(name) or (of_file and _CHANGE.fullmatch(name)):
            return
        if not re.search(r"\s", text) or re.search(r"path|file|dir|folder|cwd|uri", name, re.IGNORECASE):
            self._path(text)
        self._command(text)

    def _command(self, text: str) -> None:
        if _ACTS_ELSEWHERE.search(text):
            self.unclear = "it may change settings or act outside the folder"
        text = _SHELL.sub("", text, count=1) if _SHELL.match(text) else text
        for word in {*shlex_or_words(text), *_BETWEEN_WORDS.split(text)}:
            self._path(word)
            if re.search(r"\s", word):
                for inner in _BETWEEN_WORDS.split(word):
                    self._path(inner)

    def _path(self, word: str) -> None:
        if not word or "\n" in word or len(word) > 4096:
            return
        if _SCHEME.match(word):
            if word.casefold().startswith("file:"):
                self.paths.add(unquote(_path_of(word)))
            return
        if _HIDDEN_BY_PATTERN.search(word):
            self.unclear = "it names hidden files by a pattern"
        plain = re.sub(r"\$(?:HOME\b|\{HOME\})", "~", word)
        if _BY_VARIABLE.search(plain):
            self.unclear = "it names files by a variable"
        self.paths.add(plain)
        if (embedded := _EMBEDDED.sub("", plain)) != plain:
            self.paths.add(embedded)


def _names_file(fields: Json) -> bool:
    named = [(_FILE.fullmatch(name), value) for name, value in fields.items() if isinstance(value, str)]
    return any(name and value and (not name["any"] or _HAS_ENDING.search(value)) for name, value in named)


def shlex_or_words(text: str) -> list[str]:
    """The words of a command as a shell would part them; as they stand where it could not."""
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        return list(lexer)
    except ValueError:
        return text.split()


def _path_of(address: str) -> str:
    try:
        return urlsplit(address).path
    except ValueError:
        return "/"
