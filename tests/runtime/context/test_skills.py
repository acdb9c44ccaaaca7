"""Skills as the page shows them: listed, read, switched on, suggested; and folders full of nonsense."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server
from voxpilot.workspace.skill_index import FULL_BYTES, INDEX_BYTES, index_of
from voxpilot.workspace.skills import in_workspace, read_folder

pytestmark = pytest.mark.in_memory

DEPLOY = """---
name: Deployment
description: >
  How we deploy
  to production
tags: [release, shipping]
always-active: yes
---
# Deploy
Run make ship.
"""


@pytest.fixture
def skills(workspace: Path) -> Path:
    folder = workspace / "copilot-skills"
    (folder / "review").mkdir(parents=True)
    (folder / "deploy.md").write_text(DEPLOY)
    (folder / "review" / "SKILL.md").write_text("# Code review\nLook for bugs.\n")
    (folder / "review" / "script.sh").write_text("touch ran")
    (folder / "notes.txt").write_text("no skill")
    return folder


async def listed(talk: Talk, workspace: Path) -> Any:
    return await talk.api.call("GET", f"/api/skills?workspace={quote(str(workspace))}")


async def test_the_page_lists_skills_with_one_line_each(
    server: Server, workspace: Path, skills: Path
) -> None:
    """R129, C17, R142, R143, R148: files and folders of the workspace, with front matter or without."""
    async with talking(server, workspace) as talk:
        found = await listed(talk, workspace)
        assert (found["folder"], found["exists"], found["left_out"]) == (str(skills), True, [])
        assert [(s["id"], s["name"], s["description"]) for s in found["skills"]] == [
            ("workspace/deploy.md", "Deployment", "How we deploy to production"),
            ("workspace/review/SKILL.md", "Code review", "Look for bugs."),
        ]
        assert [s["always_active"] for s in found["skills"]] == [True, False]
        assert found["skills"][0]["tags"] == ["release", "shipping"]
        assert found["always_bytes"] == len(DEPLOY)
        assert 0 < found["index_bytes"] < found["budget_bytes"]
        where = f"workspace={quote(str(workspace))}&id={quote('workspace/deploy.md')}"
        assert await talk.api.call("GET", f"/api/skills/text?{where}") == {"text": DEPLOY, "is_cut": False}


async def test_a_switch_decides_which_skill_is_sent_in_full(
    server: Server, workspace: Path, skills: Path, agent_log: AgentLog
) -> None:
    """R148, R145, R153, V25: whatever its file says, also after a restart; nothing is run (R149, V34)."""
    async with talking(server, workspace) as talk:
        for id, on in (("workspace/deploy.md", False), ("workspace/review/SKILL.md", True)):
            body = {"workspace": str(workspace), "id": id, "on": on}
            found = await talk.api.call("PUT", "/api/skills/always", body)
        assert [s["always_active"] for s in found["skills"]] == [False, True]
        await server.restart()
        await talk.run(script(say("ok")))
        prompt = str(agent_log.received("session/prompt")[-1]["params"]["prompt"])
        assert "Look for bugs." in prompt
        assert "make ship" not in prompt
        context = await talk.api.call("GET", f"/api/chats/{talk.id}/context")
        assert (context["skills"], context["always"]) == (2, ["Code review"])
        assert not (workspace / "ran").exists()
        body = {"workspace": str(workspace), "id": "workspace/../x.md", "on": True}
        with pytest.raises(ApiError, match="404"):
            await talk.api.call("PUT", "/api/skills/always", body)


async def test_skills_are_suggested_with_the_words_that_match(
    server: Server, workspace: Path, skills: Path
) -> None:
    """R191: by name, tags and description; those that go along anyway are not suggested."""
    (skills / "deploy.md").write_text(DEPLOY.replace("always-active: yes", ""))
    async with talking(server, workspace) as talk:

        async def suggested(text: str) -> Any:
            body = {"workspace": str(workspace), "text": text}
            return (await talk.api.call("POST", "/api/skills/suggestions", body))["skills"]

        assert await suggested("Please deploy the new release") == [
            {
                "id": "workspace/deploy.md",
                "name": "Deployment",
                "why": ["matches “deploy” in its name", "matches “release” in its tags"],
            }
        ]
        assert [one["name"] for one in await suggested("Review my code")] == ["Code review"]
        assert await suggested("What is the weather like?") == []


async def test_only_folders_of_chats_are_looked_at(server: Server, workspace: Path) -> None:
    """Not any folder that somebody names."""
    async with talking(server, workspace) as talk:
        for folder in (Path("/usr"), Path("/nowhere")):
            with pytest.raises(ApiError) as refused:
                await listed(talk, folder)
            assert refused.value.hint


async def test_a_personal_skill_applies_in_every_chat(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R142, R144: from the folder next to the settings file."""
    folder = server.config.parent / "skills"
    folder.mkdir()
    (folder / "style.md").write_text("# Style\nWrite plainly.")
    async with talking(server, workspace) as talk:
        await talk.run(script(say("ok")))
        assert f"Skills in {folder}:\n- Style (style.md): Write plainly." in str(
            agent_log.received("session/prompt")[-1]["params"]["prompt"][1]["text"]
        )
        assert (await listed(talk, workspace))["skills"][0]["source"] == "personal"


def test_front_matter_that_has_no_end_is_a_problem_in_words(workspace: Path, skills: Path) -> None:
    """R149: neither a bomb nor a tag makes anything happen."""
    bomb = "---\na: &a [x, x]\n" + "".join(f"k{n}: [*a, *a, *a]\n" for n in range(50_000))
    (skills / "bomb.md").write_text(bomb)
    (skills / "tag.md").write_text("---\nname: !!python/object/apply:os.system ['touch ran']\n---\nText")
    (skills / "html.md").write_text("<script>alert(1)</script>\x1b[31m")
    found = {skill.id: skill for skill in read_folder(in_workspace(str(workspace), "copilot-skills")).skills}
    assert "no end within" in (found["workspace/bomb.md"].problem or "")
    assert found["workspace/tag.md"].name.startswith("!!python/object")
    assert "\x1b" not in found["workspace/html.md"].description
    assert not (workspace / "ran").exists()


def test_links_out_of_the_folder_are_a_problem_in_words(workspace: Path, skills: Path, place: Path) -> None:
    """R149: whether of a file or a folder."""
    (place / "secret.md").write_text("# Secret")
    (skills / "link.md").symlink_to(place / "secret.md")
    (skills / "out").symlink_to(place)
    (place / "SKILL.md").write_text("# Secret")
    found = {skill.id: skill for skill in read_folder(in_workspace(str(workspace), "copilot-skills")).skills}
    for id in ("workspace/link.md", "workspace/out/SKILL.md"):
        assert "leads outside" in (found[id].problem or "")
        assert found[id].description == ""


def test_ten_thousand_skills_and_a_huge_one_stay_within_the_budget(workspace: Path, skills: Path) -> None:
    """R152: the rest is named as left out, and the large one is never sent."""
    for number in range(10_000):
        (skills / f"s{number:05}.md").write_text(f"# Skill {number}\nWhat it is about.\n")
    with (skills / "a-huge.md").open("w") as file:
        file.write("---\nalways_active: true\n---\n# Huge\n")
        file.truncate(50_000_000)
    found = read_folder(in_workspace(str(workspace), "copilot-skills"))
    assert len(found.skills) == 1_000
    assert found.left_out[0][0] == "9,003 skills"
    huge = found.skills[0]
    assert (huge.always_active, huge.bytes) == (False, 50_000_000)
    assert huge.problem
    index = index_of([found])
    assert index.bytes <= INDEX_BYTES
    assert index.count < 1_000
    assert index.left_out
    assert len(json.dumps(index.text)) < 2 * FULL_BYTES
