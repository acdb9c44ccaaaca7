"""The tour: one turn in which the agent does everything that agents do.

Lives here: the steps, in order. Lives elsewhere: the project it works on (sample.py), the texts (voices.py),
how each step is done (turn.py).
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from voxpilot.agents.demo import sample
from voxpilot.agents.demo.command import running
from voxpilot.agents.demo.protocol import updates
from voxpilot.agents.demo.protocol.peer import Json
from voxpilot.agents.demo.sample import Project
from voxpilot.agents.demo.turn import Turn
from voxpilot.agents.demo.voices import Edit, Tests

LOOK = "Read the program and its test"
FIX = "Fix the bug"
TEST = "Run the tests"
TELL = "Summarise the change"

# -B: a program that changes twice within a second must not run from a stale bytecode cache.
TEST_COMMAND = (Path(sys.executable).name, "-B", "-m", "unittest", "-v")
SHOWN_LETTERS = 20_000

TOOL_SECONDS = 0.5
LINE_SECONDS = 0.15

HEADLINE = "Treat the discount as a percentage"
FORM: Json = {
    "type": "object",
    "properties": {
        "headline": {
            "type": "string",
            "title": "Headline",
            "description": "One line, like a commit subject.",
            "minLength": 1,
            "maxLength": 72,
            "default": HEADLINE,
        },
        "kind": {
            "type": "string",
            "title": "Kind of change",
            "oneOf": [
                {"const": "fix", "title": "Bug fix"},
                {"const": "feat", "title": "New feature"},
                {"const": "chore", "title": "Chore"},
            ],
            "default": "fix",
        },
        "mention_test": {
            "type": "boolean",
            "title": "Mention the test",
            "default": True,
        },
    },
    "required": ["headline"],
}


async def tour(turn: Turn) -> None:
    project = sample.lay_out(Path(turn.session.cwd))
    await turn.think(turn.voice.thought)
    greeting = turn.voice.greeting
    if project.put_bug_back():
        greeting += f" {turn.voice.bug_is_back}"
    await turn.say(greeting)
    plan = turn.plan(LOOK, FIX, TEST, TELL)
    with plan.step(LOOK):
        await read(turn, project.program)
        await read(turn, project.test)
    with plan.step(FIX):
        edit = await fix(turn, project)
        await turn.say(turn.voice.after_edit[edit])
    with plan.step(TEST):
        tests = await run_tests(turn, project)
    with plan.step(TELL):
        message = await describe(turn) if edit == "done" else None
        await turn.say(summary(turn, edit, tests, message))


async def read(turn: Turn, path: Path) -> None:
    about = {"locations": [{"path": str(path)}], "rawInput": {"path": str(path)}}
    with turn.tool_call("read", f"Read {path.name}", **about) as call:
        call.begin()
        await turn.pause(TOOL_SECONDS)
        call.show(updates.code(sample.read(path), "python"))


async def fix(turn: Turn, project: Project) -> Edit:
    if not project.has_bug():
        return "not ours"
    await turn.say(turn.voice.bug_found)
    path, before, after = str(project.program), sample.PROGRAM, sample.FIXED_PROGRAM
    line = before[: before.index(sample.BUG)].count("\n") + 1
    with turn.tool_call(
        "edit",
        f"Edit {project.program.name}",
        content=[updates.diff(path, before, after)],
        locations=[{"path": path, "line": line}],
        rawInput={"path": path, "old_text": sample.BUG, "new_text": sample.CURE},
    ) as call:
        if not await turn.is_allowed(call):
            call.fail("Not allowed, so the file was not changed.")
            return "refused"
        call.begin()
        await turn.pause(TOOL_SECONDS)
        if project.fix():
            return "done"
        call.fail("The file has changed in the meantime, so it was not edited.")
        return "not ours"


async def run_tests(turn: Turn, project: Project) -> Tests:
    raw_input = {"command": shlex.join(TEST_COMMAND), "cwd": str(project.folder)}
    with turn.tool_call("execute", shlex.join(("python", *TEST_COMMAND[1:])), rawInput=raw_input) as call:
        if not await turn.is_allowed(call):
            call.fail("Not allowed, so the tests were not run.")
            return "refused"
        call.begin()
        output = ""
        async with running(TEST_COMMAND, project.folder) as process:
            assert process.stdout is not None
            async for line in process.stdout:
                output = (output + line.decode(errors="replace"))[-SHOWN_LETTERS:]
                call.show(updates.code(output, "console"))
                await turn.pause(LINE_SECONDS)
            exit_code = await process.wait()
        call.change(
            status="failed" if exit_code else "completed",
            content=[updates.output(f"{updates.code(output, 'console')}\n\nExit code {exit_code}.")],
            rawOutput={"exitCode": exit_code, "output": output},
        )
        return "failed" if exit_code else "passed"


async def describe(turn: Turn) -> str:
    """A commit message for the change, written by the person if the client can show a form."""
    entered = await turn.fill_in("How should I describe the change?", FORM) or {}
    headline = str(entered.get("headline") or HEADLINE)
    message = f"{entered.get('kind', 'fix')}: {headline}\n"
    if entered.get("mention_test", True):
        message += "\nTested by test_a_discount_is_a_percentage.\n"
    return message


def summary(turn: Turn, edit: Edit, tests: Tests, message: str | None) -> str:
    """Markdown with everything that a page must be able to render."""
    edited = {
        "done": "changed",
        "refused": "not changed: you said no",
        "not ours": "not changed: you edited it",
    }
    tested = {"passed": "pass", "failed": "some fail", "refused": "not run: you said no"}
    is_auto = turn.session.settings["mode"] == "auto"
    asked = "did not **ask** before acting, because my mode is auto" if is_auto else "**asked** before acting"
    parts = [
        turn.voice.after_tests[tests],
        "## What happened",
        f"- I made a **plan** and followed it.\n- I **read** before I changed anything.\n- I {asked}.",
        f"| What | Result |\n|---|---|\n| `cart.py` | {edited[edit]} |\n| the tests | {tested[tests]} |",
    ]
    if message is not None:
        parts += ["I would describe the change like this:", updates.code(message, "text")]
    parts += [
        "I speak the [Agent Client Protocol](https://agentclientprotocol.com), as every agent here does.",
        turn.voice.farewell,
    ]
    return "\n\n".join(parts)
