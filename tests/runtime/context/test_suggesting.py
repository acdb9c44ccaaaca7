"""Which skills fit a message, within a time that nobody notices."""

from __future__ import annotations

import time

from voxpilot.runtime.context.suggesting import suggest
from voxpilot.workspace.skills import Skill


def test_a_long_message_and_many_skills_take_little_time() -> None:
    """R191: every word is not compared with every skill."""
    skills = [
        Skill(id=f"workspace/{n}.md", name=f"Skill {n}", description=f"kubernetes number{n}",
              path="x", source="workspace")
        for n in range(2_000)
    ]  # fmt: skip
    said = " ".join(f"word{n}z" for n in range(2_000)) + " kubernetes number77"
    began = time.thread_time()
    (found,) = suggest(said, skills)
    assert time.thread_time() - began < 0.5
    assert (found.skill.name, found.why) == (
        "Skill 77",
        ("matches “kubernetes” in its description", "matches “number77” in its description"),
    )
