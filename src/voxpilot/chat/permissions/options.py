"""The words after a program's name, read as the program itself reads them.

Lives here: the description of what may follow a name, and reading words by it. An option that is not
described, a value where none is described, and any other spelling are not understood. Lives elsewhere: the
descriptions (program_tables.py, runner_tables.py), what the words mean for files (programs.py, runners.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Literal

from voxpilot.chat.permissions.shell import NotPlain
from voxpilot.chat.permissions.trees import Skipped
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything that may follow a program's name."""

    letters: str = ""
    """Short options without a value; they can be combined in one word."""
    has_attached: bool = False
    """A letter's value may be attached to it, also at the end of combined letters."""
    has_numbers: bool = False
    """`-5` is an option."""
    flags: frozenset[str] = frozenset()
    """Whole words: options without a value, or with one that is written out."""
    texts: frozenset[str] = frozenset()
    """Options that need a value, which is neither a file nor code: `-n 5`, `--lines 5`, `--lines=5`."""
    equals: frozenset[str] = frozenset()
    """The same, but the value can only follow `=`."""
    files: frozenset[str] = frozenset()
    """Options that need a value, which is a file: `-o x`, `--output x`, `--output=x`; never `-ox`."""
    forms: str = ""
    """A regular expression for other options; its group `file` is a file."""
    operands: str = ""
    """A regular expression that each operand must match; empty if there can be none."""
    most: int | None = None
    """The maximum number of operands."""
    after: Options | None = None
    """What may follow `--`; without it, there must be no `--`."""
    has_end: bool = False
    """Everything after `--` is an operand."""


@dataclass(slots=True)
class Parsed:
    operands: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """Values of options."""
    options: list[tuple[str, str]] = field(default_factory=list)
    """Every option with its value; combined letters separately."""
    after: Parsed | None = None

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.options if name in names]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A folder that is used as a whole."""

    path: str
    skipped: Skipped = "nothing"
    use: Literal["read", "work", "git", "stage"] = "read"
    """Whether everything in it is read except for what is skipped, a command runs in it, git uses its
    repository, or git reads everything in that repository."""


def parsed(name: str, options: Options, words: Sequence[str]) -> Parsed:
    """NotPlain unless every word is described."""
    found = Parsed()
    rest = iter(words)
    for word in rest:
        if word == "--" and (options.has_end or options.after is not None):
            _end(name, options, list(rest), found)
        elif word in options.flags:
            found.options.append((word, ""))
        elif word.startswith("-") and word != "-":
            _option(name, options, word, rest, found)
        else:
            _operand(name, options, word, found)
    if options.most is not None and len(found.operands) > options.most:
        raise NotPlain(f"this use of {name} is not recognised")
    return found


def _end(name: str, options: Options, rest: list[str], found: Parsed) -> None:
    if options.after is not None:
        found.after = parsed(name, options.after, rest)
        return
    for word in rest:
        _operand(name, options, word, found)


def _operand(name: str, options: Options, word: str, found: Parsed) -> None:
    if not options.operands or not re.fullmatch(options.operands, word):
        raise NotPlain(f"{word[:40]} is not a plain argument for {name}")
    found.operands.append(word)


def _option(name: str, options: Options, word: str, rest: Iterator[str], found: Parsed) -> None:
    option, equals, value = word.partition("=")
    if equals and len(option) > 2 and option in options.texts | options.equals | options.files:
        _take(name, options, option, value, found)
    elif word in options.texts or word in options.files:
        _take(name, options, word, next(rest, ""), found)
    elif options.forms and (match := re.fullmatch(options.forms, word)):
        file = match.groupdict().get("file")
        found.files += [file] if file else []
        found.options.append((word, ""))
    elif options.has_numbers and word[1:].isdigit():
        found.options.append((word, ""))
    elif word.startswith("--"):
        raise NotPlain(f"the option {option[:40]} of {name} is not recognised")
    else:
        _letters(name, options, word[1:], rest, found)


def _letters(name: str, options: Options, letters: str, rest: Iterator[str], found: Parsed) -> None:
    for place, letter in enumerate(letters):
        option = f"-{letter}"
        if option in options.texts and options.has_attached:
            _take(name, options, option, letters[place + 1 :] or next(rest, ""), found)
            return
        if letter not in options.letters:
            raise NotPlain(f"the option {option} of {name} is not recognised")
        found.options.append((option, ""))


def _take(name: str, options: Options, option: str, value: str, found: Parsed) -> None:
    # Some programs take any word that begins with `@` as a list of options.
    if not value or value.startswith(("-", "@")):
        raise NotPlain(f"the option {option[:40]} of {name} has an unusual value")
    found.options.append((option, value))
    if option in options.files:
        found.files.append(value)
