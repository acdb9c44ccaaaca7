"""Which skills a person has switched to always active, or off, for each workspace.

Lives here: the row, reading and writing it. Lives elsewhere: the skills (workspace/skills.py), what follows
from it (runtime/context/skills_in_use.py).
"""

from __future__ import annotations

from voxpilot.storage.database import tables
from voxpilot.storage.database.rows import Row
from voxpilot.storage.database.sqlite import Batch, Database
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillChoice(Row):
    """A person switched a skill's "always active" on or off, whatever its file says."""

    TABLE = "skill_choices"
    KEY = ("workspace", "skill")
    REPLACES = True
    workspace: str
    """Empty for a personal skill: it applies everywhere."""
    skill: str
    """The skill's id."""
    always: bool
    at: float


async def choices(db: Database, workspace: str) -> dict[str, bool]:
    """By the id of the skill."""
    sql = tables.select(SkillChoice, "workspace IN (?, '')")
    found = tables.rows_of(SkillChoice, await db.rows(sql, (workspace,)))
    return {row.skill: row.always for row in found}


async def choose(db: Database, row: SkillChoice) -> None:
    await db.commit(Batch(statements=[tables.insert(row)]))
