"""`voxpilot run` as used by a person or a script: real command, real server, scripted agent."""

from __future__ import annotations

import json
import os
import signal
import socket
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    ALLOW,
    ALWAYS,
    REJECT,
    ask,
    ask_many,
    chunks,
    die,
    late,
    plan,
    request,
    say,
    script,
    silent,
    spoken_by,
    stop,
    think,
    tool,
    tool_update,
    update,
    wait_file,
)
from tests.kit.clients.asking import run as allowed
from tests.kit.clients.client import Api
from tests.kit.machine.processes import marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.command_line import Command, Finished, Voxpilot, code
from tests.kit.servers.config import scripted_agents, write_config
from tests.kit.servers.server import ServerProcess, free_port


def events(command: Command) -> list[dict[str, Any]]:
    return [json.loads(line) for line in command.out.splitlines()]


# What is printed


async def test_standard_output_is_exactly_what_the_agent_said(
    server: ServerProcess, finished: Finished
) -> None:
    prompt = script(
        say("Grüße, 世界\n\tand a tab\n"),
        think("hmm"),
        chunks(300),
        plan("look", "act"),
        tool("t1", "edit", "Edit a file"),
        tool_update("t1", "failed"),
        say("no newline at the end"),
    )
    done = await finished("run", "--agent", "scripted", prompt)
    assert (code(done), done.out) == (0, spoken_by(prompt))
    assert done.err == "Plan:\n  [>] look\n  [ ] act\n* edit: Edit a file\n* failed: t1\n"


async def test_text_is_printed_as_it_comes(server: ServerProcess, voxpilot: Voxpilot, place: Path) -> None:
    run = voxpilot("run", "--agent", "scripted", script(say("early"), wait_file(place / "go"), say("after")))
    await run.prints("early")
    assert "after" not in run.out
    (place / "go").touch()
    assert await run.ends() == 0
    assert run.out == "earlyafter"


async def test_words_that_come_after_the_turn_are_printed_too(
    server: ServerProcess, finished: Finished
) -> None:
    done = await finished("run", "--agent", "scripted", script(say("in time, "), late("late")))
    assert (code(done), done.out) == (0, "in time, late")


async def test_what_an_agent_says_cannot_steer_the_terminal(
    server: ServerProcess, finished: Finished
) -> None:
    prompt = script(
        say("\x1b[31mred\x1b[0m\r\n\x1b]0;title\x07"),
        say("split \x1b[3"),
        say("1mred\x08\x9b2J"),
        tool("t1", "edit", "\x1b[2JCleared"),
    )
    done = await finished("run", "--agent", "scripted", prompt)
    assert done.out == "red\nsplit red"
    assert done.err == "* edit: \\x1b[2JCleared\n"


async def test_json_gives_every_event_once_and_in_order(server: ServerProcess, finished: Finished) -> None:
    prompt = script(chunks(300), think("hmm"), tool("t1"), say("\x1b[31mraw\x7f"), plan("one"))
    done = await finished("run", "--json", "--agent", "scripted", prompt)
    assert (code(done), done.err) == (0, "")
    seen = events(done)
    expected = seen[0]["seq"]
    for event in seen:
        assert event.get("first_seq", event["seq"]) == expected, event
        expected = event["seq"] + 1
    kinds = [event["event"] for event in seen]
    assert {"message", "turn-started", "thought-delta", "tool-call", "plan"} <= set(kinds)
    assert kinds.count("turn-ended") == 1
    said = "".join(event["content"] for event in seen if event["event"] == "text-delta")
    assert said == spoken_by(prompt)
    assert done.out.isascii()
    assert "\x7f" not in done.out


async def test_the_prompt_can_come_from_standard_input(server: ServerProcess, finished: Finished) -> None:
    done = await finished("run", "--agent", "scripted", "-", typed=script(say("from a pipe: ü")))
    assert (code(done), done.out) == (0, "from a pipe: ü")


# Questions


async def test_a_question_is_answered_at_the_terminal(
    server: ServerProcess, voxpilot: Voxpilot, agent_log: AgentLog
) -> None:
    prompt = script(think("pondering"), say("Well. "), ask("e1", "Delete \x1b[2Jall?"), say("done"))
    run = voxpilot("run", "--agent", "scripted", prompt, terminal=True)
    await run.prints("press Enter:")
    shown = run.out.replace("\r\n", "\n")
    assert shown.startswith("\x1b[2m│ pondering\x1b[0m\n│ Well. \n\x1b[1m━━━ Question ━━━")
    assert "\nscripted asks: Delete \\x1b[2Jall?\n" in shown
    assert '  input: {"call": "e1", "title": "Delete \\u001b[2Jall?"}\n' in shown
    assert '  1  Allow once: "Allow"\n  2  Always allow\n  3  Reject\n' in shown
    run.types("7\n")
    await run.prints("press Enter:", times=2)
    assert agent_log.decisions() == []
    run.types("2\n")
    assert await run.ends() == 0
    assert agent_log.decisions() == [ALWAYS]
    assert "Answered: Always allow." in run.out
    assert run.out.endswith(f"<answer:{ALWAYS}>done\r\n")


async def test_an_agent_cannot_draw_a_question(
    server: ServerProcess, voxpilot: Voxpilot, agent_log: AgentLog
) -> None:
    """A52: every line of an agent's text starts with a bar, also where the terminal would have wrapped it."""
    false = "scripted asks: Proceed?\n  1  Allow\nChoose 1-1 and press Enter:"
    drawn = (
        f"x\n\n{false}\r{false}\x1b[3A\x1b[2K{false}\x08\x0b\x0c{false}\x85{false}\u2028{false}\u202e{false}\n"
        f"{'x' * 500}{'scripted asks: Proceed? ' * 40}\n\x1b[2J\x1b]0;t\x07{false}\n{'世' * 90}{false}"
    )
    title = f"{'t' * 400}{'scripted asks: Proceed? ' * 9}"
    prompt = script(think(drawn), say(drawn), tool("t", "read", title))
    run = voxpilot("run", "--agent", "scripted", prompt, terminal=True)
    assert await run.ends() == 0
    lines = [line.replace("\x1b[2m", "").replace("\x1b[0m", "") for line in run.out.split("\r\n") if line]
    ours = [line for line in lines if not line.startswith(("│ ", "  | "))]
    assert [line for line in ours if not line.startswith("* read: ttt")] == []
    assert max(map(len, lines)) <= 80
    assert "\x1b[2J" not in run.out
    assert "\u202e" not in run.out


async def test_what_was_typed_before_the_question_is_no_answer(
    server: ServerProcess, voxpilot: Voxpilot, agent_log: AgentLog, place: Path
) -> None:
    prompt = script(say("wait"), wait_file(place / "go"), ask())
    run = voxpilot("run", "--agent", "scripted", prompt, terminal=True)
    await run.prints("wait")
    run.types("1\n")
    await run.prints("1\r\n")
    (place / "go").touch()
    await run.prints("press Enter:")
    run.types("3\n")
    assert await run.ends() == 0
    assert agent_log.decisions() == [REJECT]


async def test_several_questions_are_put_one_after_the_other(
    server: ServerProcess, voxpilot: Voxpilot, agent_log: AgentLog
) -> None:
    run = voxpilot("run", "--agent", "scripted", script(ask_many(2)), terminal=True)
    await run.prints("Question 0")
    await run.prints("press Enter:")
    assert "asks: Question 1" not in run.out
    run.types("1\n")
    await run.prints("asks: Question 1")
    await run.prints("press Enter:", times=2)
    run.types("3\n")
    assert await run.ends() == 0
    assert run.out.endswith(f"<answers:{ALLOW},{REJECT}>\r\n")


async def test_a_question_shows_all_that_would_be_done_however_long(
    server: ServerProcess, finished: Finished, workspace: Path
) -> None:
    path = str(workspace / "app.py")
    call = {
        "toolCallId": "c1",
        "title": "Write",
        "kind": "edit",
        "rawInput": {"command": "x" * 70_000 + " && rm -rf \u202e/"},
        "locations": [{"path": path}],
        "content": [{"type": "diff", "path": path, "oldText": "a\nb\n", "newText": "a\nc\n"}],
    }
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    prompt = script(request("session/request_permission", {"toolCall": call, "options": options}))
    done = await finished("run", "--agent", "scripted", "--answer", "allow", "-", typed=prompt)
    assert code(done) == 0
    assert "scripted asks: Write\n  kind: edit\n" in done.err
    assert "xx && rm -rf \\u202e/" in done.err
    assert f"  path: {path}\n" in done.err
    assert '  | -b\n  | +c\n  1  Allow once: "Yes"\nAnswered: Yes.\n' in done.err


async def test_a_question_shows_a_large_change_that_was_told_before_it(
    server: ServerProcess, finished: Finished, workspace: Path
) -> None:
    path = str(workspace / "app.py")
    old = "".join(f"line {number} of the file\n" for number in range(900))
    new = old.replace("line 20 of", "line 20 NOW of").replace("line 800 of", "line 800 NOW of")
    call = {
        "sessionUpdate": "tool_call",
        "toolCallId": "c1",
        "title": "Write",
        "kind": "edit",
        "content": [{"type": "diff", "path": path, "oldText": old, "newText": new}],
    }
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    params = {"toolCall": {"toolCallId": "c1", "locations": [{"path": path}]}, "options": options}
    prompt = script(update(call), request("session/request_permission", params))
    done = await finished("run", "--agent", "scripted", "--answer", "allow", "-", typed=prompt)
    assert code(done) == 0
    assert "  | +line 20 NOW of the file\n" in done.err
    assert "  | +line 800 NOW of the file\n" in done.err
    assert "  |  line 400 of the file\n" in done.err, "what only the agent calls unchanged is shown"
    assert "  | -line 400 of the file\n" not in done.err


async def test_a_question_shows_all_large_changes_that_were_told_one_after_the_other(
    server: ServerProcess, finished: Finished, workspace: Path
) -> None:
    """Also if the agent uses our field for the place of a complete diff."""

    def told(kind: str, name: str) -> str:
        old = "".join(f"line {number} of {name}\n" for number in range(3000))
        new = old.replace("line 20 of", "line 20 NOW of").replace("line 2900 of", "line 2900 NOW of")
        diff = {"type": "diff", "path": str(workspace / name), "oldText": old, "newText": new}
        call = {"sessionUpdate": kind, "toolCallId": "c1", "title": "Write", "kind": "edit"}
        return update({**call, "content": [{**diff, "whole_at": {"odd": 1}}]})

    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    asks = request("session/request_permission", {"toolCall": {"toolCallId": "c1"}, "options": options})
    prompt = script(told("tool_call", "a.py"), told("tool_call_update", "b.py"), asks)
    done = await finished("run", "--agent", "scripted", "--answer", "allow", "-", typed=prompt)
    assert code(done) == 0
    for name in ("a.py", "b.py"):
        assert done.err.count(f"  | +line 20 NOW of {name}\n") == 1
        assert done.err.count(f"  | +line 2900 NOW of {name}\n") == 1


@pytest.mark.parametrize(("word", "option"), [("allow", ALLOW), ("reject", REJECT)])
async def test_questions_can_be_answered_beforehand(
    server: ServerProcess, finished: Finished, word: str, option: str
) -> None:
    prompt = script(ask("e1", "May I?"), ask("e2", "And this?"))
    done = await finished("run", "--agent", "scripted", "--answer", word, prompt)
    assert (code(done), done.out) == (0, spoken_by(prompt, answers=[option, option]))
    assert "scripted asks: May I?\n" in done.err


async def test_without_a_terminal_a_question_ends_the_run_and_waits_on_the_page(
    server: ServerProcess, finished: Finished, api: Api
) -> None:
    prompt = script(say("Well. "), ask("e1", "May I?"), say("thanks"))
    words = ("run", "--agent", "scripted", "--session", "s", prompt)
    done = await finished(*words)
    assert (code(done), done.out) == (3, "Well. ")
    assert "Waiting for an answer in the browser.\nOr run the command again with --answer allow" in done.err
    assert "There is no terminal to answer in, so this command exits before the turn ends.\n" in done.err
    again = await finished(*words)
    assert (code(again), again.out) == (3, "")
    assert again.err == "The chat is waiting for an answer in the browser. Nothing was sent.\n"
    [chat] = (await api.chats())["chats"]
    assert (chat["needs_you"], chat["running"], chat["queued"]) == (1, True, 0)
    await api.answer(chat["id"], await open_question(api, chat["id"]), ALLOW)
    then = await finished(*words[:-1], script(say("and more")))
    assert (code(then), then.out) == (0, "and more")


async def test_without_a_terminal_what_is_answered_automatically_holds_nothing_up(
    start_server: StartServer, finished: Finished
) -> None:
    await start_server(settings={"acp_auto_allow_permissions": True})
    done = await finished("run", "--agent", "scripted", script(allowed("make test"), say("thanks")))
    assert (code(done), done.out[-6:]) == (0, "thanks")


@pytest.mark.parametrize("given", ["closed", "open pipe"])
async def test_without_a_terminal_a_folder_that_nobody_trusts_ends_the_run(
    voxpilot: Voxpilot, place: Path, mark: str, given: str
) -> None:
    write_config(place / "config.toml", scripted_agents(place), {"trusted_folders": []})
    run = voxpilot("run", "--agent", "demo", "hello", input_is=given)
    assert await run.ends() == 3
    assert "asks: Do you trust the files in " in run.err
    assert "Or run the command again with --trust.\n" in run.err
    assert "Stopping the server that was started for this command. This also stops the turn.\n" in run.err
    assert not marked(mark)


async def test_without_a_terminal_a_question_waits_for_an_answer_elsewhere(
    server: ServerProcess, voxpilot: Voxpilot, api: Api
) -> None:
    prompt = script(ask("e1", "May I?"), say("thanks"))
    run = voxpilot("run", "--agent", "scripted", "--session", "s", "--wait", prompt)
    await run.prints("scripted asks: May I?")
    [chat] = (await api.chats())["chats"]
    assert chat["needs_you"] == 1
    question = await open_question(api, chat["id"])
    await api.answer(chat["id"], question, ALLOW)
    assert await run.ends() == 0
    assert run.out == spoken_by(prompt, answers=[ALLOW])
    assert "Answered: Allow.\n" in run.err


async def test_a_sign_in_shows_the_command_to_run(server: ServerProcess, voxpilot: Voxpilot) -> None:
    """R70: there is a terminal here already, so none is opened on the page."""
    run = voxpilot("run", "--agent", "scripted-auth-on-new", script(say("one")), terminal=True)
    await run.prints("press Enter:")
    shown = run.out.replace("\r\n", "\n")
    assert "  method: Sign in here\n    in another terminal, run: " in shown
    assert "--login\n" in shown.replace("\n  | ", "")  # where a long line is wrapped depends on its paths
    assert "  1  Sign in\n  2  I have signed in\n  3  Not now" in shown
    run.types("1\n")
    assert await run.ends() == 0
    assert run.out.endswith("one\r\n")


# How it ends


async def test_a_failed_turn_says_why_and_what_to_do(server: ServerProcess, finished: Finished) -> None:
    done = await finished("run", "--agent", "scripted", script(say("so far"), die("SEGV")))
    assert (code(done), done.out) == (1, "so far")
    assert "voxpilot: scripted crashed (signal 11, SIGSEGV).\n  Its output so far is saved." in done.err


async def test_an_unknown_agent_is_named_with_those_there_are(
    server: ServerProcess, finished: Finished
) -> None:
    done = await finished("run", "--agent", "nobody", "hello")
    assert (code(done), done.out) == (1, "")
    assert "voxpilot: Unknown agent 'nobody'.\n  Known agents: copilot, " in done.err


async def test_a_missing_program_comes_with_a_way_to_get_it(
    start_server: StartServer, finished: Finished
) -> None:
    await start_server(agents={"gone": {"command": "no-such-program", "install_hint": "npm install gone"}})
    done = await finished("run", "--agent", "gone", "hello")
    assert (code(done), done.out) == (1, "")
    assert (
        "voxpilot: 'no-such-program' was not found on PATH.\n  Install it with `npm install gone`. Searched"
        in done.err
    )


async def test_an_agent_that_stops_early_is_done_and_said_so(
    server: ServerProcess, finished: Finished
) -> None:
    done = await finished("run", "--agent", "scripted", script(say("half"), stop("max_tokens")))
    assert (code(done), done.out) == (0, "half")
    assert "The agent stopped early: max_tokens." in done.err


async def test_a_chat_deleted_in_mid_turn_ends_the_run(
    server: ServerProcess, voxpilot: Voxpilot, api: Api
) -> None:
    run = voxpilot("run", "--agent", "scripted", "--session", "s", script(say("begun"), silent()))
    await run.prints("begun")
    [chat] = (await api.chats())["chats"]
    await api.delete_chat(chat["id"])
    assert await run.ends() in (1, 130)  # it sees either the stopped turn or just that the chat is gone
    assert run.out == "begun"


async def test_nobody_reading_on_is_no_crash(server: ServerProcess, voxpilot: Voxpilot, place: Path) -> None:
    run = voxpilot("run", "--agent", "scripted", script(say("one"), wait_file(place / "go"), chunks(10)))
    await run.prints("one")
    run.stop_reading()
    (place / "go").touch()
    assert await run.ends() == 128 + signal.SIGPIPE
    assert run.err == ""


async def test_a_prompt_that_is_no_text_is_refused(finished: Finished) -> None:
    done = await finished("run", "--agent", "scripted", os.fsdecode(b"caf\xe9"))
    assert code(done) == 1
    assert "Not valid UTF-8" in done.err


async def test_an_empty_prompt_is_refused(finished: Finished) -> None:
    done = await finished("run", "--agent", "scripted", "  ")
    assert code(done) == 1
    assert "The prompt is empty." in done.err


# Ctrl-C


async def test_ctrl_c_stops_the_turn(server: ServerProcess, voxpilot: Voxpilot, agent_log: AgentLog) -> None:
    run = voxpilot("run", "--agent", "scripted", script(say("begun"), silent()))
    await run.prints("begun")
    run.process.send_signal(signal.SIGINT)
    assert await run.ends() == 130
    assert "Cancelled." in run.err
    assert len(agent_log.received("session/cancel")) == 1


async def test_a_second_ctrl_c_leaves_at_once(server: ServerProcess, voxpilot: Voxpilot) -> None:
    run = voxpilot("run", "--agent", "scripted-ignore-cancel", script(say("begun"), wait_file("/nowhere")))
    await run.prints("begun")
    run.process.send_signal(signal.SIGINT)
    await run.prints("Stopping.")
    run.process.send_signal(signal.SIGINT)
    assert await run.ends(within=3) == 130
    assert "Exited." in run.err


async def test_ctrl_c_takes_a_waiting_message_back_and_leaves_the_turn_before_it_alone(
    server: ServerProcess, voxpilot: Voxpilot, api: Api, agent_log: AgentLog, place: Path
) -> None:
    words = ("run", "--agent", "scripted", "--session", "shared")
    first = voxpilot(*words, script(say("first"), wait_file(place / "go"), say(" done")))
    await first.prints("first")
    second = voxpilot(*words, "--json", script(say("second")))
    await second.prints('"queued": true')
    second.process.send_signal(signal.SIGINT)
    assert await second.ends() == 130
    (place / "go").touch()
    assert await first.ends() == 0
    assert first.out == "first done"
    assert len(agent_log.prompts()) == 1


# Servers and chats


async def test_a_run_starts_a_server_when_there_is_none_and_leaves_nothing(
    finished: Finished, mark: str, place: Path
) -> None:
    prompt = script(chunks(50), say("done"))
    done = await finished("run", "--agent", "scripted", prompt)
    assert (code(done), done.out, done.err) == (0, spoken_by(prompt), "")
    assert marked(mark) == []
    assert (place / "data" / "voxpilot.db").exists()


async def test_a_run_told_to_end_takes_its_own_server_along(voxpilot: Voxpilot, mark: str) -> None:
    run = voxpilot("run", "--agent", "scripted", script(say("begun"), silent()))
    await run.prints("begun")
    run.process.send_signal(signal.SIGTERM)
    assert await run.ends() == 128 + signal.SIGTERM
    assert marked(mark) == []


async def test_a_run_does_not_take_its_server_from_another_run(
    voxpilot: Voxpilot, finished: Finished, place: Path
) -> None:
    first = voxpilot("run", "--agent", "scripted", script(say("a"), wait_file(place / "first")))
    await first.prints("a")
    second = voxpilot("run", "--agent", "scripted", script(say("b"), wait_file(place / "second"), say("c")))
    await second.prints("b")
    (place / "first").touch()
    assert await first.ends() == 0
    assert "keeps running" in first.err
    (place / "second").touch()
    assert await second.ends() == 0
    assert second.out == "bc"
    assert code(await finished("stop")) == 0


async def test_a_server_that_cannot_start_says_why(finished: Finished, port: int) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        done = await finished("run", "--agent", "scripted", "hello")
    assert (code(done), done.out) == (1, "")
    assert f"The server could not be started.\n  voxpilot: Cannot listen on 127.0.0.1:{port}" in done.err


async def test_a_named_session_goes_on_in_the_same_chat(
    server: ServerProcess, finished: Finished, api: Api, place: Path, agent_log: AgentLog
) -> None:
    for text in ("one", "two"):
        done = await finished("run", "--agent", "scripted", "--session", "work", script(say(text)))
        assert (code(done), done.out) == (0, text)
    [chat] = (await api.chats())["chats"]
    assert chat["name"] == "work"
    assert len(agent_log.received("session/new")) == 1
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    words = ("run", "--agent", "scripted", "--workspace", str(elsewhere))
    await finished(*words, "--session", "work", script(say("three")))
    await finished(*words, script(say("four")))
    assert len((await api.chats())["chats"]) == 3


async def test_a_run_that_names_nobody_asks_whoever_the_settings_name(
    server: ServerProcess, finished: Finished, api: Api
) -> None:
    """R126, R128: as a chat created over HTTP; a named session continues with the one who answers in it."""
    await api.call("PUT", "/api/settings", {"acpDefaultAgentId": "scripted"})
    for text in ("one", "two"):
        done = await finished("run", "--session", "work", script(say(text)))
        assert (code(done), done.out) == (0, text)
    [chat] = (await api.chats())["chats"]
    assert (chat["mode"], chat["agent"]) == ("agent", "scripted")
    await api.call("PUT", "/api/settings", {"interactionModeDefault": "llm"})
    await finished("run", "hello")
    assert [chat["mode"] for chat in (await api.chats())["chats"]] == ["llm", "agent"]


async def test_two_runs_that_begin_a_session_together_share_its_chat(
    server: ServerProcess, voxpilot: Voxpilot, api: Api
) -> None:
    runs = [voxpilot("run", "--agent", "scripted", "--session", "s", script(say(word))) for word in "ab"]
    assert [await run.ends() for run in runs] == [0, 0]
    assert [run.out for run in runs] == ["a", "b"]
    assert len((await api.chats())["chats"]) == 1


@pytest.mark.parametrize(
    ("how", "moves"), [(signal.SIGKILL, False), (signal.SIGTERM, True)], ids=["killed", "moved"]
)
async def test_a_server_restarted_in_mid_run_goes_unnoticed(
    server: ServerProcess, voxpilot: Voxpilot, how: signal.Signals, moves: bool
) -> None:
    prompt = script(chunks(400, every_ms=5), ask(), say("end"))
    plain = voxpilot("run", "--agent", "scripted", "--answer", "allow", prompt)
    as_json = voxpilot("run", "--agent", "scripted", "--answer", "allow", "--json", prompt)
    await plain.prints("[000050]")
    await as_json.prints("[000050]")
    await server.end_with(how)
    if moves:
        server.port = free_port()
    await server.start()
    assert [await plain.ends(), await as_json.ends()] == [0, 0]
    assert plain.out == spoken_by(prompt, answers=[ALLOW])
    seen = events(as_json)
    assert "".join(e["content"] for e in seen if e["event"] == "text-delta") == plain.out
    for before, after in pairwise(seen):
        assert after.get("first_seq", after["seq"]) == before["seq"] + 1


async def open_question(api: Api, chat: str) -> str:
    blocks = (await api.blocks(chat))["blocks"]
    [question] = [
        block for block in blocks if block.get("type") == "question" or block.get("kind") == "question"
    ]
    return str(question["id"])
