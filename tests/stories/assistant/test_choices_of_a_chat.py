"""What a person chooses for the assistant in one chat: its model, and which of its tools are off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.assistant import assistant, call, chatting
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    """A server whose assistant is the scripted model."""
    return await start_server(settings=assistant(llm))


def told_models(talk: Talk) -> list[dict[str, str]]:
    return [row.data["model"] for row in talk.rows() if row.kind == "chat-info" and "model" in row.data]


async def test_a_chat_keeps_a_model_of_its_own_until_the_provider_is_another(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """R169: the next request goes to it, also after a restart; other chats and providers do not get it."""
    async with chatting(server, workspace) as talk, chatting(server, workspace) as other:
        await talk.api.change_chat(talk.id, model="chosen-model")
        await talk.run("say one")
        await other.run("say two")
        assert [asked["model"] for asked in llm.asked()] == ["chosen-model", "fake-model"]
        assert told_models(talk) == [{"provider": "compatible", "name": "chosen-model"}]
        await server.kill()
        await server.start()
        await talk.run("say three")
        assert llm.asked()[-1]["model"] == "chosen-model"
        wish = {"assistant": {"provider": "anthropic", "base_url": llm.url, "model": "m", "api_key": "k"}}
        await talk.api.call("PUT", "/api/settings", wish)
        await talk.run("say four")
        assert llm.asked()[-1]["model"] == "m"
        await talk.api.call("PUT", "/api/settings", assistant(llm))
        await talk.api.change_chat(talk.id, model="")
        await talk.run("say five")
        assert llm.asked()[-1]["model"] == "fake-model"
        assert told_models(talk)[1:] == [{}]


async def test_the_assistant_and_an_agent_take_turns_in_one_chat(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm, agent_log: AgentLog
) -> None:
    """R163, R193: each is told what it has missed, once; in the assistant's case it stays in its history."""
    async with chatting(server, workspace) as talk:
        await talk.run("say The answer is 42")
        await talk.api.change_chat(talk.id, mode="agent")
        await talk.run(script(say("I wrote it down.")))
        (frame,) = agent_log.received("session/prompt")
        assert "The answer is 42" in frame["params"]["prompt"][0]["text"]
        await talk.api.change_chat(talk.id, mode="llm")
        for text in ("say Thanks", "say Again"):
            await talk.run(text)
            heard = json.dumps(llm.asked()[-1]["body"]["messages"])
            assert heard.count("- I wrote it down.") == 1
            assert heard.count("[Handover from VoxPilot") == 1


async def test_a_tool_that_is_off_is_not_offered_and_not_run(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """R169: in this chat only, from the next request on, and until it is switched on again."""
    (workspace / "a.txt").write_text("alpha")
    reads = f"{call('read_file', path='a.txt')}\nsay done"
    async with chatting(server, workspace) as talk, chatting(server, workspace) as other:
        listed = (await talk.api.call("GET", "/api/assistant"))["tools"]
        assert "read_file" in [tool["name"] for tool in listed]
        await talk.api.change_chat(talk.id, tools_off=["read_file", "git_show"])
        for chat, is_error in ((talk, True), (other, False)):
            await chat.run(reads)
            offered = {tool["function"]["name"] for tool in llm.asked()[-1]["body"]["tools"]}
            assert ({"read_file", "git_show"} & offered == set()) is is_error
            (result,) = chat.of_kind("tool-result")
            assert result["is_error"] is is_error
            assert ("switched read_file off" in result["content"]) is is_error
        await talk.api.change_chat(talk.id, tools_off=[])
        await talk.run(reads)
        assert talk.of_kind("tool-result")[-1]["is_error"] is False
        with pytest.raises(ApiError) as unknown:
            await talk.api.change_chat(talk.id, tools_off=["rm"])
        assert unknown.value.status == 422
