"""Asking a language model: the only module that uses the model library.

Lives here: one request, streamed, with its retries and its failures. Lives
elsewhere: which model (providers.py), what is sent (history.py, instructions.py),
the loop of steps and tools (runtime), the model that needs no network (demo_model.py).

The library takes a second or two to import, so it is imported in a thread when a model is first used, and
only the part for that provider.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

from voxpilot.assistant.calling import MOST_CALLS, TOO_MANY, read_call, storable, whole_text
from voxpilot.assistant.failures import ModelFailed, Reason, failure
from voxpilot.assistant.shapes import (
    Delta,
    Message,
    ModelChoice,
    ModelSaid,
    OnDelta,
    PersonSaid,
    Step,
    Tool,
    ToolCall,
    ToolReturned,
    Usage,
    Wire,
)

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

log = logging.getLogger(__name__)
CONNECT_SECONDS = 10.0
LONGEST_WAIT_SECONDS = 20.0
"""If a provider asks us to wait longer than this, we do not retry."""
_NO_KEY = "none"  # some servers need no key, but the library wants one
_TALKATIVE = ("openai", "anthropic", "httpx", "httpx2", "httpcore", "httpcore2")
_TOO_LONG = re.compile(
    r"context (length|size|window)|maximum context|prompt is too long|too many tokens|n_ctx", re.IGNORECASE
)


async def ask(
    choice: ModelChoice,
    instructions: str,
    messages: Sequence[Message],
    tools: Sequence[Tool],
    on_delta: OnDelta,
) -> Step:
    """One whole answer; its text goes to `on_delta` as it arrives. Cancelling ends the request immediately.

    The request is retried only if no part of an answer has arrived, and only after temporary errors.
    """
    if choice.wire == "demo":
        from voxpilot.assistant import demo_model  # only needed by those who try it out

        return await demo_model.answer(messages, tools, on_delta)
    await warm_up(choice.wire)
    pause = choice.pause_seconds
    for left in range(choice.tries - 1, -1, -1):
        said = _Said(on_delta)
        try:
            return await _once(choice, instructions, messages, tools, said)
        except ModelFailed as error:
            wait = max(pause, error.retry_after or 0)
            if said.anything or not error.may_be_retried or not left or wait > LONGEST_WAIT_SECONDS:
                raise
            log.info("asking %s again in %.1f s: %s", choice.provider, wait, error.reason)
        await asyncio.sleep(wait)
        pause *= 2
    raise AssertionError("unreachable")


async def warm_up(wire: Wire) -> None:
    """Import the library, if necessary, without blocking anybody."""
    await asyncio.to_thread(_load, wire)


class _Said:
    """Passes on the deltas and collects them."""

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._parts: dict[str, list[str]] = {"text": [], "thought": []}
        self.anything = False
        self.calls = 0

    def take(self, delta: Delta) -> None:
        if delta.text:
            self.anything = True
            delta = replace(delta, text=whole_text(delta.text))
            self._parts[delta.kind].append(delta.text)
            self._on_delta(delta)

    def whole(self, kind: str) -> str:
        return "".join(self._parts[kind])


@cache
def _load(wire: Wire) -> None:
    import pydantic_ai.direct

    if wire == "anthropic":
        import pydantic_ai.models.anthropic
    else:
        import pydantic_ai.models.openai  # noqa: F401

    for name in _TALKATIVE:  # they would log prompts
        logging.getLogger(name).setLevel(logging.WARNING)
    _trusted()


async def _once(
    choice: ModelChoice, instructions: str, messages: Sequence[Message], tools: Sequence[Tool], said: _Said
) -> Step:
    from pydantic_ai.direct import model_request_stream

    try:
        async with _client(choice) as client:
            async with model_request_stream(
                _model(choice, client),
                list(_requests(messages)),
                model_settings=_settings(choice),
                model_request_parameters=_parameters(instructions, tools),
            ) as stream:
                async for event in stream:
                    if (delta := _delta(event)) is not None:
                        said.take(delta)
                    elif _is_call(event):
                        said.anything = True
                        said.calls += 1
                        if said.calls > MOST_CALLS:
                            break  # the rest would keep the server busy
                response = stream.get()
    except Exception as error:
        # Not `from error`: the library's message may contain the request with its key.
        raise _failed(choice, error, said.anything) from None
    return _step(response, said)


@asynccontextmanager
async def _client(choice: ModelChoice) -> AsyncIterator[AsyncClient]:
    import httpx2

    limits = httpx2.Timeout(choice.silence_seconds, connect=CONNECT_SECONDS)
    async with httpx2.AsyncClient(timeout=limits, verify=_trusted()) as client:
        yield client


@cache
def _trusted() -> SSLContext:
    """The trusted certificates; loading them takes too long to do it for each request."""
    import httpx2

    return httpx2.create_ssl_context()


def _model(choice: ModelChoice, client: AsyncClient) -> Model:
    key = choice.api_key.get_secret_value() if choice.api_key else _NO_KEY
    address = choice.base_url or None
    if choice.wire == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        theirs = AsyncAnthropic(api_key=key, base_url=address, http_client=client, max_retries=0)
        theirs.auth_token = None  # otherwise taken from a variable that is not meant for us
        return AnthropicModel(choice.model, provider=AnthropicProvider(anthropic_client=theirs))
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    ours = AsyncOpenAI(api_key=key, base_url=address, http_client=client, max_retries=0)
    if choice.provider == "openai":
        return OpenAIChatModel(choice.model, provider=OpenAIProvider(openai_client=ours))
    compatible = OpenAICompatibleProvider(choice.provider, openai_client=ours)
    return OpenAIChatModel(choice.model, provider=compatible)


def _settings(choice: ModelChoice) -> ModelSettings:
    settings: ModelSettings = {}
    if choice.max_output_tokens:
        settings["max_tokens"] = choice.max_output_tokens
    if choice.wire == "anthropic":
        settings["cache"] = True  # a step repeats everything before it
    return settings


def _parameters(instructions: str, tools: Sequence[Tool]) -> ModelRequestParameters:
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=tool.parameters,
                strict=False,  # not every server supports this field
            )
            for tool in tools
        ],
        instruction_parts=[InstructionPart(instructions, dynamic=False)] if instructions else [],
    )


def _requests(messages: Sequence[Message]) -> Iterator[ModelMessage]:
    """The conversation in the library's form: everything between two answers is one request."""
    from pydantic_ai.messages import ModelRequest

    for is_answer, run in groupby(messages, lambda message: isinstance(message, ModelSaid)):
        if is_answer:
            yield from (_response(message) for message in run if isinstance(message, ModelSaid))
        else:
            yield ModelRequest(
                parts=[_part(message) for message in run if not isinstance(message, ModelSaid)]
            )


def _part(message: PersonSaid | ToolReturned) -> ModelRequestPart:  # no empty text: providers refuse it
    from pydantic_ai.messages import BinaryContent, ToolReturnPart, UserPromptPart

    if isinstance(message, PersonSaid):
        images = [BinaryContent(image.data, media_type=image.media_type) for image in message.images]
        return UserPromptPart([*filter(None, [message.text]), *images] if images else message.text)
    return ToolReturnPart(
        tool_name=message.name,
        content=message.content,
        tool_call_id=message.call_id,
        outcome="failed" if message.is_error else "success",
    )


def _response(message: ModelSaid) -> ModelResponse:
    from pydantic_ai.messages import (
        ModelMessagesTypeAdapter,
        ModelResponse,
        ModelResponsePart,
        TextPart,
        ToolCallPart,
    )

    if message.message is not None:
        try:
            (stored,) = ModelMessagesTypeAdapter.validate_python([message.message])
        except ValueError:
            log.warning("a stored answer cannot be read; its text and calls are used")
        else:
            if isinstance(stored, ModelResponse):
                for part in stored.parts:
                    if isinstance(part, ToolCallPart):
                        part.tool_name = _sendable(part.tool_name)
                return stored
    parts: list[ModelResponsePart] = [TextPart(message.text)] if message.text else []
    parts += [
        ToolCallPart(_sendable(call.name), call.raw if call.arguments is None else call.arguments, call.id)
        for call in message.calls
    ]
    return ModelResponse(parts=parts)


def _sendable(name: str) -> str:
    """A model may use an invalid tool name, which no provider accepts in the next request."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "nameless"


def _delta(event: ModelResponseStreamEvent) -> Delta | None:
    from pydantic_ai.messages import (
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        ThinkingPart,
        ThinkingPartDelta,
    )

    match event:
        case (
            PartStartEvent(part=TextPart(content=text))
            | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
        ):
            return Delta("text", text)
        case PartStartEvent(part=ThinkingPart(content=text)):
            return Delta("thought", text)
        case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(text))):
            return Delta("thought", text)
        case _:
            return None


def _is_call(event: ModelResponseStreamEvent) -> bool:
    from pydantic_ai.messages import PartStartEvent, ToolCallPart

    return isinstance(event, PartStartEvent) and isinstance(event.part, ToolCallPart)


def _step(response: ModelResponse, said: _Said) -> Step:
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ToolCallPart

    calls: dict[str, ToolCall] = {}
    asked = [part for part in response.parts if isinstance(part, ToolCallPart)]
    if is_cut := len(asked) > MOST_CALLS:
        response.parts = [part for part in response.parts if part not in asked[MOST_CALLS:]]
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            while part.tool_call_id in calls:  # some servers give all calls of an answer the same id
                part.tool_call_id += f"-{len(calls) + 1}"
            calls[part.tool_call_id] = read_call(part.tool_call_id, part.tool_name, part.args)
    if is_cut:  # the last one tells the model
        last = asked[MOST_CALLS - 1].tool_call_id
        calls[last] = replace(calls[last], arguments=None, error=TOO_MANY)
    used = response.usage
    if "finish_reason" not in (response.provider_details or {}):
        response.finish_reason = None  # the library makes one up
    return Step(
        text=said.whole("text"),
        thoughts=said.whole("thought"),
        calls=tuple(calls.values()),
        usage=Usage(used.input_tokens, used.output_tokens, used.cache_read_tokens),
        finish=response.finish_reason or ("tool_call" if calls else "stop"),
        is_cut=is_cut,
        message=storable(ModelMessagesTypeAdapter.dump_python([response], mode="json")[0]),
    )


def _failed(choice: ModelChoice, error: Exception, streamed: bool) -> ModelFailed:
    if isinstance(error, ModelFailed):
        return error
    reason, words = _reason(error), _words(error)
    if reason == "rejected" and _TOO_LONG.search(words):
        reason = "context"
    if streamed and reason == "connection":
        reason = "cut"
    if reason == "unreadable":
        log.warning("%s could not be understood: %s", choice.provider, type(error).__name__)
    if choice.api_key is not None:
        words = words.replace(choice.api_key.get_secret_value(), "…")
    return failure(choice, reason, words, getattr(error, "retry_after", None))


def _reason(error: Exception) -> Reason:
    from pydantic_ai import exceptions

    reasons: tuple[tuple[str, Reason], ...] = (  # specific errors before general ones
        ("ModelContextWindowExceededError", "context"),
        ("ModelAuthenticationError", "key"),
        ("ModelNotFoundError", "model"),
        ("ModelQuotaExceededError", "quota"),
        ("ModelRateLimitError", "rate"),
        ("ModelRequestTimeout", "timeout"),
        ("ModelTimeoutError", "timeout"),
        ("ModelConnectionError", "connection"),
        ("ModelServerError", "server"),
        ("ModelUnavailableError", "server"),
        ("ModelAPIError", "rejected"),
    )
    return next((why for name, why in reasons if isinstance(error, getattr(exceptions, name))), "unreadable")


def _words(error: Exception) -> str:
    """The provider's own error message, if there is one."""
    body = getattr(error, "body", None)
    for key in ("error", "message"):
        if isinstance(body, dict):
            body = body.get(key, body)
    return body if isinstance(body, str) else ""
