"""What of the skills goes into a prompt: a list of all, and some in full.

Lives here: the text, and what does not fit. It is the same as long as the files are. Lives elsewhere: reading
them (skills.py), sending it (agents/requests/assembling.py, assistant/instructions.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from voxpilot.values import dataclass
from voxpilot.workspace.skills import Skill, SkillsFolder

INDEX_BYTES = 16_000
FULL_BYTES = 48_000
"""The most bytes of the index, and of all skills that are sent in full."""
FULL = f"Skills in full are limited to {FULL_BYTES // 1000} kB together."
_MORE = "There are more skills in the folder than are listed here."
LeftOut = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Index:
    text: str = ""
    count: int = 0
    left_out: tuple[LeftOut, ...] = ()

    @property
    def bytes(self) -> int:
        return len(self.text.encode())


def index_of(folders: Iterable[SkillsFolder], most_bytes: int = INDEX_BYTES) -> Index:
    """The list of all skills that can be used, folder by folder; empty if there are none."""
    parts: list[str] = []
    left_out: list[LeftOut] = []
    count = 0
    room = most_bytes - len(_MORE) - 1
    for folder in folders:
        usable = [skill for skill in folder.skills if skill.problem is None]
        if not usable:
            continue
        heading = f"Skills in {folder.path}:"
        lines, room = _lines(usable, room - len(heading.encode()) - 1)
        parts += [heading, *lines] if lines else []
        count += len(lines)
        if len(lines) < len(usable):
            why = f"The index is limited to {most_bytes // 1000} kB."
            left_out.append((f"{len(usable) - len(lines):,} skills of {folder.path}", why))
    if left_out and parts:
        parts.append(_MORE)
    return Index("\n".join(parts), count, tuple(left_out))


def _lines(skills: Sequence[Skill], room: int) -> tuple[list[str], int]:
    lines: list[str] = []
    for skill in skills:
        file = skill.id.partition("/")[2]
        about = f": {skill.description}" if skill.description and skill.description != skill.name else ""
        line = f"- {skill.name} ({file}){about}"
        size = len(line.encode()) + 1
        if size > room:
            break
        lines.append(line)
        room -= size
    return lines, room


def in_full(
    wanted: Sequence[Skill], texts: Sequence[str], most_bytes: int = FULL_BYTES
) -> tuple[list[tuple[Skill, str]], list[LeftOut]]:
    """Those that fit, with their texts, and the others."""
    kept: list[tuple[Skill, str]] = []
    left_out: list[LeftOut] = []
    room = most_bytes
    for skill, text in zip(wanted, texts, strict=True):
        size = len(text.encode())
        if size > room:
            left_out.append((skill.name, FULL))
        else:
            kept.append((skill, text))
            room -= size
    return kept, left_out
