"""Expressions that a native speaker would stumble over stay out of code, tests and documents.

Lives here: the expressions, and a search in every source and document. To add one: remove all its occurrences
(`pytest tests/test_words.py` lists them), then add a line with the plain words to use instead. A correct
use, such as a word in a table of what people type, gets an entry in ALLOWED.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

EVERYWHERE = {
    r"afresh": "again",
    r"all that comes of it": "everything it leads to",
    r"amiss": "wrong",
    r"anew": "again",
    r"at fault": "the cause",
    r"at hand": "available, in memory",
    r"befalls?": "happens to",
    r"beside": "next to, in addition to",
    r"bidden": "told, asked",
    r"c(?:ame|omes?) of (?:it|them|this|that)": "the result, what it leads to",
    r"clear(?:s|ed|ing)? up after": "clean up after",
    r"counts at once": "takes effect immediately",
    r"excepted": "except",
    r"for as long as (?:it|the block) lasts": "within the block",
    r"for ever": "forever",
    r"for (?:he|it|nobody|there|they|we) (?:are|can|has|have|is|may|must|was)": "because …",
    r"for lack of": "without, because there is no",
    r"for want of": "without, because there is no",
    r"from its first byte": "from scratch, the real program",
    r"from of old": "earlier",
    r"go on(?: with)?": "continue",
    r"goes on": "continues",
    r"gone on with": "continued",
    r"has said all": "has sent everything",
    r"henceforth": "from now on",
    r"in (?:its|the|their) midst": "in the middle",
    r"in so many words": "literally",
    r"in the same breath": "at the same time",
    r"in vain": "without success",
    r"is no answer": "does not answer it",
    r"(?:it|that|these|this|what|which) (?:are|is) no(?! longer| more)": "is not a …",
    r"l(?:ay|ies?) (?:below|beneath|in|on|outside|within)": "is in …",
    r"lest": "so that … not",
    r"makes? good": "fixes",
    r"mend(?:s|ed|ing)?": "fix",
    r"must needs": "must",
    r"of late": "recently",
    r"of no use": "useless",
    r"outside of": "outside",
    r"pass(?:es|ed|ing)? over": "skip",
    r"put to (?:a|the) (?:page|person)": "ask, show",
    r"sees? to it": "make sure",
    r"shall": "should, will",
    r"spoilt": "corrupt, damaged",
    r"taken for": "treated as",
    r"the (?:ground|house)": "the base, the program",
    r"thereby": "by this",
    r"thereof": "of it",
    r"through no link": "without following links",
    r"told of": "told about, given",
    r"turned down": "rejected",
    r"whence": "from where",
    r"wherein": "in which",
    r"while the block lasts": "within the block",
    r"whoever": "anyone who, the caller",
}
"""In code, tests and documents: a pattern and what to write instead."""

IN_DOCUMENTS = {
    r"a while": "some time",
    r"wished|wishes": "wants, asked for",
}
"""In the documents only: code has names with these words."""

IN_MESSAGES = {
    r"keepers?": "the agent's background process",
    r"workspaces?": "the chat's folder",
    r"callbacks?|ledgers?|outbox|frames?": "what it means for a person",
}
"""In what a person reads on the page, in an error or in the manual: words of the code."""

ALLOWED = {
    "src/voxpilot/assistant/demo_model.py": {"go on", "mend"},  # words that people use
}

BREAK = r"(?:[ \t]*\n[ \t]*(?:#|//|\*)?[ \t]*|[ \t]+)"
"""Between two words: blanks, or a new line that may be one of a comment."""
MANUAL = (
    *("README.md", "CHANGELOG.md", "SECURITY.md"),
    *(f"docs/{name}.md" for name in ("start", "everyday", "agents", "backup", "security")),
)
"""What people read who use the program."""
DOCUMENTS = ("*.md", "docs/**/*.md")
SERVER = ("src/voxpilot/**/*.py", "src/voxpilot/**/*.toml", "src/voxpilot/**/*.sql")
PAGE = ("frontend/src/**/*.ts", "frontend/src/**/*.tsx")
MESSAGES = ("agents", "chat", "cli", "keeper", "runtime", "settings", "storage", "web")
"""The packages of the server whose sentences a person reads; those of the others go to a language model."""
LABELS = "frontend/src/**/*.ts*"
TESTS = ("tests/**/*.py", "bench/**/*.py", "scripts/**/*.py", "frontend/gallery/*.ts*")
BUILD = (
    *("Makefile", "pyproject.toml", "hatch_build.py", ".pre-commit-config.yaml"),
    *(".ci/*", ".github/**/*.yml", "frontend/*.ts", "frontend/*.html"),
)


@pytest.mark.parametrize(
    ("patterns", "globs"),
    [
        (EVERYWHERE, (*SERVER, *PAGE, *TESTS, *BUILD, *DOCUMENTS)),
        (IN_DOCUMENTS, DOCUMENTS),
    ],
    ids=["everywhere", "documents"],
)
def test_old_expressions_are_gone(patterns: dict[str, str], globs: tuple[str, ...]) -> None:
    assert list(uses(patterns, globs)) == []


def test_messages_use_words_that_a_person_knows() -> None:
    found = [
        f"{name}: “{text}”: {instead}"
        for name, text in (*sentences(), *labels())
        for _, _, instead in matches(IN_MESSAGES, text)
    ]
    assert found == []


def test_the_manual_uses_words_that_a_person_knows() -> None:
    """Names in backticks and addresses of links are left out."""
    found = [
        f"{path.name}: “{words}”: {instead}"
        for path in files(MANUAL)
        for text in [
            re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        ]
        for _, words, instead in matches(IN_MESSAGES, text)
    ]
    assert found == []


def test_there_are_messages_to_search() -> None:
    assert ("src/voxpilot/errors.py", "The server is stopping.") in set(sentences())
    assert ("frontend/src/components/frame/labels.ts", "New chat") in set(labels())
    assert len(list(sentences())) > 500
    assert len(list(labels())) > 300


def test_there_is_something_to_search() -> None:
    assert len(list(files(DOCUMENTS))) > 15
    assert len(list(files(SERVER))) > 200
    assert len(list(files(PAGE))) > 100
    assert len(list(files(TESTS))) > 200
    assert [glob for glob in BUILD if not list(files((glob,)))] == []


def test_an_expression_is_found_over_the_end_of_a_line_and_not_inside_a_word() -> None:
    patterns = {"told of": "told about", "mend(?:s|ed)?": "fix"}
    found = list(matches(patterns, "is Told\n    # of it, recommends, mended"))
    assert found == [(3, "Told of", "told about"), (33, "mended", "fix")]


def sentences() -> Iterator[tuple[str, str]]:
    """What begins like a sentence in the server's code, without docstrings."""
    for path in files(("src/voxpilot/*.py", *(f"src/voxpilot/{name}/**/*.py" for name in MESSAGES))):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                text = " ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
                text = node.value
            else:
                continue
            if re.match("[A-Z][a-z]*[ .]", text):
                yield path.relative_to(ROOT).as_posix(), text


def labels() -> Iterator[tuple[str, str]]:
    """Strings of the page that begin like a sentence."""
    for path in files((LABELS,)):
        if "/api/" not in path.as_posix() and ".test." not in path.name:
            for text in re.findall(r'["`]([A-Z][^"`\n]*)["`]', path.read_text(encoding="utf-8")):
                yield path.relative_to(ROOT).as_posix(), text


def uses(patterns: Mapping[str, str], globs: tuple[str, ...]) -> Iterator[str]:
    for path in files(globs):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        for start, words, instead in matches(patterns, text):
            if words.lower() not in ALLOWED.get(name, ()):
                line = text.count("\n", 0, start) + 1
                yield f"{name}:{line}: “{words}”, write instead: {instead}"


def matches(patterns: Mapping[str, str], text: str) -> Iterator[tuple[int, str, str]]:
    """Where each expression is, as plain words, and what to write instead."""
    for match in compiled(tuple(patterns)).finditer(text):
        words = " ".join(re.sub(BREAK, " ", match.group()).split())
        yield (
            match.start(),
            words,
            next(patterns[each] for each in patterns if re.fullmatch(each, words, re.I)),
        )


@cache
def compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(each.replace(' ', BREAK) for each in patterns)})\b", re.IGNORECASE)


def files(globs: tuple[str, ...]) -> Iterator[Path]:
    for glob in globs:
        yield from sorted(
            path for path in ROOT.glob(glob) if "static" not in path.parts and path != Path(__file__)
        )
