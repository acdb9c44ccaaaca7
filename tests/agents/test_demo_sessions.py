"""The demo agent's sessions: opening, storing, reopening; their options; what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.demo_client import DemoClient, Frame, choosing
from voxpilot.agents.demo.sample import FOLDER

NOT_JSON, NO_MESSAGE, NO_METHOD, BAD_PARAMS, FAILED, NOT_FOUND = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
    -32002,
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[DemoClient]:
    with DemoClient(tmp_path / "home") as client:
        yield client


def test_a_second_message_gets_a_short_answer_that_remembers_the_first(
    client: DemoClient, tmp_path: Path
) -> None:
    session = client.open(tmp_path)
    client.run(session, "Fix my cart, please", choosing("allow_once"))
    toured = len(client.frames)
    assert client.run(session, "Thank you {first}!") == "end_turn"
    assert len(client.frames) - toured < 30
    assert "You began with “Fix my cart, please”" in client.said()
    assert "Now you say “Thank you {first}!”" in client.said()


def test_the_commands_are_told_once_the_session_is_known(client: DemoClient, tmp_path: Path) -> None:
    client.open(tmp_path)
    update = client.read()["params"]["update"]
    assert [command["name"] for command in update["availableCommands"]] == ["tour", "slow", "error"]


def test_slow_counts_sixty_seconds(client: DemoClient, tmp_path: Path) -> None:
    assert client.run(client.open(tmp_path), "/slow") == "end_turn"
    assert client.said().split("\n") == [f"Second {second} of 60." for second in range(1, 61)]


def test_error_fails_and_the_session_goes_on(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    error = client.answer_to(client.prompt(session, "/error"))["error"]
    assert error["code"] == FAILED
    assert error["message"] == "This is the error you asked for."
    assert client.run(session, "/slow") == "end_turn"


def test_a_message_may_bring_pictures_and_files(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    prompt = [
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "resource_link", "uri": "file:///a.py", "name": "a.py"},
        {"type": "text", "text": "/slow"},
    ]
    assert client.call("session/prompt", sessionId=session, prompt=prompt) == {"stopReason": "end_turn"}


def test_two_sessions_work_side_by_side(client: DemoClient, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    one, two = (client.open(folder) for folder in folders)
    client.prompt(one, "first")
    waiting = client.question()
    assert client.run(two, "second", choosing("allow_once")) == "end_turn"
    client.answer(waiting, choosing("allow_once")(waiting))
    command = client.question()
    assert (waiting["params"]["sessionId"], command["params"]["sessionId"]) == (one, one)
    assert (folders[0] / FOLDER / "cart.py").read_text() == (folders[1] / FOLDER / "cart.py").read_text()


def test_a_session_takes_one_prompt_at_a_time(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    client.prompt(session, "go")
    client.question()
    blocks = [{"type": "text", "text": "and this"}]
    assert client.refusal("session/prompt", sessionId=session, prompt=blocks) == NO_MESSAGE


def test_a_session_is_there_again_after_its_agent_was_killed(tmp_path: Path) -> None:
    with DemoClient(tmp_path / "home") as client:
        session = client.open(tmp_path)
        client.prompt(session, "Fix my cart")
        client.question()
        thought = client.said(speech="agent_thought_chunk")
        client.kill()
    with DemoClient(tmp_path / "home") as client:
        listed = client.call("session/list")["sessions"]
        assert [(entry["sessionId"], entry["title"]) for entry in listed] == [(session, "Fix my cart")]
        client.call("session/load", sessionId=session, cwd=str(tmp_path), mcpServers=[])
        assert client.said(speech="user_message_chunk") == "Fix my cart"
        assert client.said(speech="agent_thought_chunk") == thought
        statuses = {title: call["status"] for title, call in client.tool_calls().items()}
        assert statuses == {
            "Read cart.py": "completed",
            "Read test_cart.py": "completed",
            "Edit cart.py": "failed",
        }
        assert client.updates("session_info_update")[-1]["title"] == "Fix my cart"
        assert client.run(session, "Where were we?") == "end_turn"
        assert "You began with “Fix my cart”" in client.said()


def test_loading_tells_a_finished_tour_as_it_was(tmp_path: Path) -> None:
    with DemoClient(tmp_path / "home") as client:
        session = client.open(tmp_path)
        client.run(session, "go", choosing("allow_once"))
        said, calls, plan = client.said(), client.tool_calls(), client.updates("plan")[-1]
    with DemoClient(tmp_path / "home") as client:
        client.call("session/load", sessionId=session, cwd=str(tmp_path), mcpServers=[])
        assert client.said() == said
        assert client.updates("plan")[-1] == plan
        for title, call in client.tool_calls().items():
            assert call | {"sessionUpdate": ""} == calls[title] | {"sessionUpdate": ""}


def test_an_agent_killed_in_mid_sentence_does_not_use_its_ids_again(tmp_path: Path) -> None:
    with DemoClient(tmp_path / "home", speed="1") as client:
        session = client.open(tmp_path)
        client.prompt(session, "/slow")
        client.read_until(lambda frame: "Second" in str(frame))
        client.kill()
        old = {update["messageId"] for update in client.updates("agent_message_chunk")}
    with DemoClient(tmp_path / "home") as client:
        client.call("session/resume", sessionId=session, cwd=str(tmp_path))
        client.run(session, "/slow")
        assert old.isdisjoint(update["messageId"] for update in client.updates("agent_message_chunk"))


def test_resuming_tells_nothing_and_knows_everything(tmp_path: Path) -> None:
    with DemoClient(tmp_path / "home") as client:
        session = client.open(tmp_path)
        client.call("session/set_mode", sessionId=session, modeId="auto")
        client.run(session, "go")
    with DemoClient(tmp_path / "home") as client:
        resumed = client.call("session/resume", sessionId=session, cwd=str(tmp_path))
        assert resumed["modes"]["currentModeId"] == "auto"
        assert client.said() == ""
        client.run(session, "And?")
        assert "You began with “go”" in client.said()


def test_sessions_are_listed_by_folder(client: DemoClient, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    session = client.open(here)
    client.run(session, "/slow")
    client.open(there)
    listed = client.call("session/list", cwd=str(here))["sessions"]
    assert [entry["sessionId"] for entry in listed] == [session]
    assert client.call("session/list", cwd=str(there))["sessions"] == []


def test_a_deleted_session_is_gone(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    client.run(session, "/slow")
    for _ in range(2):
        client.call("session/delete", sessionId=session)
    assert client.call("session/list")["sessions"] == []
    assert client.refusal("session/load", sessionId=session, cwd=str(tmp_path), mcpServers=[]) == NOT_FOUND


def test_a_session_that_was_closed_can_be_loaded(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    client.run(session, "/slow")
    client.call("session/close", sessionId=session)
    assert client.refusal("session/prompt", sessionId=session, prompt=[]) == NOT_FOUND
    client.call("session/load", sessionId=session, cwd=str(tmp_path), mcpServers=[])


def test_a_session_id_leads_nowhere_else(client: DemoClient, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"id": "secret", "cwd": str(tmp_path)}))
    for session in ("../secret", str(tmp_path / "secret"), "", "\0", "nobody"):
        params = {"sessionId": session, "cwd": str(tmp_path), "mcpServers": []}
        assert client.refusal("session/load", **params) == NOT_FOUND
    client.call("session/delete", sessionId="../secret")
    assert secret.exists()


def test_a_file_that_is_no_session_is_passed_over(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    client.run(session, "/slow")
    for name, text in (("half", '{"id": "half", "cw'), ("list", "[]"), ("other", '{"colour": "red"}')):
        (tmp_path / "home" / f"{name}.json").write_text(text)
    assert [entry["sessionId"] for entry in client.call("session/list")["sessions"]] == [session]


def test_without_a_place_to_keep_sessions_it_works_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    with DemoClient(tmp_path / "home") as client:
        assert client.run(client.open(tmp_path), "/slow") == "end_turn"


def test_the_model_changes_the_tone(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    params = {"sessionId": session, "configId": "model", "value": "demo-cheerful"}
    options = client.call("session/set_config_option", **params)["configOptions"]
    assert {option["id"]: option["currentValue"] for option in options} == {
        "model": "demo-cheerful",
        "mode": "ask",
    }
    client.run(session, "go", choosing("allow_once"))
    assert "Hello there!" in client.said()


def test_both_ways_to_choose_a_mode_tell_the_other(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    assert client.call("session/set_mode", sessionId=session, modeId="auto") == {}
    told = client.updates("config_option_update")[-1]["configOptions"]
    assert {option["id"]: option["currentValue"] for option in told}["mode"] == "auto"
    client.call("session/set_config_option", sessionId=session, configId="mode", value="ask")
    assert client.updates("current_mode_update")[-1]["currentModeId"] == "ask"


def test_what_cannot_be_chosen_is_refused(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    for config_id, value in (("mode", "reckless"), ("mode", True), ("colour", "red"), ([], {}), (None, None)):
        params: Frame = {"sessionId": session, "configId": config_id, "value": value}
        assert client.refusal("session/set_config_option", **params) == BAD_PARAMS
    assert client.refusal("session/set_mode", sessionId=session, modeId="reckless") == BAD_PARAMS


def test_what_makes_no_sense_is_refused_by_the_right_code(client: DemoClient, tmp_path: Path) -> None:
    session = client.open(tmp_path)
    assert client.refusal("session/dance") == NO_METHOD
    assert client.refusal("_example.com/dance") == NO_METHOD
    assert client.refusal("authenticate", methodId="any") == NO_METHOD
    assert client.refusal("session/new", cwd="relative", mcpServers=[]) == BAD_PARAMS
    assert client.refusal("session/new", cwd=str(tmp_path / "missing"), mcpServers=[]) == BAD_PARAMS
    assert client.refusal("session/prompt", sessionId="nobody", prompt=[]) == NOT_FOUND
    assert client.refusal("session/prompt", prompt=[]) == BAD_PARAMS
    assert client.refusal("session/prompt", sessionId=session, prompt="text") == BAD_PARAMS
    assert client.refusal("session/prompt", sessionId=session, prompt=["text"]) == BAD_PARAMS


def test_no_line_ends_the_conversation(client: DemoClient, tmp_path: Path) -> None:
    lines = {
        b"\n": NOT_JSON,
        b"{nonsense\n": NOT_JSON,
        b"\xff\xfe\n": NOT_JSON,
        b"[" * 100_000 + b"\n": NOT_JSON,
    }
    lines |= {
        b"7\n": NO_MESSAGE,
        b"[]\n": NO_MESSAGE,
        b"{}\n": NO_MESSAGE,
        b'{"id": 1, "method": 2}\n': NO_MESSAGE,
    }
    for line, code in lines.items():
        client.send(line)
        answer = client.read_until(lambda frame: "error" in frame)
        assert answer["error"]["code"] == code, line[:20]
    client.send({"jsonrpc": "2.0", "method": "_unknown/notification"})
    client.send({"jsonrpc": "2.0", "id": 12345, "result": {}}, {"jsonrpc": "2.0", "id": [], "result": {}})
    assert client.run(client.open(tmp_path), "/slow") == "end_turn"
