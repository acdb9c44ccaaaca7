"""The skills of a workspace and of the person, as they are now.

Lives here: reading both folders, and which skills are always active. Lives elsewhere: the files
(workspace/skills.py), the person's choices (storage/across_chats/skill_choices.py), the budget
(workspace/skill_index.py).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ParamSpec, TypeVar

from voxpilot.chat.events import Json
from voxpilot.errors import NotFound, VoxPilotError
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.across_chats import skill_choices
from voxpilot.threads import look_at
from voxpilot.values import dataclass
from voxpilot.workspace import skills
from voxpilot.workspace.skill_index import FULL, FULL_BYTES, Index, in_full, index_of
from voxpilot.workspace.skills import LARGEST_SKILL, Skill, SkillsFolder

P = ParamSpec("P")
T = TypeVar("T")
SECONDS = 5.0
"""How long the disk may take."""
NOT_TRUSTED = "The folder is not trusted."
MOST_NAMED = 50
"""Skills that were not sent and are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class SkillsInUse:
    folder: SkillsFolder
    personal: SkillsFolder
    problems: tuple[tuple[str, str], ...] = ()

    @property
    def all(self) -> tuple[Skill, ...]:
        return (*self.folder.skills, *self.personal.skills)

    def from_an_untrusted_folder(self, chosen: Sequence[str] = ()) -> SkillsInUse:
        """Without the skills of the workspace, except those that the person chose for this message."""
        kept = tuple(replace(one, always_active=False) for one in self.folder.skills if one.id in chosen)
        if len(kept) == len(self.folder.skills):
            return self
        problems = (*self.problems, (self.folder.path, NOT_TRUSTED))
        return replace(self, folder=replace(self.folder, skills=kept), problems=problems)

    def index(self) -> Index:
        return index_of((self.folder, self.personal))

    def find(self, id: str) -> Skill:
        for skill in self.all:
            if skill.id == id:
                return skill
        raise NotFound("This skill no longer exists.", "It may have been renamed or removed.")

    def named(self, name: str) -> Skill:
        """By its name, file or id, as a model may call it."""
        for skill in self.all:
            if (
                name in (skill.id, skill.id.partition("/")[2], skill.path)
                or name.lower() == skill.name.lower()
            ):
                return skill
        raise NotFound(f"There is no skill {name!r}.", "Use a name from the list of skills.")

    async def text(self, id: str, most: int = LARGEST_SKILL) -> tuple[str, bool]:
        folder = self.personal if id.startswith("personal/") else self.folder
        return await _within(folder.path, skills.read_text, folder, id, most)

    async def in_full(self, chosen: Sequence[str]) -> tuple[list[Json], list[Json]]:
        """The always active skills and the chosen ones with their texts, and what was left out."""
        wanted = [skill for skill in self.all if skill.id in chosen or skill.always_active]
        wanted.sort(key=lambda skill: skill.id not in chosen)
        texts: list[str] = []
        usable: list[Skill] = []
        room = FULL_BYTES
        left_out = [
            {"what": id, "why": "This skill no longer exists."} for id in chosen if id not in _ids(wanted)
        ]
        for skill in wanted:
            try:
                if skill.problem is not None:
                    raise VoxPilotError(skill.problem)
                if skill.bytes > room:  # not read at all: there may be many
                    raise VoxPilotError(FULL)
                room -= skill.bytes
                texts.append((await self.text(skill.id))[0])
                usable.append(skill)
            except VoxPilotError as error:
                left_out.append({"what": skill.name, "why": error.message})
        kept, over = in_full(usable, texts, FULL_BYTES)
        left_out += [{"what": name, "why": why} for name, why in over]
        if len(left_out) > MOST_NAMED:
            more = {"what": f"{len(left_out) - MOST_NAMED:,} more skills", "why": left_out[-1]["why"]}
            left_out = [*left_out[:MOST_NAMED], more]
        sent = [
            {
                "id": skill.id,
                "name": skill.name,
                "path": skill.path,
                "why": "chosen" if skill.id in chosen else "always",
                "text": text,
            }
            for skill, text in kept
        ]
        return sent, left_out


async def skills_in_use(services: Services, workspace: str) -> SkillsInUse:
    """The skills that apply in a workspace. A folder that cannot be read is named among the problems."""
    problems: list[tuple[str, str]] = []
    try:
        folder = skills.in_workspace(workspace, services.settings.acp_skills_folder_path)
    except VoxPilotError as error:
        problems.append((services.settings.acp_skills_folder_path, error.message))
        folder = SkillsFolder(workspace, "workspace", ".")
    else:
        folder = await _read(folder, problems)
    own = await _personal(services.catalog.personal_skills, problems)
    switched = await skill_choices.choices(services.db, workspace)
    return SkillsInUse(_switched(folder, switched), _switched(own, switched), tuple(problems))


async def _personal(path: str, problems: list[tuple[str, str]]) -> SkillsFolder:
    """The person's own folder, which may be a link."""
    try:
        real = await _within(path, os.path.realpath, path)
    except VoxPilotError as error:
        problems.append((path, error.message))
        return skills.personal(path)
    return await _read(skills.personal(real), problems)


async def _read(folder: SkillsFolder, problems: list[tuple[str, str]]) -> SkillsFolder:
    try:
        found = await _within(folder.path, skills.read_folder, folder)
    except VoxPilotError as error:
        problems.append((folder.path, error.message))
        return folder
    problems.extend(found.left_out)
    return found


async def _within(path: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        async with asyncio.timeout(SECONDS):
            return await look_at(path, work, *args, **kwargs)
    except TimeoutError:
        raise VoxPilotError(f"The disk did not respond within {SECONDS:.0f} s.") from None


def _switched(folder: SkillsFolder, switched: dict[str, bool]) -> SkillsFolder:
    found = tuple(
        replace(skill, always_active=switched.get(skill.id, skill.always_active) and skill.problem is None)
        for skill in folder.skills
    )
    return replace(folder, skills=found)


def _ids(found: Sequence[Skill]) -> set[str]:
    return {skill.id for skill in found}
