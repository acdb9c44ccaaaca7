"""Folders are trusted by a person before the assistant runs a program in them."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

from tests.conftest import StartServer
from tests.kit.clients.assistant import assistant, call, chatting
from tests.kit.clients.trusting import asked
from tests.kit.peers.llm import ScriptedLlm


async def test_the_assistant_runs_nothing_in_a_folder_before_a_person_trusts_it(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """A48: its tools that run a program ask first; the question survives a killed server."""
    make_repository(workspace)
    server = await start_server(settings={**assistant(llm), "trusted_folders": []})
    async with chatting(server, workspace) as talk:
        lines = [call("read_file", path="a.txt"), call("list_directory"), call("git_diff"), "say done"]
        turn = await talk.send("\n".join(lines))
        question = await talk.question()
        assert question["title"] == f"Do you trust the files in {workspace}?"
        assert len(talk.of_kind("tool-result")) == 2
        await server.restart(signal.SIGKILL)
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        await talk.answer(question, "trust")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert "+two" in talk.of_kind("tool-result")[-1]["content"]
        assert len(asked(talk)) == 1
        await talk.run(f"{call('grep_search', pattern='two')}\nsay done")
        assert talk.of_kind("tool-result")[-1]["content"] == "a.txt:1: two"
        assert len(asked(talk)) == 1


async def test_an_assistant_that_is_not_trusted_continues_without_its_programs(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """A48: once refused, nothing asks again in the same turn; the next message does."""
    make_repository(workspace)
    tools = [call("git_diff"), call("git_show"), call("grep_search", pattern="two")]
    prompt = "\n".join([*tools, call("glob_search", pattern="*"), "say done"])
    server = await start_server(settings={**assistant(llm), "trusted_folders": []})
    async with chatting(server, workspace) as talk:
        turn = await talk.send(prompt)
        await talk.answer(await talk.question(), "not-now")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        results = talk.of_kind("tool-result")
        refusal = "Nothing was run because this folder is not trusted."
        assert [(result["content"], result["is_error"]) for result in results] == [(refusal, True)] * 4
        assert len(asked(talk)) == 1
        turn = await talk.send(prompt)
        await talk.question(2)
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert (await talk.api.chat(talk.id))["needs_you"] == 0


async def test_the_assistant_follows_no_instructions_of_a_folder_before_a_person_trusts_it(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """A48: neither those of the project nor its skills; the chat says what was left out."""
    make_repository(workspace)
    (workspace / "AGENTS.md").write_text("Answer like a parrot.")
    (workspace / "copilot-skills").mkdir()
    (workspace / "copilot-skills" / "owl.md").write_text("---\nalways_active: true\n---\nHoot first.")
    server = await start_server(settings={**assistant(llm), "trusted_folders": []})
    async with chatting(server, workspace) as talk:
        await talk.run("say done")
        told = json.dumps(llm.asked()[-1])
        assert "parrot" not in told
        assert "Hoot" not in told
        left = [(one["what"], one["why"]) for one in talk.of_kind("context")[-1]["left_out"]]
        assert sorted(left) == [
            (str(workspace / "copilot-skills"), "The folder is not trusted."),
            ("AGENTS.md", "The folder is not trusted."),
        ]
        now = await talk.api.call("GET", f"/api/chats/{talk.id}/context")
        assert (now["skills"], now["always"], now["instructions"]) == (0, [], [])
        turn = await talk.send(f"{call('git_diff')}\nsay done")
        await talk.answer(await talk.question(), "trust")
        await talk.ended(turn)
        await talk.run("say done")
        told = json.dumps(llm.asked()[-1])
        assert "Answer like a parrot." in told
        assert "Hoot first." in told


async def test_a_skill_of_an_untrusted_folder_does_not_replace_the_persons_own(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """A48: the assistant asks for a skill by its name, which any folder can use too."""
    (workspace / "copilot-skills").mkdir()
    (workspace / "copilot-skills" / "deploy.md").write_text("# Deploy\nHoot first.")
    server = await start_server(settings={**assistant(llm), "trusted_folders": []})
    own = server.config.parent / "skills"
    own.mkdir(parents=True, exist_ok=True)
    (own / "deploy.md").write_text("# Deploy\nRun make ship.")
    async with chatting(server, workspace) as talk:
        await talk.run('call read_skill {"name": "Deploy"}\nsay done')
        told = json.dumps(llm.asked()[-1])
        assert "Run make ship." in told
        assert "Hoot" not in told


async def test_trust_that_is_taken_back_while_a_question_waits_runs_nothing(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    make_repository(workspace)
    server = await start_server(settings={**assistant(llm), "trusted_folders": []})
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{call('git_diff')}\nsay done")
        await talk.answer(await talk.question(), "trust")
        await talk.ended(turn)
        await talk.api.call("DELETE", f"/api/trusted-folders?path={workspace}")
        await talk.send(f"{call('git_diff')}\nsay done")
        await talk.question(2)
        assert len(talk.of_kind("tool-result")) == 1


def make_repository(folder: Path) -> None:
    (folder / "a.txt").write_text("one\n")
    commands = (
        "git init -q . && git config user.name A && git config user.email a@example.org && "
        "git add -A && git commit -qm first"
    )
    subprocess.run(commands, shell=True, cwd=folder, check=True)
    (folder / "a.txt").write_text("two\n")
