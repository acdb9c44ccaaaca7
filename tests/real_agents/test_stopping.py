"""Each real agent is stopped while it speaks, while it asks and while a command of it runs."""

from __future__ import annotations

from pathlib import Path

from tests.faults.driver import SLACK, Talk
from tests.kit.llm import ScriptedLlm
from tests.kit.processes import marked
from tests.kit.waiting import until
from tests.real_agents.day import PATIENCE, begin, decide, run
from tests.real_agents.sheet import Sheet

STOPS_WITHIN = 2.0 * SLACK
COMMAND = "python3 -c 'import time; time.sleep(4321)'"
"""Not the shell's own sleep: one agent refuses to run that."""


async def test_stopping(talk: Talk, llm: ScriptedLlm, workspace: Path, mark: str, sheet: Sheet) -> None:
    await _while_it_speaks(talk, llm, sheet)
    await _while_it_asks(talk, workspace, sheet)
    await _while_a_command_runs(talk, mark, sheet)
    assert not talk.notices("forced-stop")
    await talk.judge()


async def _while_it_speaks(talk: Talk, llm: ScriptedLlm, sheet: Sheet) -> None:
    turn = await begin(talk, "slow 1000 0.05")
    await turn.says("word5 ")
    await talk.cancel()
    await until(lambda: turn.end is not None, STOPS_WITHIN)
    await until(lambda: llm.asked("slow 1000")[-1]["ended"] == "cut", PATIENCE, "the model still speaks")
    after = await run(talk, "say After speaking.")
    sheet.note("stop-text", turn.stop_reason == "cancelled" and after.text == "After speaking.")


async def _while_it_asks(talk: Talk, workspace: Path, sheet: Sheet) -> None:
    file = workspace / "never.txt"
    turn = await begin(talk, f"write {file} | written")
    question = await turn.question()
    await talk.cancel()
    await until(lambda: turn.end is not None, STOPS_WITHIN)
    [answer] = [answer for answer in talk.of_kind("answer") if answer["question_id"] == question["id"]]
    after = await run(talk, "say After asking.")
    stopped = turn.stop_reason == "cancelled" and answer["outcome"] == "cancelled" and not file.exists()
    sheet.note("stop-question", stopped and after.text == "After asking.")


async def _while_a_command_runs(talk: Talk, mark: str, sheet: Sheet) -> None:
    turn = await begin(talk, f"run {COMMAND}")
    await decide(talk, await turn.question(), "allow_once")
    await until(lambda: _sleeping(mark), PATIENCE, "the command did not start")
    await talk.cancel()
    await until(lambda: turn.end is not None, STOPS_WITHIN)
    after = await run(talk, "say After running.")
    sheet.note("stop-command", turn.stop_reason == "cancelled" and after.text == "After running.")
    evidence = "" if not _sleeping(mark) else "it says that it has stopped, and the command runs on"
    sheet.note("stop-ends-command", not evidence, evidence)


def _sleeping(mark: str) -> bool:
    return any("time.sleep(4321)" in process.command for process in marked(mark))
