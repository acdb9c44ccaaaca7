"""Skills: Markdown files that tell an agent how some kind of work is done.

Lives here: finding them in a folder and reading them, within limits and never through a link out of the
folder. Nothing in it is run. Lives elsewhere: their front matter (front_matter.py), what of them is sent
(skill_index.py), when (runtime/context/).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from voxpilot.errors import NotFound, VoxPilotError
from voxpilot.values import dataclass
from voxpilot.workspace import front_matter
from voxpilot.workspace.beneath import open_beneath
from voxpilot.workspace.folder import PathRefused, check_ordinary, place_in, refusals, root_of

MOST_ENTRIES = 20_000
"""Entries of the folder that are looked at."""
MOST_SKILLS = 1_000
LARGEST_SKILL = 200_000
"""Bytes of a skill that can be sent."""
SECONDS = 3.0
"""How long reading a folder may take."""
SOURCES = ("workspace", "personal")
_HEAD = 16_000
_NAME, _DESCRIPTION, _TAG = 80, 300, 40
_TO_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK
_TO_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_IN_FOLDER = "SKILL.md"
_HEADING = re.compile(r"#{1,6}\s+(.*)")
Source = Literal["workspace", "personal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    id: str
    """Where it comes from, and its file in that folder: `workspace/deploy.md`."""
    name: str
    description: str
    path: str
    source: Source
    always_active: bool = False
    """As its own front matter says."""
    tags: tuple[str, ...] = ()
    bytes: int = 0
    problem: str | None = None
    """Why it cannot be used."""


@dataclass(frozen=True, slots=True)
class SkillsFolder:
    """A folder of skills: where it is, and what could be read."""

    path: str
    source: Source
    inner: str
    """The path below its root: the workspace, or the folder itself."""
    exists: bool = False
    skills: tuple[Skill, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """What was not read, and why."""

    @property
    def root(self) -> str:
        return self.path if self.inner == "." else self.path[: -len(self.inner) - 1] or "/"


def in_workspace(workspace: str, wanted: str) -> SkillsFolder:
    """The folder that the settings name, relative to the workspace. Nothing is read yet."""
    parts = [part for part in wanted.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        raise PathRefused("The skills folder must be inside the workspace.", "Choose another folder.")
    inner = "/".join(parts)
    return SkillsFolder(f"{workspace.rstrip('/')}/{inner}", "workspace", inner)


def personal(path: str) -> SkillsFolder:
    """The person's own folder, with links resolved. Nothing is read yet."""
    return SkillsFolder(path, "personal", ".")


def read_folder(folder: SkillsFolder) -> SkillsFolder:
    """The folder with its skills, in order of their files. Blocks on the disk."""
    try:
        with _opened(folder) as place:
            names, is_cut = _listed(place)
            skills, left = _read_all(folder, place, names)
    except NotFound:
        return folder
    except VoxPilotError as error:
        return SkillsFolder(
            folder.path, folder.source, folder.inner, True, (), ((folder.path, error.message),)
        )
    out = []
    if is_cut:
        out.append((folder.path, f"It has more than {MOST_ENTRIES:,} entries; the rest was not looked at."))
    if left:
        out.append(
            (f"{left:,} skills", f"Only {len(skills):,} are read: there are too many, or it takes too long.")
        )
    return SkillsFolder(folder.path, folder.source, folder.inner, True, tuple(skills), tuple(out))


def read_text(folder: SkillsFolder, id: str, most: int = LARGEST_SKILL) -> tuple[str, bool]:
    """The text of a skill, and whether it is cut. Blocks on the disk."""
    source, _, file = id.partition("/")
    if source != folder.source or not is_skill_file(file):
        raise NotFound("Skill not found.", "It may have been removed.")
    with _opened(folder) as place, refusals(f"{folder.path}/{file}"):
        data, size = _head(place, file, most)
    return data.decode(errors="replace"), size > len(data)


def is_skill_file(file: str) -> bool:
    """Whether a path in a skills folder can be that of a skill."""
    parts = file.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        return False
    return (len(parts) == 1 and _is_markdown(file)) or (len(parts) == 2 and parts[1] == _IN_FOLDER)


@contextmanager
def _opened(folder: SkillsFolder) -> Iterator[int]:
    place = place_in((folder.root,), folder.path)
    with root_of(place) as root, refusals(folder.path):
        found = open_beneath(root, place.inner, _TO_LIST)
        try:
            yield found
        finally:
            os.close(found)


def _listed(folder: int) -> tuple[list[str], bool]:
    """The files that may be skills, in order; and whether there are more entries."""
    files: list[str] = []
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= MOST_ENTRIES:
                return sorted(files), True
            if entry.name.startswith("."):
                continue
            if _is_markdown(entry.name):
                files.append(entry.name)
            elif entry.is_dir(follow_symlinks=True):
                files.append(f"{entry.name}/{_IN_FOLDER}")
    return sorted(files), False


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(".md") and not name.startswith(".")


def _read_all(folder: SkillsFolder, place: int, files: list[str]) -> tuple[list[Skill], int]:
    """The skills, and how many files were not read."""
    skills: list[Skill] = []
    ends = time.monotonic() + SECONDS
    for number, file in enumerate(files):
        if len(skills) >= MOST_SKILLS or time.monotonic() > ends:
            return skills, len(files) - number
        if (skill := _read_one(folder, place, file)) is not None:
            skills.append(skill)
    return skills, 0


def _read_one(folder: SkillsFolder, place: int, file: str) -> Skill | None:
    """None for a folder without a skill."""
    shown = file.encode(errors="replace").decode()
    try:
        with refusals(shown):
            data, size = _head(place, file, _HEAD)
    except NotFound:
        return None
    except VoxPilotError as error:
        message = error.message.replace("this chat's folders", "the skills folder")
        return _skill(folder, shown, front_matter.split(""), 0, message)
    found = front_matter.split(data.decode(errors="replace"))
    problem = found.problem
    if not problem and b"\0" in data[:1000]:
        problem = "It is not a text file."
    elif not problem and size > LARGEST_SKILL:
        problem = f"It is larger than {LARGEST_SKILL // 1000} kB, so it is never sent in full."
    return _skill(folder, shown, found, size, problem)


def _skill(
    folder: SkillsFolder, file: str, found: front_matter.FrontMatter, size: int, problem: str
) -> Skill:
    heading, line = _first_words(found.body)
    stem = file.removesuffix(f"/{_IN_FOLDER}")
    return Skill(
        id=f"{folder.source}/{file}",
        name=_line(found.word("name") or heading, _NAME) or _line(stem[:-3] if stem == file else stem, _NAME),
        description=_line(found.word("description") or line or heading, _DESCRIPTION),
        path=f"{folder.path}/{file}",
        source=folder.source,
        always_active=found.is_on("always_active") and not problem,
        tags=tuple(_line(tag, _TAG) for tag in found.fields.get("tags", ())),
        bytes=size,
        problem=problem or None,
    )


def _head(folder: int, file: str, most: int) -> tuple[bytes, int]:
    """The beginning of a regular file, and the size of all of it."""
    opened = open_beneath(folder, file, _TO_READ)
    with open(opened, "rb") as reader:
        check_ordinary(opened)
        return reader.read(most), os.fstat(opened).st_size


def _first_words(body: str) -> tuple[str, str]:
    """The first heading, and the first line of text."""
    heading = line = ""
    for one in body[:_HEAD].splitlines():
        text = one.strip()
        if found := _HEADING.match(text):
            heading = heading or found[1].strip(" #")
        elif text and not text.startswith(("```", "<!--", "---")):
            line = text
            break
    return heading, line


def _line(text: str, most: int) -> str:
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"
