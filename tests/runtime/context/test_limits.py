"""What goes along with a message stays within limits, and what fails takes nothing else with it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until
from voxpilot.runtime.context import gather, gathering
from voxpilot.runtime.context.skills_in_use import MOST_NAMED, SkillsInUse
from voxpilot.workspace import skills
from voxpilot.workspace.skill_index import FULL, FULL_BYTES

QUOTE = {"type": "quote", "text": "pasted words", "source": "a page"}
FILE = {"type": "file", "path": "a.txt"}


async def fail(*_: Any) -> Any:
    raise RuntimeError("broken")


async def prompt(server: Server, workspace: Path, agent_log: AgentLog, *given: Any) -> tuple[str, Any]:
    """All words of the prompt with these attachments, and what the page shows of it."""
    (workspace / "a.txt").write_text("text of the file")
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("ok")), attachments=list(given))
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.judge()
        sent = agent_log.received("session/prompt")[-1]["params"]["prompt"]
        return str(sent), talk.of_kind("context")[-1]


@pytest.mark.in_memory
async def test_skills_that_fail_take_no_file_with_them(
    server: Server, workspace: Path, agent_log: AgentLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R136: the message goes with everything that was read."""
    monkeypatch.setattr(gather, "skills_in_use", fail)
    words, shown = await prompt(server, workspace, agent_log, QUOTE, FILE)
    assert "pasted words" in words
    assert "text of the file" in words
    assert [one["what"] for one in shown["left_out"]] == ["Skills"]


@pytest.mark.in_memory
async def test_what_needs_no_reading_is_sent_whatever_fails(
    server: Server, workspace: Path, agent_log: AgentLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R136: a quote is in the message itself."""
    monkeypatch.setattr(gathering, "gather", fail)
    words, shown = await prompt(server, workspace, agent_log, QUOTE, FILE)
    assert "pasted words" in words
    assert "text of the file" not in words
    assert [one["what"] for one in shown["left_out"]] == ["Skills and instructions", "a.txt"]


def test_pictures_and_texts_beyond_the_limit_are_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    """R136: each kind has its own limit; smaller ones after a large one still fit."""
    monkeypatch.setattr(gather, "MOST_PICTURES", 100)
    monkeypatch.setattr(gather, "MOST_EMBEDDED", 100)
    pieces = [{"kind": "file", held: "x" * size} for held in ("data", "text") for size in (60, 60, 30)]
    held = [sorted(set(piece) & {"data", "text"}) for piece in gather._bounded(pieces)]
    assert held == [["data"], [], ["data"], ["text"], [], ["text"]]


async def test_skills_that_do_not_fit_are_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R152: however many are always active; the first of those left out are named, the others counted."""
    for number in range(100):
        text = f"---\nalways_active: true\n---\n{'x' * (FULL_BYTES // 2)}"
        (tmp_path / f"s{number:03}.md").write_text(text)
    read: list[str] = []
    real = skills.read_text

    def reading(folder: skills.SkillsFolder, id: str, most: int) -> tuple[str, bool]:
        read.append(id)
        return real(folder, id, most)

    monkeypatch.setattr(skills, "read_text", reading)
    own = skills.read_folder(skills.personal(str(tmp_path)))
    none = skills.SkillsFolder(str(tmp_path), "workspace", "none")
    sent, left_out = await SkillsInUse(none, own).in_full(())
    assert len(sent) == len(read) == 1
    assert len(left_out) == MOST_NAMED + 1
    assert left_out[-1] == {"what": f"{99 - MOST_NAMED} more skills", "why": FULL}


async def test_changes_go_along_with_the_message_after_which_the_folder_is_trusted(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R136: they are read again, because git was not asked before."""
    (workspace / "a.txt").write_text("one\n")
    who = "git -c user.name=A -c user.email=a@example.org"
    begin = f"git init -q . && git add -A && {who} commit -qm first"
    subprocess.run(begin, shell=True, cwd=workspace, check=True)
    (workspace / "a.txt").write_text("A changed line.\n")
    server = await start_server(settings={"trusted_folders": []})
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("ok")), attachments=[{"type": "diff"}])
        question = await talk.question()
        stored = "SELECT context FROM turns WHERE chat_id = ? AND context NOT LIKE '%due%'"
        await until(lambda: bool(talk._ask(stored)), 10)
        await talk.answer(question, "trust")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert "A changed line." in str(agent_log.received("session/prompt")[-1]["params"]["prompt"])
        await talk.judge()
