"""Programs that execute code of the folder: tests, builds, linters, interpreters, its own scripts.

Lives here: what their arguments may be. The folder's own code runs anyway; an argument must not add other
code, from the command itself, from its input or from elsewhere. Lives elsewhere: the tables
(runner_tables.py), all other programs (programs.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from voxpilot.chat.permissions import runner_tables as tables
from voxpilot.chat.permissions.control_files import words_in
from voxpilot.chat.permissions.options import Options, Parsed, Sweep, parsed
from voxpilot.chat.permissions.shell import NotPlain


@dataclass(slots=True)
class Doing:
    """What a call or a command does to files."""

    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    removes: list[str] = field(default_factory=list)
    """Removed with everything below; these also count as written."""
    is_change: bool = False
    """Whether it may change anything at all."""
    is_edit: bool = False
    """Whether its purpose is to change files."""
    sweeps: list[Sweep] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [*self.reads, *self.writes, *self.removes]


@dataclass(slots=True)
class Deed(Doing):
    """What one command does."""

    enters: str | None = None
    """The folder it changes to."""


_ASKS_ITSELF = (["--version"], ["--help"])
_TEXT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ .,:+=-]*")
"""The value of an option that is not a file."""
_ARGUMENT = re.compile(
    r"--|--[A-Za-z][A-Za-z0-9_-]*(=(?P<value>[A-Za-z0-9_.][A-Za-z0-9_./-]*))?|-[A-Za-z][0-9]{0,6}|-[A-Za-z]{2,3}"
    r"|(?P<word>[A-Za-z0-9_./][A-Za-z0-9_./-]*)"
)
"""An argument of a program of the folder."""


def run_known(name: str, rules: tables.Rules, words: list[str]) -> Deed:
    if words in _ASKS_ITSELF:
        return Deed()
    while not isinstance(rules, Options):
        if not words or words[0] not in rules:
            raise NotPlain(f"this use of {name} is not recognised")
        name, rules, words = f"{name} {words[0]}", rules[words[0]], words[1:]
    given = parsed(name, rules, words)
    _check_targets(name, given)
    deed = _running(given)
    if name in tables.PRINTING and not given.has(*tables.PRINTING[name]):
        deed.sweeps += [Sweep(word, "git") for word in given.operands or ["."]]
    return deed


def _check_targets(name: str, given: Parsed) -> None:
    """What a program is told to run, by the name that the folder gives it."""
    if (naming := tables.TARGETS.get(name)) is not None:
        for target in (*given.operands, *given.values(*naming)):
            _check_argument(target)


def _running(given: Parsed) -> Deed:
    """Every operand may be a file, and may be written."""
    texts = [value for _, value in given.options if value and value not in given.files]
    for text in texts:
        if not _TEXT.fullmatch(text):
            raise NotPlain("an argument may be code or a command")
    files = [part for word in given.operands for part in re.split(":+", word)[:1]]
    for word in (*given.operands, *texts):
        if word in tables.ACTIONS:
            raise NotPlain(f"{word} acts on something outside the chat's folder")
    for file in (*files, *given.files):
        check_file(file)
    deed = Deed(writes=[*files, *given.files], is_change=True)
    if given.after is not None:
        deed.writes += _running(given.after).writes
    return deed


def run_own(words: Sequence[str]) -> Deed:
    """Code from the folder runs with these arguments, and may write each of them that may be a file."""
    files = []
    for word in words:
        match = _ARGUMENT.fullmatch(word)
        if match is None:
            raise NotPlain("an argument contains special characters")
        _check_argument(word)
        files += [file for file in match.groupdict().values() if file]
    for file in files:
        check_file(file)
    return Deed(writes=files, is_change=True)


def check_file(file: str) -> None:
    """A program that reads code from a file must not be made to read it from its input."""
    if not re.fullmatch(tables.PATHS, file) or file.startswith(("/dev", "/proc", "//")):
        raise NotPlain("it may run code that it reads from its input")


def interpret(language: tables.Interpreter, words: list[str]) -> Deed:
    """`python script.py` and the like; modules after `-m` are the caller's business."""
    if words in (["--version"], ["-V"], ["-v"]):
        return Deed()
    is_test = "--test" in words[:1]
    while words and words[0] in language.flags:
        words = words[1:]
    if is_test and not words:
        return Deed(is_change=True)
    if not words or not re.fullmatch(language.script, words[0]):
        raise NotPlain("it runs code that is not a script in the chat's folder")
    name = words[0].rpartition("/")[2].casefold()
    if (rules := tables.RUNNERS.get(name)) is not None:
        deed = run_known(name, rules, words[1:])
    else:
        check_script(words[0])
        deed = run_own(words[1:])
    deed.reads.append(words[0])
    return deed


def _check_argument(word: str) -> None:
    """An argument of a script, or the name of a target."""
    if word.lstrip("-").casefold() in tables.CONSOLES:
        raise NotPlain(f"{word[:40]} may run code that it reads from its input, or act on something outside")
    _check_action(word)


def _check_action(name: str) -> None:
    """A target, a script or an argument of one must not be named like something that acts elsewhere."""
    parts = name.split("/")
    # Far up, the folders of an absolute path are those in which the chat's folder lies.
    parts = parts[-2:] if name.startswith("/") else parts
    if any(map(_is_action, parts)) or not words_in(parts[-1]).isdisjoint(tables.OUTSIDE_PROGRAMS):
        raise NotPlain(f"{name[:40]} may act on something outside the chat's folder")


def _is_action(name: str) -> bool:
    folded = name.casefold()
    has_part = any(part in folded for part in tables.ACTION_PARTS)
    return has_part or not words_in(name).isdisjoint(tables.ACTION_WORDS)


def check_script(path: str) -> None:
    """A program or script of the folder, which is neither a known nor a third-party one."""
    check_file(path)
    *folders, name = path.split("/")
    if any(map(_is_foreign, folders)) or name.casefold().endswith(tables.PACKED):
        raise NotPlain("it runs a third-party program that is not known to be harmless")
    is_installed = "".join(folders[-1:]).casefold() in ("bin", "sbin") and folders[:-1] not in ([], ["."])
    if is_installed and "." not in name:  # such as those of a virtual environment of any name
        raise NotPlain("it runs a third-party program that is not known to be harmless")
    _check_action(path)


def _is_foreign(folder: str) -> bool:
    """Whether a folder holds third-party programs: one of those must be known by its name."""
    folded = folder.casefold()
    is_hidden = folded.startswith(".") and folded not in (".", "..")
    return is_hidden or folded in tables.FOREIGN or folded.startswith("venv") or folded.endswith("env")
