"""The model of a first run."""

from __future__ import annotations

import pytest

from voxpilot.assistant.llm import ask
from voxpilot.assistant.providers import choose
from voxpilot.assistant.shapes import Delta, Message, ModelSaid, PersonSaid, Step, Tool, ToolReturned
from voxpilot.settings import AssistantSettings

TOOLS = [
    Tool(name, "", {}) for name in ("copilot_agent", "read_file", "list_directory", "grep_search", "git_diff")
]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOXPILOT_DEMO_SPEED", "0")


async def say(*messages: Message | str, tools: list[Tool] = TOOLS) -> Step:
    heard: list[Delta] = []
    said = [PersonSaid(message) if isinstance(message, str) else message for message in messages]
    step = await ask(choose(AssistantSettings(), {}), "", said, tools, heard.append)
    assert "".join(delta.text for delta in heard) == step.text
    assert len(heard) > 1, "it streams"
    return step


def done(step: Step, content: str = "I did it.") -> list[Message]:
    return [
        ModelSaid(step.text, step.calls, step.message),
        *(ToolReturned(call.id, call.name, content) for call in step.calls),
    ]


async def test_coding_work_is_handed_to_an_agent_under_a_fitting_name() -> None:
    step = await say("Please add a greeting to hello.py")
    (call,) = step.calls
    assert call.name == "copilot_agent"
    assert call.arguments is not None
    assert call.arguments["session_name"] == "add-greeting-hello"
    assert "Please add a greeting to hello.py" in call.arguments["prompt"]
    assert step.finish == "tool_call"


async def test_what_the_agent_did_is_told_and_the_turn_ends() -> None:
    first = await say("Add a greeting to hello.py")
    last = await say("Add a greeting to hello.py", *done(first, "I added a line."))
    assert last.calls == ()
    assert "I added a line." in last.text


async def test_a_follow_up_goes_to_the_same_session_and_other_work_to_another() -> None:
    first = await say("Add a greeting to hello.py")
    so_far = [PersonSaid("Add a greeting to hello.py"), *done(first), ModelSaid("Done.")]
    more = await say(*so_far, "Also write a test for it")
    other = await say(*so_far, "Refactor the logger")
    names = [
        step.calls[0].arguments["session_name"] for step in (first, more, other) if step.calls[0].arguments
    ]
    assert names == ["add-greeting-hello", "add-greeting-hello", "refactor-logger"]
    assert len({first.calls[0].id, more.calls[0].id}) == 2


@pytest.mark.parametrize(
    ("wish", "tool", "arguments"),
    [
        ("Which files are there?", "list_directory", {}),
        ("Show me README.md", "read_file", {"path": "README.md"}),
        ("Search for TODO", "grep_search", {"pattern": "TODO"}),
        ("What has changed?", "git_diff", {}),
    ],
)
async def test_it_looks_at_files_with_the_tools(wish: str, tool: str, arguments: dict[str, str]) -> None:
    (call,) = (await say(wish)).calls
    assert (call.name, call.arguments) == (tool, arguments)


async def test_anything_else_is_answered_in_words_and_no_missing_tool_is_called() -> None:
    assert (await say("Hello, who are you?")).calls == ()
    assert (await say("Add a greeting", tools=[])).calls == ()


async def test_the_same_conversation_gets_the_same_answer() -> None:
    assert await say("Fix the login bug") == await say("Fix the login bug")
