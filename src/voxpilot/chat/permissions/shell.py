"""The part of the shell language that can be parsed without doubt.

Lives here: reading a command line made of plain words, `&&`, `||`, `;`, `|` and
redirections to files. Everything else (expansions, patterns, backslashes, here-documents,
assignments, comments, line breaks, background jobs, …) is not understood. Two readers must
agree: our own, which takes time linear in the length of the text, and tree-sitter's grammar
of bash. Lives elsewhere: which commands are harmless (programs.py).
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import field
from functools import cache
from typing import Any

from voxpilot.values import dataclass

LONGEST = 8_000
"""The longest command line, in characters, that is parsed."""
MOST_COMMANDS = 50
MOST_WORDS = 300
"""In one command line, redirections included."""

UNQUOTED = frozenset(string.ascii_letters + string.digits + "_-./,:@%+=~")
_NOT_FIRST = frozenset("=%~")
"""Some shells expand these at the start of a word, and `~` also after `=` and `:`."""
_IN_SINGLE = frozenset(map(chr, range(32, 127))) - frozenset("'\\")
_IN_DOUBLE = frozenset(map(chr, range(32, 127))) - frozenset('"\\$`!')
_JOINTS = ("&&", "||", ";", "|")


class NotPlain(Exception):
    """The command uses more than the part of the language that is understood."""


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    is_bare: bool = True
    """Written without quotes."""


@dataclass(frozen=True, slots=True)
class Redirection:
    operator: str
    target: str


@dataclass(slots=True)
class Simple:
    """One program with its arguments, and what joins it to the one before."""

    joint: str = ""
    words: list[Word] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)


def read(text: str) -> list[Simple]:
    """The commands of a line in order; NotPlain if there is any doubt how a shell reads it."""
    if len(text) > LONGEST:
        raise NotPlain("the command is too long to check")
    commands = _Reader(text).commands()
    if _shape(commands) != _shape_of_tree(text):
        raise NotPlain("the command could be read in more than one way")
    return commands


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def commands(self) -> list[Simple]:
        commands = [Simple()]
        parts = 0
        while self._skip_spaces():
            parts += 1
            if len(commands) > MOST_COMMANDS or parts > MOST_WORDS:
                raise NotPlain("the command has too many parts to check")
            joint = next((j for j in _JOINTS if self._text.startswith(j, self._at)), None)
            if joint is None:
                self._part_of(commands[-1])
                continue
            self._at += len(joint)
            if not commands[-1].words:
                raise NotPlain("the command has an unusual format")
            commands.append(Simple(joint))
        if not commands[-1].words and commands[-1].joint == ";":
            commands.pop()  # a line may end in one
        if not commands or not commands[-1].words:
            raise NotPlain("the command has an unusual format")
        return commands

    def _skip_spaces(self) -> bool:
        while self._next() == " ":
            self._at += 1
        return self._at < len(self._text)

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _part_of(self, command: Simple) -> None:
        start = self._at
        if self._next() in "012" and self._text[start + 1 : start + 2] in ("<", ">"):
            self._at += 1
        if self._next() in ("<", ">"):
            if not command.words:
                raise NotPlain("the command has an unusual format")
            command.redirections.append(self._redirection(self._text[start : self._at]))
            return
        command.words.append(self._word())

    def _redirection(self, descriptor: str) -> Redirection:
        for operator in (">>", ">&", ">", "<"):
            if self._text.startswith(operator, self._at):
                self._at += len(operator)
                break
        if operator != ">&":
            self._skip_spaces()
        word = self._word()
        if not word.text or (operator == ">&" and word.text not in ("1", "2")):
            raise NotPlain("the command uses an unusual redirection")
        return Redirection(descriptor + operator, word.text)

    def _word(self) -> Word:
        start = self._at
        while self._next() in UNQUOTED and self._next():
            self._at += 1
        bare = self._text[start : self._at]
        if bare[:1] in _NOT_FIRST or "=~" in bare or ":~" in bare:
            raise NotPlain("the command uses special shell characters")
        if self._next() not in ("'", '"') or not self._next():
            self._end_word(bool(bare))
            return Word(bare)
        if bare and not bare.endswith("="):
            raise NotPlain("the command mixes quoted and unquoted text in one word")
        quoted = self._quoted()
        self._end_word(True)
        return Word(bare + quoted, is_bare=False)

    def _quoted(self) -> str:
        quote = self._next()
        allowed = _IN_SINGLE if quote == "'" else _IN_DOUBLE
        end = self._text.find(quote, self._at + 1)
        inner = self._text[self._at + 1 : end]
        if end < 0 or not allowed.issuperset(inner):
            raise NotPlain("the command uses special shell characters")
        self._at = end + 1
        return inner

    def _end_word(self, is_there: bool) -> None:
        if not is_there or self._next() not in (" ", "", ";", "|", "&", "<", ">"):
            raise NotPlain("the command uses special shell characters")
        if self._next() in ("<", ">") and self._text[self._at - 1].isdigit():
            raise NotPlain("the command uses an unusual redirection")


Shape = list[tuple[str, tuple[str, ...]]]


def _shape(commands: list[Simple]) -> Shape:
    """What both parsers must agree on: operators, words and redirections, in order."""
    found: Shape = []
    for command in commands:
        if command.joint:
            found.append((command.joint, ()))
        found.append(("words", tuple(word.text for word in command.words)))
        found += [(to.operator, (to.target,)) for to in command.redirections]
    return found


# The second reader

_PARTS = frozenset({"program", "list", "pipeline", "redirected_statement"})


def _shape_of_tree(text: str) -> Shape:
    parser = _parser()
    if parser is None:
        raise NotPlain("tree-sitter is not installed, so commands cannot be checked (run make install)")
    root = parser.parse(text.encode()).root_node
    if root.has_error:
        raise NotPlain("the command is not valid shell syntax")
    found = list(_walk(root))
    if found and found[-1] == (";", ()):
        found.pop()
    return found


def _walk(node: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    if node.type in _PARTS:
        for child in node.children:
            yield from _walk(child)
    elif node.type == "command":
        words = [child for child in node.children if child.type != "file_redirect"]
        yield "words", tuple(_text_of(child) for child in words)
        for child in node.children:
            if child.type == "file_redirect":
                yield from _walk(child)
    elif node.type == "file_redirect":
        *operator, target = node.children
        yield "".join(part.text.decode() for part in operator), (_text_of(target),)
    elif node.type in _JOINTS:
        yield node.type, ()
    else:
        raise NotPlain("the command uses shell features beyond plain commands")


def _text_of(node: Any) -> str:
    text: str = node.text.decode()
    match node.type:
        case "command_name":
            return _text_of(node.children[0])
        case "word" | "number" | "file_descriptor" if not node.named_children:
            return text
        case "raw_string":
            return text[1:-1]
        case "string" if all(child.type in ('"', "string_content") for child in node.children):
            return text[1:-1]
        case "concatenation":
            return "".join(map(_text_of, node.children))
    raise NotPlain("the command uses shell features beyond plain words")


@cache
def _parser() -> Any:
    """Imported at the first command: it is not needed to start the server."""
    try:
        import tree_sitter
        import tree_sitter_bash
    except ImportError:
        return None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
