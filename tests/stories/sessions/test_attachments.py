"""What is attached to a message: given to the model or the agent, or refused in words.

What needs no processes: tests/runtime/chats/test_attachments.py.
"""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.assistant import assistant, chatting
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess

PNG = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(64)).decode()
PICTURE = {"type": "image", "mimeType": "image/png", "data": PNG}
TEXT = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "Buy milk."}}
LINK = {"type": "resource_link", "uri": "file:///plan.md", "name": "plan.md"}


def pictures_in(body: dict[str, Any]) -> list[str]:
    """The data of every image in a request, in either wire format."""
    parts = [p for m in body["messages"] if isinstance(m.get("content"), list) for p in m["content"]]
    urls = [part["image_url"]["url"].partition("base64,")[2] for part in parts if part["type"] == "image_url"]
    return urls + [part["source"]["data"] for part in parts if part["type"] == "image"]


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_pictures_texts_and_links_reach_the_model(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, wire: str
) -> None:
    """P3: also on the next message, and after a restart; the chat keeps what was attached."""
    server = await start_server(settings=assistant(llm, wire))
    async with chatting(server, workspace) as talk:
        turn = await talk.send("say I see", attachments=[PICTURE, TEXT, LINK])
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        sent = llm.asked()[-1]["body"]
        assert pictures_in(sent) == [PNG]
        assert "Buy milk." in json.dumps(sent)
        assert "file:///plan.md" in json.dumps(sent)
        assert talk.of_kind("message")[0]["attachments"] == [PICTURE, TEXT, LINK]
        await server.restart()
        await talk.run("say And now?")
        assert pictures_in(llm.asked()[-1]["body"]) == [PNG]


async def test_what_a_model_did_not_take_is_not_sent_to_it_again(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """R69: a model without vision refuses the image; the chat continues without it."""
    server = await start_server(settings=assistant(llm))
    async with chatting(server, workspace) as talk:
        turn = await talk.send("fail 400", attachments=[PICTURE])
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "error"
        assert "rejected the request" in ended["error"]["message"]
        assert (await talk.run("say Without it"))["stop_reason"] == "end_turn"
        sent = llm.asked()[-1]["body"]
        assert pictures_in(sent) == []
        assert "not shown again" in json.dumps(sent)


async def test_what_no_model_could_take_is_refused_before_it_is_sent(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """R69: with what is accepted; nothing is left of the message."""
    server: ServerProcess = await start_server(settings=assistant(llm))
    bad: list[dict[str, Any]] = [
        {"type": "audio", "mimeType": "audio/wav", "data": PNG},
        {"type": "image", "mimeType": "image/tiff", "data": PNG},
        {"type": "image", "mimeType": "image/png", "data": "no base64!"},
        {"type": "image", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///a.zip", "blob": PNG}},
        {"type": "something-new"},
        {},
    ]
    async with chatting(server, workspace) as talk:
        for attachment in bad:
            with pytest.raises(ApiError) as refused:
                await talk.send("say Hello", attachments=[attachment])
            assert refused.value.status == 422
            assert refused.value.message
            assert refused.value.hint
        assert talk.of_kind("message") == []
        assert llm.asked() == []


async def test_many_letters_that_are_not_ascii_reach_the_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """P3: with more than two bytes per character they would be too long for a line to the keeper."""
    text = "ы" * 11_500_000
    notes = {"type": "text", "text": text}
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("read")), attachments=[notes])
        assert (await talk.ended(turn, 60))["stop_reason"] == "end_turn"
        (frame,) = agent_log.received("session/prompt")
        assert frame["params"]["prompt"][1] == notes
        assert talk.text() == "read"


async def test_a_large_file_is_stored_and_linked(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R137: the agent reads it itself, from where it is stored."""
    text = "ы" * 100_000
    notes = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": text}}
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("read")), attachments=[notes])
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        (frame,) = agent_log.received("session/prompt")
        link = frame["params"]["prompt"][1]
        assert (link["type"], link["name"], link["size"]) == ("resource_link", "notes.txt", 200_000)
        assert Path(link["uri"].removeprefix("file://")).read_text(encoding="utf-8") == text


NAMED = {**PICTURE, "uri": "file:///my%20photo.png"}


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_files_alone_are_a_message_to_the_assistant(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, wire: str
) -> None:
    """An image without a text part, because providers refuse an empty one; also in later requests."""
    server = await start_server(settings=assistant(llm, wire))
    async with chatting(server, workspace) as talk:
        assert (await talk.ended(await talk.send("", attachments=[NAMED])))["stop_reason"] == "end_turn"
        assert (await talk.run("say And now?"))["stop_reason"] == "end_turn"
        for asked in llm.asked():
            assert pictures_in(asked["body"]) == [PNG]
            said = [m["content"] for m in asked["body"]["messages"] if m["role"] == "user"]
            texts = [part["text"] for parts in said for part in parts if "text" in part]
            assert all(text.strip() for text in texts)
        assert (await talk.api.call("GET", f"/api/chats/{talk.id}"))["title"] == "my photo.png"
