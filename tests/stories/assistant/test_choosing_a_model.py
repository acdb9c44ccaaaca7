"""Which model answers, chosen and tested over HTTP while the server runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.kit.clients.assistant import assert_valid, assistant, call, chatting
from tests.kit.clients.client import Api, ApiError
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess, free_port

KEY = "sk-very-secret-0123"
SHOWN = "**********"


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    """A server whose assistant is the scripted model."""
    return await start_server(settings=assistant(llm, api_key=KEY))


async def test_what_is_not_named_stays_and_the_key_is_kept_and_never_told(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """R169, R185: the next message goes to the chosen model; the key stays in the file."""
    async with chatting(server, workspace) as talk:
        before = (await talk.api.settings())["values"]["assistant"]
        assert before["api_key"] == SHOWN
        wish = {"assistant": {"model": "second-model", "api_key": SHOWN}}
        now = (await talk.api.call("PUT", "/api/settings", wish))["values"]["assistant"]
        assert now == {**before, "model": "second-model"}
        await talk.api.call("PUT", "/api/settings", {"assistant": {"context_tokens": 50_000}})
        assert (await talk.run("say Hello"))["stop_reason"] == "end_turn"
        assert [(asked["model"], asked["key"]) for asked in llm.asked()] == [("second-model", KEY)]
        assert (await talk.api.call("GET", "/api/assistant"))["chosen"]["model"] == "second-model"
        await talk.api.call("PUT", "/api/settings", {"assistant": {"api_key": "another"}})
        await talk.run("say Hello again")
        assert llm.asked()[-1]["key"] == "another"
        whole = await talk.api.call("PUT", "/api/settings", {"assistant": {"api_key": None}})
        assert whole["values"]["assistant"]["api_key"] is None
        assert whole["values"]["assistant"]["model"] == "second-model"
        assert KEY not in json.dumps(whole)
        assert KEY not in server.stderr


async def test_a_conversation_goes_on_with_a_model_of_another_provider(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """R169: thoughts and calls of one do not disturb the other, in both directions."""
    (workspace / "a.txt").write_text("alpha")
    look = f"think Hm\nsay Let me see\n{call('read_file', path='a.txt')}\nthink Aha\nsay It is alpha"
    wires = [
        {"provider": "anthropic", "base_url": llm.url},
        {"provider": "compatible", "base_url": llm.openai},
    ]
    async with chatting(server, workspace) as talk:
        await talk.run(look)
        for wire in wires:
            wish = {"assistant": {**wire, "model": "other", "api_key": "k"}}
            await talk.api.call("PUT", "/api/settings", wish)
            assert (await talk.run(look))["stop_reason"] == "end_turn"
            assert_valid(llm.asked()[-1]["body"])
            assert json.dumps(llm.asked()[-1]["body"]).count("It is alpha") >= 1
        assert [asked["path"].rsplit("/", 1)[-1] for asked in llm.asked()] == [
            *["completions"] * 2,
            *["messages"] * 2,
            *["completions"] * 2,
        ]
        assert talk.text() == "Let me seeIt is alpha" * 3


async def test_another_provider_begins_afresh_and_nonsense_changes_nothing(
    server: ServerProcess, llm: ScriptedLlm
) -> None:
    """R69, R185: a key belongs to one provider; invalid values are refused with an explanation."""
    async with Api(server.url, server.token) as api:
        before = (await api.settings())["values"]["assistant"]
        for nonsense in (
            {"provider": "nobody"},
            {"base_url": "not an address"},
            {"context_tokens": -1},
            {"no_such_thing": 1},
            "gpt",
        ):
            with pytest.raises(ApiError) as refused:
                await api.call("PUT", "/api/settings", {"assistant": nonsense})
            assert refused.value.status == 422
            assert "assistant" in refused.value.message
        assert (await api.settings())["values"]["assistant"] == before
        wish = {"assistant": {"provider": "anthropic", "model": "claude"}}
        now = (await api.call("PUT", "/api/settings", wish))["values"]["assistant"]
        assert (now["model"], now["base_url"], now["api_key"]) == ("claude", "", None)
        told = await api.call("GET", "/api/assistant")
        assert told["chosen"] is None
        assert "key" in told["problem"]["message"]


async def test_a_key_is_for_one_address(server: ServerProcess, llm: ScriptedLlm) -> None:
    """R169: when another address is tested or chosen, the first one's key is not sent to it."""
    elsewhere = llm.openai.replace("127.0.0.1", "localhost")
    async with Api(server.url, server.token) as api:
        await api.call("POST", "/api/assistant/check", {"base_url": elsewhere})
        assert llm.asked(own_too=True)[-1]["key"] != KEY
        await api.call("POST", "/api/assistant/check", {"base_url": f"{llm.openai}/"})
        assert llm.asked(own_too=True)[-1]["key"] == KEY
        now = await api.call("PUT", "/api/settings", {"assistant": {"base_url": f"{llm.openai}/"}})
        assert now["values"]["assistant"]["api_key"] == SHOWN
        now = await api.call("PUT", "/api/settings", {"assistant": {"base_url": elsewhere}})
        assert now["values"]["assistant"]["api_key"] is None
        wish = {"assistant": {"base_url": llm.openai, "api_key": "another"}}
        now = await api.call("PUT", "/api/settings", wish)
        assert now["values"]["assistant"]["api_key"] == SHOWN


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        ("https://models.example/v1", "http://models.example/v1", False),
        ("https://models.example/v1", "https://models.example/v2", True),
        ("http://models.example/v1", "https://models.example/v1", True),
        ("http://models.example/v1", "http://models.example/v2", True),
        ("https://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1", True),
    ],
)
async def test_a_key_does_not_begin_to_travel_in_clear(
    server: ServerProcess, before: str, after: str, is_kept: bool
) -> None:
    """R169: plain HTTP to another machine counts as another address, unless it was used before."""
    async with Api(server.url, server.token) as api:
        await api.call("PUT", "/api/settings", {"assistant": {"base_url": before, "api_key": KEY}})
        now = await api.call("PUT", "/api/settings", {"assistant": {"base_url": after}})
        assert now["values"]["assistant"]["api_key"] == (SHOWN if is_kept else None)


async def test_a_model_is_tried_before_it_is_chosen(server: ServerProcess, llm: ScriptedLlm) -> None:
    """R169: with the current settings except for the given values; nothing is changed."""
    async with Api(server.url, server.token) as api:
        before = (await api.settings())["values"]["assistant"]
        for wish in ({}, {"model": "second-model"}, {"api_key": SHOWN}):
            tried = await api.call("POST", "/api/assistant/check", wish)
            assert tried["ok"] is True, tried
            assert llm.asked(own_too=True)[-1]["key"] == KEY
        assert [asked["model"] for asked in llm.asked(own_too=True)][1] == "second-model"
        nowhere = f"http://127.0.0.1:{free_port()}/v1"
        tried = await api.call("POST", "/api/assistant/check", {"base_url": nowhere})
        assert (tried["ok"], nowhere in tried["message"]) == (False, True)
        assert tried["hint"]
        tried = await api.call("POST", "/api/assistant/check", {"provider": "openai"})
        assert tried["ok"] is False
        assert "key" in tried["message"]  # another provider's key is not sent there
        for nonsense in ({"provider": "nobody"}, {"base_url": "not an address"}):
            with pytest.raises(ApiError, match="assistant") as refused:
                await api.call("POST", "/api/assistant/check", nonsense)
            assert refused.value.status == 422
        models = await api.call("POST", "/api/assistant/models", {"model": None})
        assert models["models"]
        assert (await api.settings())["values"]["assistant"] == before
