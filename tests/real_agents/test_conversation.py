"""Typical work with each real agent in one chat, started with its preset as shipped or as the manual says."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import pytest

from tests.kit.clients.driver import NIGHTLY, Talk
from tests.kit.clients.pictures import png
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.waiting import until
from tests.real_agents.day import (
    PATIENCE,
    TurnSeen,
    begin,
    decide,
    latest_options,
    run,
    run_allowing,
)
from tests.real_agents.sheet import Sheet


@pytest.mark.parametrize("sandbox", ["standard", *(["off", "strict"] if NIGHTLY else [])], indirect=True)
async def test_a_days_work(talk: Talk, llm: ScriptedLlm, workspace: Path, sheet: Sheet) -> None:
    """R121, R172, V28, V29: this includes choosing another model, which the provider is then asked for.

    In a sandbox everything is the same; the other tests here run without one.
    """
    await _speaks(talk, sheet)
    await _asks_before_its_first_write(talk, workspace, sheet)
    await _edits(talk, workspace, sheet)
    await _asks_before_its_first_command(talk, workspace, sheet)
    await _obeys_a_refusal(talk, workspace, sheet)
    await _takes_what_is_attached(talk, llm, sheet)
    await _plans_and_asks(talk, llm, sheet)
    await _shows_what_its_provider_says(talk, sheet)
    await _lets_things_be_chosen(talk, llm, sheet)
    await talk.judge()


async def _speaks(talk: Talk, sheet: Sheet) -> None:
    turn = await run(talk, "say Hello there, friend.")
    sheet.note("opens", any(status["status"] == "connected" for status in talk.of_kind("agent-status")))
    sheet.note("text", turn.text == "Hello there, friend." and turn.stop_reason == "end_turn")
    turn = await run(talk, "think Hm, let me see.\nsay It is so.")
    assert turn.text == "It is so.", turn.whole()
    sheet.note("thought", turn.thoughts.strip() == "Hm, let me see.")


async def _asks_before_its_first_write(talk: Talk, workspace: Path, sheet: Sheet) -> None:
    file = workspace / "first.txt"
    turn = await begin(talk, f"write {file} | written")
    question = await turn.question()
    assert question["type"] == "permission"
    sheet.note("asks-write", not file.exists())
    await decide(talk, question, "allow_once")
    await turn.ends()
    assert file.read_text() == "written\n"


async def _edits(talk: Talk, workspace: Path, sheet: Sheet) -> None:
    file = workspace / "greeting.txt"
    file.write_text("hello world\n")
    turn = await run_allowing(talk, f"edit {file} | hello world | hello pilot")
    assert file.read_text() == "hello pilot\n"
    diffs = [part for part in turn.contents("diff") if part["path"] == str(file)]
    shown = any("hello world" in part["oldText"] and "hello pilot" in part["newText"] for part in diffs)
    sheet.note("diff", shown)


async def _asks_before_its_first_command(talk: Talk, workspace: Path, sheet: Sheet) -> None:
    file = workspace / "ran.txt"
    turn = await begin(talk, f"run echo it-ran; touch {file}")
    question = await turn.question()
    assert question["type"] == "permission"
    asked_first = not file.exists()
    await decide(talk, question, "allow_once")
    await turn.ends()
    assert file.exists()
    sheet.note("output", await _shows_output(talk, turn, "it-ran"))
    sheet.note("asks-command", asked_first, await _what_runs_unasked(talk, workspace))


async def _what_runs_unasked(talk: Talk, workspace: Path) -> str:
    """Some agents do not ask about every command; commands they run without asking must change nothing."""
    file = workspace / "quiet.txt"
    if not await _asks(talk, f"quietly touch {file}", file):
        return "a command that needs no special permissions runs without asking, in a read-only sandbox"
    if not await _asks(talk, "quietly ls", workspace / "never"):
        return "a command that it considers harmless, such as `ls`, runs without asking"
    return ""


async def _asks(talk: Talk, script: str, file: Path) -> bool:
    """Whether there is a question, which is then allowed. Until then the file must not exist."""
    turn = await begin(talk, script)
    await until(lambda: bool(turn.questions) or turn.end is not None, PATIENCE)
    assert not file.exists(), "a command changed something and nobody was asked"
    for question in turn.questions:
        await decide(talk, question, "allow_once")
    await turn.ends()
    return bool(turn.questions)


async def _shows_output(talk: Talk, turn: TurnSeen, text: str) -> bool:
    """Where the page looks for it: in the content of the tool call, or if that has no text, in its result."""
    blocks = [block for block in (await talk.api.blocks(talk.id))["blocks"] if block["turn"] == turn.id]
    printed = {block["terminal_id"]: block["text"] for block in blocks if block["kind"] == "terminal"}
    shown = []
    for call in (block for block in blocks if block["kind"] == "tool"):
        texts = [part["content"].get("text", "") for part in call["content"] if part["type"] == "content"]
        shown += texts if any(texts) else [(call.get("output") or {}).get("stdout", "")]
        shown += [printed[part["terminalId"]] for part in call["content"] if part["type"] == "terminal"]
    return any(text in part.splitlines() for part in shown)


async def _obeys_a_refusal(talk: Talk, workspace: Path, sheet: Sheet) -> None:
    file = workspace / "refused.txt"
    turn = await begin(talk, f"write {file} | written")
    await decide(talk, await turn.question(), "reject_once")
    await turn.ends()
    after = await run(talk, "say Still here.")
    sheet.note("reject", not file.exists() and after.text == "Still here.")


async def _takes_what_is_attached(talk: Talk, llm: ScriptedLlm, sheet: Sheet) -> None:
    data = b64encode(png()).decode()
    picture = {"type": "image", "mimeType": "image/png", "data": data, "uri": "file:///my%20photo.png"}
    turn = await TurnSeen(talk, await talk.send("say I see it.", attachments=[picture])).ends()
    assert turn.text == "I see it."
    sheet.note("picture", llm.asked("say I see it.")[-1]["pictures"] > 0)
    alone = await TurnSeen(talk, await talk.send("", attachments=[picture])).ends()
    assert alone.stop_reason == "end_turn"
    words = {"uri": "file:///notes.txt", "text": "The word is heliotrope."}
    attached = [{"type": "resource", "resource": words}]
    turn = await TurnSeen(talk, await talk.send("say I read it.", attachments=attached)).ends()
    assert turn.text == "I read it."
    heard = llm.asked("say I read it.")[-1]["heard"]
    if any("heliotrope" in text for text in heard):
        sheet.note("file", True)
    else:
        copies = ("keepers/*/tmp", "uploads/*/*")  # in a sandbox; and where we store what is attached
        private = [folder for pattern in copies for folder in talk.server.data_dir.glob(pattern)]
        names = [Path(path) for path in re.findall(r"/\S+\.txt", heard[-1])]
        named = [*names, *(folder / path.name for folder in private for path in names)]
        found = any("heliotrope" in path.read_text() for path in named if path.exists())
        sheet.note("file", found, "its model gets the path of a copy" if found else heard[-1])


async def _plans_and_asks(talk: Talk, llm: ScriptedLlm, sheet: Sheet) -> None:
    turn = await run_allowing(talk, "plan Read it | Fix it")
    plans = [plan["entries"] for plan in turn.events("plan")]
    shown = any([entry["content"] for entry in plan] == ["Read it", "Fix it"] for plan in plans)
    came = "an empty plan" if plans else "no plan"
    called = ", ".join(f"“{title}”" for title in dict.fromkeys(turn.titles())) or "none"
    sheet.note("plan", shown, "" if shown else f"its to-do list produced {came}; tool calls: {called}")

    turn = await begin(talk, "ask Which colour?")
    await until(lambda: bool(turn.questions) or turn.end is not None, PATIENCE)
    asked = [question for question in turn.questions if question["type"] == "form"]
    for question in asked:
        assert "Which colour?" in str(question)
        await talk.api.answer_form(talk.id, question["id"], "decline")
    await turn.ends()
    last = llm.asked("Which colour?")[-1]
    reason = f"its tool says: {last['last_result']}" if last["reply"] else "its model has no tool for it"
    sheet.note("form", asked, "" if asked else reason)


async def _shows_what_its_provider_says(talk: Talk, sheet: Sheet) -> None:
    usage = talk.of_kind("usage")
    sheet.note("usage", usage and usage[-1]["usage"]["size"] > usage[-1]["usage"]["used"] > 0)
    sheet.note("commands", any(offered["commands"] for offered in talk.of_kind("commands")))
    turn = await run(talk, "fail 400")
    sheet.note("provider-error", "The script says so." in turn.whole())
    assert (await run(talk, "say Well again.")).text == "Well again."


async def _lets_things_be_chosen(talk: Talk, llm: ScriptedLlm, sheet: Sheet) -> None:
    before = _models_asked(llm)
    model = latest_options(talk, "model")
    assert model is not None
    others = [choice["value"] for choice in model["choices"] if choice["value"] != model["current"]]
    for other in others:
        await _choose(talk, model["id"], other)
        await run(talk, "say Another model.")
        if new := _models_asked(llm) - before:
            break
    sheet.note("model", new)
    mode = latest_options(talk, "mode")
    if mode is None:
        sheet.note("mode", False, "with this configuration it offers none")
        return
    other = next(choice["value"] for choice in mode["choices"] if choice["value"] != mode["current"])
    await _choose(talk, mode["id"], other)
    await run(talk, "say Another mode.")
    now = latest_options(talk, "mode")
    sheet.note("mode", now is not None and now["current"] == other)


def _models_asked(llm: ScriptedLlm) -> set[str]:
    return {request["model"] for request in llm.asked(own_too=True)}


async def _choose(talk: Talk, option: str, value: str) -> None:
    await talk.api.set_option(talk.id, id=option, value=value)
    assert not talk.notices("option-refused")
