"""The fields at the top of a Markdown file, between two lines of three dashes.

Lives here: the small part of YAML that people write there: words, lists, `true`, and text over several lines.
Anchors, tags and nested values mean nothing and are kept as text, so no file can make much out of little.
Lives elsewhere: what the fields mean (skills.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from voxpilot.values import dataclass

MOST_CHARACTERS = 8_000
MOST_LINES = 100
_LONGEST_VALUE = 1_000
_MOST_ITEMS = 50
_FIELD = re.compile(r"([A-Za-z][\w-]{0,60})\s*:(?:\s+(.*))?$")
_FENCE = "---"
_OVER_LINES = re.compile(r"[|>][+-]?\d?$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    fields: dict[str, tuple[str, ...]]
    """By name in small letters, with underscores; a single value is a list of one."""
    body: str
    """The text after it; all of it if there is none."""
    problem: str = ""

    def word(self, name: str) -> str:
        return " ".join(self.fields.get(name, ())).strip()

    def is_on(self, name: str) -> bool:
        return self.word(name).lower() in ("true", "yes", "on", "1")


def split(text: str) -> FrontMatter:
    """The fields and the rest of the text; a problem in words if they cannot be read."""
    text = text.removeprefix("\ufeff")
    head, _, rest = text[: MOST_CHARACTERS + 1].partition("\n")
    if head.rstrip() != _FENCE:
        return FrontMatter({}, text)
    lines: list[str] = []
    for line in rest.split("\n"):
        if line.rstrip() in (_FENCE, "..."):
            start = len(head) + 1 + sum(len(one) + 1 for one in (*lines, line))
            return FrontMatter(dict(_fields(lines)), text[start:])
        lines.append(line)
        if len(lines) > MOST_LINES:
            break
    limit = f"{MOST_LINES} lines or {MOST_CHARACTERS // 1000} kB"
    return FrontMatter({}, text, f"Its front matter has no end within {limit}.")


def _fields(lines: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    place = 0
    while place < len(lines):
        found = _FIELD.match(lines[place].rstrip())
        place += 1
        if found is None:
            continue
        end = place
        while end < len(lines) and (lines[end][:1] in (" ", "\t", "-") or not lines[end].strip()):
            end += 1
        name = found[1].lower().replace("-", "_")
        yield (
            _snake(found[1]) if name == found[1].lower() else name,
            _values(found[2] or "", lines[place:end]),
        )
        place = end


def _snake(name: str) -> str:
    """`alwaysActive` as `always_active`."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def _values(first: str, below: list[str]) -> tuple[str, ...]:
    first = first.strip()
    inner = [line.strip() for line in below if line.strip()]
    if first.startswith("[") and (first.endswith("]") or inner):
        listed = " ".join([first, *inner]).strip("[] ")
        return tuple(_plain(one) for one in listed.split(",")[:_MOST_ITEMS] if one.strip())
    if not first and inner and inner[0].startswith("- "):
        return tuple(_plain(line[2:]) for line in inner[:_MOST_ITEMS] if line.startswith("- "))
    words = inner if not first or _OVER_LINES.match(first) else [first, *inner]
    return (_plain(" ".join(words)),) if words else ()


def _plain(value: str) -> str:
    """A value without its quotation marks, or a comment after it."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    else:
        value = value.partition(" #")[0].rstrip()
    return value[:_LONGEST_VALUE]
