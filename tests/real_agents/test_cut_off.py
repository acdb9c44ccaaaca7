"""Each real agent is interrupted: by its user, in three places, and by a server crash, in two."""

from __future__ import annotations

import time
from pathlib import Path

from tests.fakes.llm.script import DONE, slow_text
from tests.kit.clients.driver import SLACK, Talk
from tests.kit.machine.processes import age, marked
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.waiting import until
from tests.real_agents.day import PATIENCE, begin, decide, run
from tests.real_agents.sheet import Sheet
from voxpilot.keeper.program.commands.leftovers import PATIENCE_SECONDS

STOPS_WITHIN = 2.0 * SLACK
COMMAND = "python3 -c 'import time; time.sleep(4321)'"
"""Not the shell's sleep, which one agent refuses to run."""
TRIES = 3


async def test_cut_off(talk: Talk, llm: ScriptedLlm, workspace: Path, mark: str, sheet: Sheet) -> None:
    await _stopped_while_it_speaks(talk, llm, sheet)
    await _stopped_while_it_asks(talk, workspace, sheet)
    await _stopped_while_a_command_runs(talk, mark, sheet)
    assert not talk.notices("forced-stop")
    await _server_killed_while_it_speaks(talk, llm, sheet)
    await _server_killed_while_it_asks(talk, llm, workspace, sheet)
    await talk.judge()


async def _stopped_while_it_speaks(talk: Talk, llm: ScriptedLlm, sheet: Sheet) -> None:
    turn = await begin(talk, "slow 1000 0.05")
    await turn.says("word5 ")
    await talk.cancel()
    await until(lambda: turn.end is not None, STOPS_WITHIN)
    await until(lambda: llm.asked("slow 1000")[-1]["ended"] == "cut", PATIENCE, "the model still speaks")
    after = await run(talk, "say After speaking.")
    sheet.note("stop-text", turn.stop_reason == "cancelled" and after.text == "After speaking.")


async def _stopped_while_it_asks(talk: Talk, workspace: Path, sheet: Sheet) -> None:
    file = workspace / "never.txt"
    turn = await begin(talk, f"write {file} | written")
    question = await turn.question()
    await talk.cancel()
    await until(lambda: turn.end is not None, STOPS_WITHIN)
    [answer] = [answer for answer in talk.of_kind("answer") if answer["question_id"] == question["id"]]
    after = await run(talk, "say After asking.")
    stopped = turn.stop_reason == "cancelled" and answer["outcome"] == "cancelled" and not file.exists()
    sheet.note("stop-question", stopped and after.text == "After asking.")


async def _stopped_while_a_command_runs(talk: Talk, mark: str, sheet: Sheet) -> None:
    """K9: whatever the agent does about its command, it does not keep running, and we report if we ended it.

    An agent that ends its commands may be too slow on a busy machine, so it may try again.
    """
    tried = [await _stopped_while_one_runs(talk, mark, sheet)]
    while not tried[-1] and len(tried) < TRIES:
        tried.append(await _stopped_while_one_runs(talk, mark, sheet))
    evidence = (
        ""
        if tried[-1]
        else "it reports that it has stopped, but its command keeps running; VoxPilot then ends the command"
    )
    sheet.note("stop-ends-command", tried[-1], evidence)


async def _stopped_while_one_runs(talk: Talk, mark: str, sheet: Sheet) -> bool:
    """Whether it was the agent that ended its command."""
    told = len(talk.notices("left-running"))
    turn = await begin(talk, f"run {COMMAND}")
    await decide(talk, await turn.question(), "allow_once")
    # One agent ends a command that has just started, and leaves one that has run for longer.
    await until(lambda: _asleep(mark) >= 1, PATIENCE, "the command did not start")
    stopped_at = time.monotonic()
    await talk.cancel()
    await until(lambda: not _asleep(mark), PATIENCE, "the command is still running")
    by_itself = time.monotonic() - stopped_at < PATIENCE_SECONDS
    await until(lambda: turn.end is not None, STOPS_WITHIN)
    after = await run(talk, "say After running.")
    sheet.note("stop-command", turn.stop_reason == "cancelled" and after.text == "After running.")
    if not by_itself:
        await until(lambda: len(talk.notices("left-running")) > told, PATIENCE, "nothing was reported")
        assert "time.sleep(4321)" in talk.notices("left-running")[-1]["detail"]
    return by_itself


async def _server_killed_while_it_speaks(talk: Talk, llm: ScriptedLlm, sheet: Sheet) -> None:
    turn = await begin(talk, "slow 60 0.05")
    await turn.says("word10 ")
    await talk.server.kill()
    # The agent continues without a server; its output must not be lost.
    await until(lambda: llm.asked("slow 60")[-1]["ended"] == "whole", PATIENCE, "the agent did not continue")
    await talk.server.start()
    await turn.ends()
    assert len(llm.asked("slow 60")) == 1
    sheet.note("kill-text", turn.text == slow_text(60) and turn.stop_reason == "end_turn")


async def _server_killed_while_it_asks(talk: Talk, llm: ScriptedLlm, workspace: Path, sheet: Sheet) -> None:
    file = workspace / "answered.txt"
    turn = await begin(talk, f"write {file} | written")
    question = await turn.question()
    await talk.server.restart()
    assert not file.exists()
    await decide(talk, question, "allow_once")
    await turn.ends()
    # One request returned the tool call, and one contained its result: the answer was sent once.
    results = [request["results"] for request in llm.asked("answered.txt")]
    answers = [answer for answer in talk.of_kind("answer") if answer["question_id"] == question["id"]]
    assert (len(results), len(answers)) == (2, 1)
    assert turn.text.endswith(DONE)
    sheet.note("kill-question", file.read_text() == "written\n" and results[1] == results[0] + 1)


def _asleep(mark: str) -> float:
    """For how many seconds the command has been running; 0 if it is not."""
    pids = [process.pid for process in marked(mark) if "time.sleep(4321)" in process.command]
    return max(map(age, pids), default=0)
