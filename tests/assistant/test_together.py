"""Model, history and tools together, as a loop uses them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import orjson
import pytest
from pydantic import SecretStr

from tests.kit.peers.llm import scripted_llm
from voxpilot.assistant import toolbox
from voxpilot.assistant.history import prepared, room_for
from voxpilot.assistant.instructions import instructions
from voxpilot.assistant.llm import ask
from voxpilot.assistant.shapes import (
    Message,
    ModelChoice,
    ModelSaid,
    PersonSaid,
    ToolCall,
    ToolReturned,
    Wire,
)


async def converse(choice: ModelChoice, folder: Path, wish: str) -> list[Message]:
    """A turn without a server: every row is converted to JSON and back, as in the database."""
    tools, told = toolbox.offered(), instructions(str(folder))
    budget = room_for(choice.context_tokens, choice.max_output_tokens, told, tools)
    rows: list[Message] = [PersonSaid(wish)]
    for _ in range(6):
        step = await ask(choice, told, prepared(rows, budget), tools, lambda _: None)
        stored = orjson.loads(orjson.dumps(asdict(step)))
        calls = tuple(ToolCall(**call) for call in stored["calls"])
        rows.append(ModelSaid(stored["text"], calls, stored["message"]))
        if not calls:
            return rows
        for call in calls:
            result = await toolbox.run([str(folder)], call)
            rows.append(ToolReturned(call.id, call.name, result.content, result.is_error))
    raise AssertionError("it did not end")


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_a_model_looks_twice_and_answers(tmp_path: Path, wire: Wire) -> None:
    (tmp_path / "a.txt").write_text("the contents of a\n")
    wish = (
        'say let me see\ncall read_file {"path": "a.txt"}\nalso call read_file {"path": "../b.txt"}\n'
        'think so far so good\ncall grep_search {"pattern": "contents"}\nsay that is all'
    )
    with scripted_llm(tmp_path / "calls.jsonl") as llm:
        choice = ModelChoice(
            provider=wire,
            wire=wire,
            model="scripted-one",
            base_url=llm.url if wire == "anthropic" else llm.openai,
            api_key=SecretStr("k"),
        )
        rows = await converse(choice, tmp_path, wish)
        asked = llm.asked("let me see")
    results = [row for row in rows if isinstance(row, ToolReturned)]
    assert [result.is_error for result in results] == [False, True, False]
    assert results[0].content == "the contents of a\n"
    assert "a.txt:1: the contents" in results[2].content
    assert rows[-1] == ModelSaid(
        "that is all", (), rows[-1].message if isinstance(rows[-1], ModelSaid) else None
    )
    assert [request["results"] for request in asked] == [0, 2, 3]


async def test_the_demo_model_looks_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOXPILOT_DEMO_SPEED", "0")
    (tmp_path / "a.txt").touch()
    rows = await converse(
        ModelChoice(provider="demo", wire="demo", model="demo"), tmp_path, "Which files are there?"
    )
    last = rows[-1]
    assert isinstance(last, ModelSaid)
    assert "a.txt" in last.text
