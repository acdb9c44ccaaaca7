"""Asking a model with each provider's wire format; the scripted model answers."""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.waiting import until
from voxpilot.assistant.failures import ContextTooLong, ModelFailed
from voxpilot.assistant.llm import ask
from voxpilot.assistant.shapes import (
    Delta,
    Message,
    ModelChoice,
    ModelSaid,
    PersonSaid,
    Step,
    Tool,
    ToolReturned,
    Wire,
)

KEY = "sk-very-secret-0123456789"
LOOK = Tool(
    "look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
)


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedLlm]:
    with scripted_llm(tmp_path_factory.mktemp("llm") / "calls.jsonl", ["--bodies"]) as running:
        yield running


@pytest.fixture(params=["openai", "compatible", "anthropic"])
def choice(request: pytest.FixtureRequest, llm: ScriptedLlm) -> ModelChoice:
    """Each provider."""
    wire: Wire = "anthropic" if request.param == "anthropic" else "openai"
    return ModelChoice(
        provider=request.param,
        wire=wire,
        model="scripted-one",
        base_url=llm.url if wire == "anthropic" else llm.openai,
        api_key=SecretStr(KEY),
        silence_seconds=20,
        pause_seconds=0.01,
    )


class Heard:
    def __init__(self) -> None:
        self.deltas: list[Delta] = []

    def __call__(self, delta: Delta) -> None:
        self.deltas.append(delta)

    def text(self, kind: str = "text") -> str:
        return "".join(delta.text for delta in self.deltas if delta.kind == kind)


async def say(choice: ModelChoice, *messages: str | Message, heard: Heard | None = None) -> Step:
    said = [PersonSaid(message) if isinstance(message, str) else message for message in messages]
    return await ask(choice, "Be brief.", said, [LOOK], heard or Heard())


async def test_text_comes_in_pieces_and_the_step_holds_all_of_it(choice: ModelChoice) -> None:
    heard = Heard()
    step = await say(choice, "say one two three", heard=heard)
    assert heard.text() == step.text == "one two three"
    assert len(heard.deltas) == 3
    assert step.finish == "stop"
    assert step.usage.input_tokens >= 1200
    assert step.usage.output_tokens > 0
    assert step.usage.cached_tokens == 200


async def test_thoughts_are_told_apart_from_text(choice: ModelChoice) -> None:
    heard = Heard()
    step = await say(choice, "think hm hm\nsay yes", heard=heard)
    assert heard.text("thought") == step.thoughts == "hm hm"
    assert heard.text() == step.text == "yes"


async def test_a_tool_call_split_over_deltas_is_put_together(choice: ModelChoice) -> None:
    step = await say(choice, 'say let me see\ncall look {"at": "the moon and the stars"}')
    (call,) = step.calls
    assert (call.name, call.arguments, call.error) == ("look", {"at": "the moon and the stars"}, "")
    assert call.id
    assert (step.text, step.finish) == ("let me see", "tool_call")


async def test_two_calls_in_one_step_keep_their_order_and_ids(choice: ModelChoice) -> None:
    step = await say(choice, 'call look {"at": "a"}\nalso call look {"at": "b"}')
    assert [call.arguments for call in step.calls] == [{"at": "a"}, {"at": "b"}]
    assert len({call.id for call in step.calls}) == 2


async def test_a_step_given_back_with_its_result_is_answered(choice: ModelChoice, llm: ScriptedLlm) -> None:
    wish = 'think which way\ncall look {"at": "a"}\nalso call look {"at": "b"}\nsay seen'
    step = await say(choice, wish)
    stored = ModelSaid(step.text, step.calls, step.message)
    results = [ToolReturned(call.id, call.name, f"nothing at {call.arguments}") for call in step.calls]
    second = await say(choice, wish, stored, *results)
    assert second.text == "seen"
    last = llm.asked("which way")[-1]
    assert last["results"] == 2
    assert "'at': 'b'" in last["last_result"]


async def test_a_step_without_its_providers_message_is_rebuilt_from_text_and_calls(
    choice: ModelChoice,
) -> None:
    wish = 'say hm\ncall look {"at": "a"}\nsay seen'
    step = await say(choice, wish)
    result = ToolReturned(step.calls[0].id, "look", "nothing", is_error=True)
    for message in (None, {"kind": "of another time"}):
        assert (await say(choice, wish, ModelSaid(step.text, step.calls, message), result)).text == "seen"


async def test_instructions_and_tools_reach_the_model(choice: ModelChoice, llm: ScriptedLlm) -> None:
    await say(choice, "say instructed")
    body = llm.asked("instructed")[-1]["body"]
    assert "Be brief." in str(body.get("system") or body["messages"][0])
    assert "Looks." in str(body["tools"])


@pytest.mark.parametrize(
    ("status", "reason", "words"),
    [
        (401, "key", "API key"),
        (403, "key", "API key"),
        (404, "model", "scripted-one"),
        (402, "quota", "out of credit"),
        (400, "rejected", "rejected the request"),
    ],
)
async def test_what_cannot_pass_is_told_at_once(
    choice: ModelChoice, llm: ScriptedLlm, status: int, reason: str, words: str
) -> None:
    wish = f"fail {status}\nsay {choice.provider}"
    with pytest.raises(ModelFailed) as caught:
        await say(choice, wish)
    assert caught.value.reason == reason
    assert words in caught.value.message
    assert caught.value.hint
    assert len(llm.asked(wish)) == 1


@pytest.mark.parametrize(
    ("status", "reason"), [(429, "rate"), (500, "server"), (503, "server"), (529, "server")]
)
async def test_what_may_pass_is_tried_again_but_not_for_ever(
    choice: ModelChoice, llm: ScriptedLlm, status: int, reason: str
) -> None:
    wish = f"fail {status}\nsay {choice.provider}"
    with pytest.raises(ModelFailed) as caught:
        await say(choice, wish)
    assert caught.value.reason == reason
    assert len(llm.asked(wish)) == choice.tries


async def test_an_answer_that_breaks_off_is_not_asked_for_again(
    choice: ModelChoice, llm: ScriptedLlm
) -> None:
    wish = f"break\nsay one two three four five six seven eight {choice.provider}"
    heard = Heard()
    with pytest.raises(ModelFailed) as caught:
        await say(choice, wish, heard=heard)
    assert caught.value.reason == "cut"
    assert heard.text().startswith("one two")
    assert len(llm.asked(wish)) == 1


async def test_nobody_there_is_said_with_the_address(choice: ModelChoice) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refused
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ModelFailed) as caught:
            await say(replace(choice, base_url=address), "say hi")
    assert caught.value.reason == "connection"
    assert address in caught.value.message


async def test_silence_is_given_up_and_not_waited_for_again(choice: ModelChoice, llm: ScriptedLlm) -> None:
    wish = f"wait 5\nsay at last {choice.provider}"
    with pytest.raises(ModelFailed) as caught:
        await say(replace(choice, silence_seconds=0.5), wish)
    assert caught.value.reason == "timeout"
    assert len(llm.asked(wish)) == 1


async def test_cancelling_closes_the_connection(choice: ModelChoice, llm: ScriptedLlm) -> None:
    wish = f"slow 2000 0.01\nsay {choice.provider} cancelled"
    begun = asyncio.Event()
    task = asyncio.create_task(ask(choice, "", [PersonSaid(wish)], [LOOK], lambda _: begun.set()))
    async with asyncio.timeout(20):
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await until(lambda: llm.asked(wish)[-1]["ended"] == "cut", within=20)


async def test_the_key_is_nowhere_to_be_read(
    choice: ModelChoice, llm: ScriptedLlm, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await say(choice, "say a quiet word")
    with pytest.raises(ModelFailed) as caught:
        await say(choice, "fail 401")
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in f"{choice!r} {choice} {caught.value.hint} {shown} {caplog.text}"
    assert "a quiet word" not in caplog.text


async def served(reply: bytes, asked: list[bytes] | None = None, **changes: Any) -> ModelFailed:
    """The result of an answer given as these bytes; `asked` gets the head of each request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        (asked if asked is not None else []).append(head)
        length = next(
            int(line[15:]) for line in head.lower().splitlines() if line.startswith(b"content-length:")
        )
        await reader.readexactly(length)
        writer.write(reply)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        choice = ModelChoice(provider="compatible", wire="openai", model="m", base_url=address, **changes)
        with pytest.raises(ModelFailed) as caught:
            await say(choice, "hi")
    return caught.value


def http(status: str, body: str, *headers: str) -> bytes:
    head = "\r\n".join(
        [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "content-type: application/json", *headers]
    )
    return f"{head}\r\nconnection: close\r\n\r\n{body}".encode()


async def test_trouble_in_the_middle_of_an_answer_is_not_tried_again() -> None:
    chunk = '{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [%s]}'
    said = chunk % '{"index": 0, "delta": {"role": "assistant", "content": "Well, "}}'
    body = f'data: {said}\n\ndata: {{"error": {{"message": "overloaded", "code": 503}}}}\n\n'
    reply = http("200 OK", body).replace(b"application/json", b"text/event-stream")
    asked: list[bytes] = []
    error = await served(reply, asked)
    assert "overloaded" in error.message
    assert len(asked) == 1
    asked.clear()
    await served(http("503 Unavailable", '{"error": {"message": "overloaded"}}'), asked, pause_seconds=0.01)
    assert len(asked) == 3, "before an answer has begun it is"


async def test_how_long_to_wait_is_passed_on_and_a_long_wait_is_not_waited_for() -> None:
    error = await served(http("429 Too Many", '{"error": {"message": "slow down"}}', "retry-after: 90"))
    assert (error.reason, error.retry_after) == ("rate", 90)
    assert "slow down" in error.message
    assert "90 seconds" in error.hint


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        "the request exceeds the available context size, try increasing it",
    ],
)
async def test_too_long_a_conversation_has_an_error_of_its_own(words: str) -> None:
    error = await served(http("400 Bad Request", f'{{"error": {{"message": "{words}"}}}}'))
    assert isinstance(error, ContextTooLong)
    assert error.hint


async def test_a_page_instead_of_an_answer_is_told_plainly() -> None:
    error = await served(http("200 OK", "<html>hello</html>"))
    assert error.reason in ("unreadable", "rejected")
    assert "<html>" not in error.message


async def test_a_key_that_the_provider_repeats_is_left_out() -> None:
    body = f'{{"error": {{"message": "Bad key {KEY}, go away"}}}}'
    error = await served(http("401 Unauthorized", body), api_key=SecretStr(KEY))
    assert "go away" in error.message
    assert KEY not in error.message


def test_nothing_of_the_library_is_imported_before_a_model_is_asked() -> None:
    code = (
        "import sys; import voxpilot.web.app, voxpilot.assistant.llm, voxpilot.assistant.demo_model;"
        "print([m for m in ('pydantic_ai', 'openai', 'anthropic', 'httpx2') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize(("wire", "other"), [("openai", "anthropic"), ("anthropic", "openai")])
def test_only_the_language_of_the_chosen_provider_is_imported(wire: str, other: str) -> None:
    loaded = f"import sys; from voxpilot.assistant import llm; llm._load({wire!r})"
    code = f"{loaded}; print({other!r} in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


def test_only_one_module_knows_the_library() -> None:
    source = Path(__file__).parents[2] / "src" / "voxpilot"
    knowing = [path.name for path in source.rglob("*.py") if "pydantic_ai" in path.read_text("utf-8")]
    assert knowing == ["llm.py"]
