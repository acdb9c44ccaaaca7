"""The server is killed while a real agent works: the turn goes on, and nothing happens twice."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.llm.script import DONE, slow_text
from tests.faults.driver import Talk
from tests.kit.llm import ScriptedLlm
from tests.kit.waiting import until
from tests.real_agents.day import PATIENCE, begin, decide
from tests.real_agents.sheet import Sheet


async def test_the_server_is_killed(talk: Talk, llm: ScriptedLlm, workspace: Path, sheet: Sheet) -> None:
    await _while_it_speaks(talk, llm, sheet)
    await _while_it_asks(talk, llm, workspace, sheet)
    await talk.judge()


async def _while_it_speaks(talk: Talk, llm: ScriptedLlm, sheet: Sheet) -> None:
    turn = await begin(talk, "slow 60 0.05")
    await turn.says("word10 ")
    await talk.server.kill()
    # The agent goes on with nobody there; what it says meanwhile must not be lost.
    await until(lambda: llm.asked("slow 60")[-1]["ended"] == "whole", PATIENCE, "the agent did not go on")
    await talk.server.start()
    await turn.ends()
    assert len(llm.asked("slow 60")) == 1
    sheet.note("kill-text", turn.text == slow_text(60) and turn.stop_reason == "end_turn")


async def _while_it_asks(talk: Talk, llm: ScriptedLlm, workspace: Path, sheet: Sheet) -> None:
    file = workspace / "answered.txt"
    turn = await begin(talk, f"write {file} | written")
    question = await turn.question()
    await talk.server.restart()
    assert not file.exists()
    await decide(talk, question, "allow_once")
    await turn.ends()
    # One request brought the tool call, and one was made with its result: the answer came once.
    results = [request["results"] for request in llm.asked("answered.txt")]
    answers = [answer for answer in talk.of_kind("answer") if answer["question_id"] == question["id"]]
    assert (len(results), len(answers)) == (2, 1)
    assert turn.text.endswith(DONE)
    sheet.note("kill-question", file.read_text() == "written\n" and results[1] == results[0] + 1)
