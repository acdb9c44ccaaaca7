"""Every known program with words that its table does not describe: none of them runs without a person."""

from __future__ import annotations

import os
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.oracles.unasked import prepare
from voxpilot.chat.permissions import program_tables, runner_tables
from voxpilot.chat.permissions.decide import Boundaries, decide
from voxpilot.chat.permissions.options import Options

pytest.importorskip("tree_sitter", reason="make install puts it there")

OPTIONS = ({"id": "o", "label": "Allow", "kind": "allow_once"},)
ELSEWHERE = [
    "_/../../x",
    "../x",
    "/etc/passwd",
    "out/secret",
    "leak",
    ".env",
    "sub/.env",
    ".git/config",
    "'~'",
]
EXPANDED = ["'*'", "'a*'", "'?.py'", "'[a].py'", "'{a,b}'", "':^a'", "':(top)a'", "':/'", "'a b'", "'$x'"]
INSTRUCTING = ["CLAUDE.md", "sub/AGENTS.md", ".github/x", "hook", "-"]
ATTACHED = ["_/../../x", "CLAUDE.md", "/etc/x", "=../x", "=CLAUDE.md", "./x"]


@pytest.fixture
def ground(tmp_path: Path) -> Boundaries:
    root, outside = tmp_path / "app", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    prepare(root, outside)
    return Boundaries(roots=(str(root),), home=str(outside), follow=os.path.realpath)


def programs() -> Iterator[tuple[str, Options, bool, bool]]:
    """Each program with its options, whether its operands are files, and whether it changes them."""
    for name, tool in program_tables.FILE_TOOLS.items():
        yield name, tool.options, not (tool.text_only or tool.text_first), tool.changes
    for name, tool in program_tables.GIT.items():
        yield f"git {name}", tool.options, True, tool.changes
    for name, rules in {**runner_tables.RUNNERS, **_modules()}.items():
        for first, options in _subcommands(name, rules):
            yield first, options, True, True


def _subcommands(name: str, rules: runner_tables.Rules) -> Iterator[tuple[str, Options]]:
    if isinstance(rules, Options):
        yield name, rules
        return
    for first, inner in rules.items():
        yield from _subcommands(f"{name} {first}", inner)


def _modules() -> dict[str, Options]:
    return {f"python -m {name}": options for name, options in runner_tables.MODULES.items()}


def foreign_words(options: Options, chance: random.Random) -> Iterator[str]:
    """Options that the table does not describe, and values where it describes none."""
    for letter in string.ascii_letters:
        yield f"-{letter}"
        yield f"-{letter}{chance.choice(ATTACHED)}"
        yield f"-{letter}{chance.choice(string.ascii_letters)}{chance.choice(ATTACHED)}"
    for option in sorted(options.flags | options.files | options.texts | options.equals):
        if option.startswith("--") and "=" not in option:
            yield f"{option}=../x"
            yield option[:-1]  # programs accept the beginning of a long option
            yield f"{option}s=x"
    for _ in range(10):
        yield "--" + "".join(chance.choices(string.ascii_lowercase, k=chance.randint(6, 12)))
    yield from ("--output=x", "--config=x", "--exec=x", "--pdb", "--init", "--eval", "--directory=..", "-@x")


def is_described(options: Options, word: str) -> bool:
    """Read again from the table, without the code that reads words for the server."""
    option, equals, _ = word.partition("=")
    if word in options.flags or word in options.texts | options.files:
        return True
    if equals and len(option) > 2 and option in options.texts | options.equals:
        return True
    if options.forms and re.fullmatch(options.forms, word):
        return True
    for letter in "" if word.startswith("--") else word[1:]:
        if f"-{letter}" in options.texts and options.has_attached:
            return True
        if letter not in options.letters:
            return False
    return not word.startswith("--")


def test_no_program_runs_with_words_that_are_not_described(ground: Boundaries) -> None:
    """A3: whatever else is in the command, and wherever the word is."""
    chance = random.Random(7)
    lines = []
    for name, options, has_files, is_changing in programs():
        is_expanding = name.startswith("git") or (is_changing and name not in program_tables.FILE_TOOLS)
        wrong = [word for word in foreign_words(options, chance) if not is_described(options, word)]
        wrong = chance.sample(wrong, 20)
        wrong += [*(ELSEWHERE if has_files else ()), *(EXPANDED if is_expanding else ())]
        wrong += INSTRUCTING if is_changing and name not in program_tables.FILE_TOOLS else []
        plain = sorted(flag for flag in options.flags if flag.startswith("-"))
        for word in wrong:
            around = chance.sample(plain, min(len(plain), chance.randint(0, 2)))
            place = chance.randint(0, len(around))
            lines.append(" ".join([name, *around[:place], word, *around[place:]]))
    assert len(lines) > 5_000
    approved = [line for line in lines if _is_approved(line, ground)]
    assert approved == []


def test_what_is_described_runs(ground: Boundaries) -> None:
    """A3: otherwise the other test would pass by asking about everything."""
    asked = []
    for name, options, _, _ in programs():
        for flag in sorted(options.flags)[:3]:
            if not _is_approved(f"{name} {flag}", ground):
                asked.append(name)
    # The folder holds secrets that these would print, and without a new branch files would be replaced.
    assert set(asked) == {"rg", "git switch", *runner_tables.PRINTING}


def _is_approved(line: str, ground: Boundaries) -> bool:
    call = {"tool_kind": "execute", "title": "Run", "input": {"command": line}}
    return decide("auto", call, OPTIONS, ground).option is not None
