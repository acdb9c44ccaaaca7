"""The scripted model says what its script says, in each provider's format."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.fakes.llm.script import DONE, TITLE, slow_text
from tests.kit.peers.llm import ScriptedLlm, scripted_llm

READ_TOOL = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


@pytest.fixture
def llm(tmp_path: Path) -> Iterator[ScriptedLlm]:
    with scripted_llm(tmp_path / "calls.jsonl", ["--scripts", str(tmp_path / "scripts.json")]) as running:
        yield running


def ended(llm: ScriptedLlm, count: int) -> list[dict[str, Any]]:
    """This many requests, once the end of each is logged, which may be after its reply was read."""
    given_up_at = time.monotonic() + 10
    while time.monotonic() < given_up_at:
        asked = llm.asked()
        if len(asked) == count and all(request["ended"] for request in asked):
            return asked
        time.sleep(0.01)
    raise AssertionError(f"not ended: {llm.asked()}")


class Chat:
    """OpenAI chat completions as a client speaks it."""

    path = "/v1/chat/completions"

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def body(self) -> Any:
        tool = {"type": "function", "function": {"name": "read_file", "parameters": READ_TOOL}}
        return {"messages": self.messages, "tools": [tool]}

    def user(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def result(self, call: str, text: str) -> None:
        self.messages.append({"role": "tool", "tool_call_id": call, "content": text})

    def text_of(self, whole: Any) -> str:
        return whole["choices"][0]["message"]["content"]

    def calls_of(self, whole: Any) -> list[tuple[str, str, Any]]:
        calls = whole["choices"][0]["message"].get("tool_calls", [])
        return [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls]

    def streamed_text(self, events: list[Any]) -> str:
        deltas = [choice["delta"] for event in events for choice in event["choices"]]
        return "".join(delta.get("content", "") for delta in deltas)

    def streamed_arguments(self, events: list[Any]) -> str:
        deltas = [choice["delta"] for event in events for choice in event["choices"]]
        return "".join(c["function"]["arguments"] for d in deltas for c in d.get("tool_calls", []))


class Responses:
    """OpenAI responses."""

    path = "/v1/responses"

    def __init__(self) -> None:
        self.input: list[Any] = []

    def body(self) -> Any:
        tool = {"type": "function", "name": "read_file", "parameters": READ_TOOL}
        return {"input": self.input, "tools": [tool]}

    def user(self, text: str) -> None:
        content = [{"type": "input_text", "text": text}]
        self.input.append({"type": "message", "role": "user", "content": content})

    def result(self, call: str, text: str) -> None:
        self.input.append({"type": "function_call_output", "call_id": call, "output": text})

    def text_of(self, whole: Any) -> str:
        messages = [item for item in whole["output"] if item["type"] == "message"]
        return "".join(part["text"] for item in messages for part in item["content"])

    def calls_of(self, whole: Any) -> list[tuple[str, str, Any]]:
        calls = [item for item in whole["output"] if item["type"] == "function_call"]
        return [(c["call_id"], c["name"], json.loads(c["arguments"])) for c in calls]

    def streamed_text(self, events: list[Any]) -> str:
        return "".join(e["delta"] for e in events if e["type"] == "response.output_text.delta")

    def streamed_arguments(self, events: list[Any]) -> str:
        return "".join(e["delta"] for e in events if e["type"] == "response.function_call_arguments.delta")


class Messages:
    """Anthropic messages."""

    path = "/v1/messages"

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def body(self) -> Any:
        return {"messages": self.messages, "tools": [{"name": "read_file", "input_schema": READ_TOOL}]}

    def user(self, text: str) -> None:
        self.messages.append({"role": "user", "content": [{"type": "text", "text": text}]})

    def result(self, call: str, text: str) -> None:
        result = {"type": "tool_result", "tool_use_id": call, "content": text}
        self.messages.append({"role": "user", "content": [result]})

    def text_of(self, whole: Any) -> str:
        return "".join(part["text"] for part in whole["content"] if part["type"] == "text")

    def calls_of(self, whole: Any) -> list[tuple[str, str, Any]]:
        calls = [part for part in whole["content"] if part["type"] == "tool_use"]
        return [(c["id"], c["name"], c["input"]) for c in calls]

    def streamed_text(self, events: list[Any]) -> str:
        return "".join(e["delta"].get("text", "") for e in events if e["type"] == "content_block_delta")

    def streamed_arguments(self, events: list[Any]) -> str:
        deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
        return "".join(delta.get("partial_json", "") for delta in deltas)


Client = Chat | Responses | Messages


@pytest.fixture(params=[Chat, Responses, Messages])
def client(request: pytest.FixtureRequest) -> Client:
    """Each provider's own."""
    made: Client = request.param()
    return made


def post(llm: ScriptedLlm, client: Client, **more: Any) -> httpx2.Response:
    return httpx2.post(llm.url + client.path, json=client.body() | more, trust_env=False)


def stream(llm: ScriptedLlm, client: Client) -> list[Any]:
    lines = post(llm, client, stream=True).text.splitlines()
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return [json.loads(line) for line in data if line != "[DONE]"]


def test_a_script_is_played_reply_by_reply(llm: ScriptedLlm, client: Client) -> None:
    client.user('say I look.\ncall read_file {"path": "a.txt"}\nsay All is well.')
    first = post(llm, client).json()
    [(call, name, arguments)] = client.calls_of(first)
    assert (client.text_of(first), name, arguments) == ("I look.", "read_file", {"path": "a.txt"})
    client.result(call, "its text")
    second = post(llm, client).json()
    assert (client.text_of(second), client.calls_of(second)) == ("All is well.", [])


def test_a_stream_adds_up_to_the_whole(llm: ScriptedLlm, client: Client) -> None:
    client.user("slow 7 0.001\nread a.txt")
    events = stream(llm, client)
    assert client.streamed_text(events) == slow_text(7)
    assert json.loads(client.streamed_arguments(events)) == {"path": "a.txt"}


def test_two_calls_of_one_reply_wait_for_both_results(llm: ScriptedLlm, client: Client) -> None:
    client.user("read a\nalso read b\nread c")
    calls = client.calls_of(post(llm, client).json())
    assert [arguments["path"] for _, _, arguments in calls] == ["a", "b"]
    client.result(calls[0][0], "a")
    client.result(calls[1][0], "b")
    [(call, _, arguments)] = client.calls_of(post(llm, client).json())
    assert arguments == {"path": "c"}
    client.result(call, "c")
    assert client.text_of(post(llm, client).json()) == DONE


def test_the_newest_script_counts_and_wrappings_do_not(llm: ScriptedLlm, client: Client) -> None:
    client.user("say old")
    client.user("<system-reminder>\nsay nothing\n</system-reminder>\nsay new")
    client.user("<system-reminder>\nsay nothing\n</system-reminder>")
    assert client.text_of(post(llm, client).json()) == "new"


def test_a_failure_is_an_http_status(llm: ScriptedLlm, client: Client) -> None:
    client.user("fail 429")
    response = post(llm, client)
    assert response.status_code == 429
    assert response.json()["error"]["message"]


def test_a_broken_stream_ends_without_its_end(llm: ScriptedLlm, client: Client) -> None:
    client.user("break\nslow 50 0.001")
    with pytest.raises(httpx2.RemoteProtocolError):
        stream(llm, client)
    assert [request["ended"] for request in ended(llm, 1)] == ["broken"]


def test_a_request_without_tools_is_an_agents_own(llm: ScriptedLlm, client: Client) -> None:
    client.user("say hello")
    assert client.text_of(post(llm, client, tools=[]).json()) == TITLE
    assert llm.asked() == []
    assert len(llm.asked(own_too=True)) == 1


def test_what_an_agent_asks_of_itself_is_no_part_of_the_script(llm: ScriptedLlm, client: Client) -> None:
    client.user("read a.txt")
    client.user("What might the user want next?")
    answer = post(llm, client).json()
    assert (client.text_of(answer), client.calls_of(answer), llm.asked()) == (TITLE, [], [])


def test_a_command_asks_for_more_rights_unless_its_user_is_asked_anyway(llm: ScriptedLlm) -> None:
    names = ("cmd", "sandbox_permissions")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    tool = {"type": "function", "name": "exec_command", "parameters": schema}
    client = Responses()
    client.user("run ls")
    [(_, _, wanted)] = client.calls_of(post(llm, client, tools=[tool]).json())
    assert wanted == {"cmd": "ls", "sandbox_permissions": "require_escalated"}
    told = "`approval_policy` is `unless-trusted`: most commands are asked about."
    client.input.insert(0, {"type": "message", "role": "developer", "content": told})
    [(_, _, wanted)] = client.calls_of(post(llm, client, tools=[tool]).json())
    assert wanted == {"cmd": "ls"}


def test_an_ordinary_message_may_be_given_its_script(
    llm: ScriptedLlm, client: Client, tmp_path: Path
) -> None:
    (tmp_path / "scripts.json").write_text(json.dumps({"Fix the tests": "say I will."}))
    client.user("Fix the tests, please.")
    assert client.text_of(post(llm, client).json()) == "I will."


def test_several_models_are_listed(llm: ScriptedLlm) -> None:
    listed = httpx2.get(f"{llm.openai}/models", trust_env=False).json()
    assert len(listed["data"]) == 3


def test_the_log_tells_each_request_and_its_end(llm: ScriptedLlm) -> None:
    client = Chat()
    client.user("say one")
    post(llm, client)
    client.user("fail 500")
    post(llm, client)
    assert [(request["user"], request["ended"]) for request in ended(llm, 2)] == [
        ("say one", "whole"),
        ("fail 500", "failed"),
    ]
