"""What goes to an agent along with a message: mentioned files, other chats, skills, instructions.

What needs processes: tests/survival/test_kill_gathering.py, tests/stories/sessions/test_along.py.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until
from voxpilot.runtime.context import gather

pytestmark = pytest.mark.in_memory


@pytest.fixture
def skills(workspace: Path) -> Path:
    folder = workspace / "copilot-skills"
    folder.mkdir()
    (folder / "deploy.md").write_text(
        "---\ndescription: How to deploy\nalways_active: true\n---\nRun make deploy.\n"
    )
    (folder / "review.md").write_text("# Review\nHow to review.\n")
    return folder


def prompts(agent_log: AgentLog) -> list[list[dict[str, Any]]]:
    return [frame["params"]["prompt"] for frame in agent_log.received("session/prompt")]


def words(prompt: list[dict[str, Any]]) -> str:
    return "\n".join(block.get("text", "") for block in prompt)


@asynccontextmanager
async def sent(server: Server, workspace: Path, *attachments: Any, **more: Any) -> AsyncIterator[Talk]:
    """A chat in which one message with these attachments was answered."""
    async with talking(server, workspace, **more) as talk:
        turn = await talk.send(script(say("ok")), attachments=list(attachments))
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        yield talk


async def test_a_skill_reaches_the_prompt(
    server: Server, workspace: Path, skills: Path, agent_log: AgentLog
) -> None:
    """R144, R145, R146, R147, R152, R153, V25, R151: the index in turns 1 and 5, one skill in full."""
    async with talking(server, workspace) as talk:
        for _ in range(5):
            await talk.run(script(say("ok")))
        first, fifth = prompts(agent_log)[0], prompts(agent_log)[4]
        assert first == fifth
        assert first[0] == {"type": "text", "text": script(say("ok"))}
        text = words(first[1:])
        assert (
            f"Skills in {skills}:\n- deploy (deploy.md): How to deploy\n- Review (review.md): How to review."
            in text
        )
        assert "Run make deploy." in text
        assert "# Review" not in text
        context = talk.of_kind("context")[-1]
        assert (context["skills_folder"], context["indexed"]) == (str(skills), 2)
        assert [(one["name"], one["why"]) for one in context["skills"]] == [("deploy", "always")]
        assert [row.data["text"] for row in talk.rows() if row.kind == "message"] == [script(say("ok"))] * 5
        await talk.judge()


async def test_a_changed_skill_is_picked_up_with_the_next_prompt(
    server: Server, workspace: Path, skills: Path, agent_log: AgentLog
) -> None:
    """R144: and no skill is in the prompt of a delegated task or of a workspace without them."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("ok")))
        (skills / "deploy.md").write_text("Run make ship.")
        (skills / "new").mkdir()
        (skills / "new" / "SKILL.md").write_text("---\nname: New one\n---\nText")
        await talk.run(script(say("ok")))
        text = words(prompts(agent_log)[-1])
        assert "- New one (new/SKILL.md): Text" in text
        assert "make deploy" not in text
        for file in skills.rglob("*.md"):
            file.unlink()
        await talk.run(script(say("ok")))
        assert prompts(agent_log)[-1] == [{"type": "text", "text": script(say("ok"))}]


async def test_a_chosen_skill_goes_along_in_full(
    server: Server, workspace: Path, skills: Path, agent_log: AgentLog
) -> None:
    """R146: once, with this message."""
    chosen = {"type": "skill", "id": "workspace/review.md", "name": "Review"}
    gone = {"type": "skill", "id": "workspace/gone.md", "name": "Gone"}
    async with sent(server, workspace, chosen, gone) as talk:
        assert "# Review\nHow to review." in words(prompts(agent_log)[0])
        context = talk.of_kind("context")[0]
        assert [(one["name"], one["why"]) for one in context["skills"]] == [
            ("Review", "chosen"),
            ("deploy", "always"),
        ]
        assert context["left_out"] == [{"what": "workspace/gone.md", "why": "This skill no longer exists."}]


async def test_mentioned_files_are_embedded_with_their_real_path(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R136, R141: whole, some lines, or as a link if they are large."""
    (workspace / "src").mkdir()
    (workspace / "src" / "app.py").write_text("".join(f"line {n}\n" for n in range(1, 31)))
    (workspace / "big.txt").write_text("x" * 200_000)
    (workspace / "data.bin").write_bytes(bytes(range(256)))
    given = [
        {"type": "file", "path": "src/app.py", "lines": [10, 11]},
        {"type": "file", "path": "big.txt"},
        {"type": "file", "path": "data.bin"},
        {"type": "folder", "path": "src"},
        {"type": "file", "path": "missing.txt"},
        {"type": "file", "path": "../outside.txt"},
    ]
    async with sent(server, workspace, *given) as talk:
        part, *links, missing, outside = prompts(agent_log)[0][1:]
        uri = f"file://{workspace}/src/app.py#L10-11"
        assert part["resource"] == {"uri": uri, "text": "line 10\nline 11\n"}
        assert [link["type"] for link in links] == ["resource_link"] * 3
        assert [link["uri"] for link in links] == [
            f"file://{workspace}/{name}" for name in ("big.txt", "data.bin", "src/")
        ]
        assert "does not exist" in missing["text"]
        assert "`..`" in outside["text"]
        context = talk.of_kind("context")[0]
        assert [one["how"] for one in context["files"]] == ["embedded", "linked", "linked", "linked"]
        assert [one["what"] for one in context["left_out"]] == ["missing.txt", "../outside.txt"]
        assert talk.of_kind("message")[-1]["attachments"] == given
        await talk.judge()


async def test_no_link_leads_out_of_the_workspace(
    server: Server, workspace: Path, skills: Path, place: Path, agent_log: AgentLog
) -> None:
    """R149: not from a mention, and not from the skills folder."""
    (place / "secret.md").write_text("the secret")
    (workspace / "link.md").symlink_to(place / "secret.md")
    (skills / "leak.md").symlink_to(place / "secret.md")
    os.link(place / "secret.md", skills / "hard.md")
    async with sent(server, workspace, {"type": "file", "path": "link.md"}):
        assert "the secret" not in str(prompts(agent_log))


async def test_another_chat_is_mentioned_by_its_summary(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R141: what was asked and answered there, and nothing else of it."""
    async with talking(server, workspace) as other:
        await other.run(script(say("The parser is fixed.")))
        async with sent(
            server, workspace, {"type": "chat", "id": other.id, "title": "x"}, {"type": "chat", "id": "no"}
        ):
            summary, missing = prompts(agent_log)[-1][1:]
            assert "The parser is fixed." in summary["text"]
            assert "Asked, oldest first:" in summary["text"]
            assert "does not exist" in missing["text"]


async def test_own_instructions_are_not_for_agents(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R133, R190, R135: by default."""
    server = await start_server(settings={"instructions": "Be brief."})
    async with sent(server, workspace) as talk:
        assert prompts(agent_log)[-1] == [{"type": "text", "text": script(say("ok"))}]
        assert talk.of_kind("context") == []


async def test_own_instructions_go_to_agents_if_switched_on(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R133, R190: before the message."""
    server = await start_server(settings={"instructions": "Be brief.", "prepend_instructions": True})
    async with sent(server, workspace) as talk:
        assert "Be brief." in prompts(agent_log)[-1][0]["text"]
        assert talk.of_kind("context")[0]["instructions"] == ["personal"]


async def test_a_disk_that_does_not_respond_delays_a_message_and_does_not_stop_it(
    server: Server, workspace: Path, agent_log: AgentLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R136: it is sent without the file, which is named."""

    async def hang(*_: Any) -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(gather, "look_at", hang)
    async with sent(server, workspace, {"type": "file", "path": "a.txt"}) as talk:
        assert "did not respond" in prompts(agent_log)[0][1]["text"]
        assert talk.of_kind("context")[0]["left_out"][0]["what"] == "a.txt"


async def test_a_stop_ends_the_turn_while_files_are_read(
    server: Server, workspace: Path, agent_log: AgentLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R134: nothing is sent, and the next message is."""

    async def hang(*_: Any) -> Any:
        await asyncio.Event().wait()

    async with talking(server, workspace) as talk:
        await talk.run(script(say("ready")))
        with monkeypatch.context() as patched:
            patched.setattr(gather, "look_at", hang)
            turn = await talk.send(script(say("never")), attachments=[{"type": "file", "path": "a.txt"}])
            await until(lambda: talk.states()[-1] == "running", 10)
            await talk.cancel()
            assert (await talk.ended(turn, 4))["stop_reason"] == "cancelled"
        assert len(prompts(agent_log)) == 1
        assert (await talk.run(script(say("next"))))["stop_reason"] == "end_turn"
        await talk.judge()


async def test_a_restart_while_files_are_read_reads_them_again(
    server: Server, workspace: Path, agent_log: AgentLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R134, K1: nothing of it is kept in memory only, and the prompt is sent once."""

    async def hang(*_: Any) -> Any:
        await asyncio.Event().wait()

    (workspace / "a.txt").write_text("the text")
    async with talking(server, workspace) as talk:
        await talk.run(script(say("ready")))
        with monkeypatch.context() as patched:
            patched.setattr(gather, "look_at", hang)
            turn = await talk.send(script(say("ok")), attachments=[{"type": "file", "path": "a.txt"}])
            await until(lambda: talk.states()[-1] == "running", 10)
            await server.kill()
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert len(prompts(agent_log)) == 2
        assert prompts(agent_log)[-1][1]["resource"]["text"] == "the text"
        await talk.judge()
