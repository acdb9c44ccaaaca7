"""What is attached to a message: given to the model or the agent, or refused in words."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, wait_file
from tests.faults.driver import talking
from tests.kit.agent_log import AgentLog
from tests.kit.assistant import assistant, chatting
from tests.kit.client import ApiError
from tests.kit.llm import ScriptedLlm
from tests.kit.server import ServerProcess

PNG = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(64)).decode()
PICTURE = {"type": "image", "mimeType": "image/png", "data": PNG}
TEXT = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "Buy milk."}}
LINK = {"type": "resource_link", "uri": "file:///plan.md", "name": "plan.md"}


def pictures_in(body: dict[str, Any]) -> list[str]:
    """The data of every picture in a request, in either wire."""
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
    """R69: a model without eyes refuses the picture; the chat goes on without it."""
    server = await start_server(settings=assistant(llm))
    async with chatting(server, workspace) as talk:
        turn = await talk.send("fail 400", attachments=[PICTURE])
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "error"
        assert "did not take the request" in ended["error"]["message"]
        assert (await talk.run("say Without it"))["stop_reason"] == "end_turn"
        sent = llm.asked()[-1]["body"]
        assert pictures_in(sent) == []
        assert "not shown again" in json.dumps(sent)


async def test_what_no_model_could_take_is_refused_before_it_is_sent(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """R69: with what would do; nothing is left of the message."""
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
    """P3: written otherwise than in two bytes each they would be too much for a line to the keeper."""
    text = "ы" * 11_500_000
    notes = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": text}}
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("read")), attachments=[notes])
        assert (await talk.ended(turn, 60))["stop_reason"] == "end_turn"
        (frame,) = agent_log.received("session/prompt")
        assert frame["params"]["prompt"][1] == notes
        assert talk.text() == "read"


WAV = {"type": "audio", "mimeType": "audio/wav", "data": PNG}
ZIP = {"type": "resource", "resource": {"uri": "file:///a.zip", "blob": PNG}}


async def test_an_agent_is_given_all_that_it_takes(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R119, R140: each as it was attached, after the words."""
    async with talking(server, workspace) as talk:
        given = [PICTURE, WAV, TEXT, ZIP, LINK, {"type": "text", "text": "more"}]
        await talk.ended(await talk.send(script(say("read")), attachments=given))
        (frame,) = agent_log.received("session/prompt")
        assert frame["params"]["prompt"][1:] == given


async def test_what_an_agent_does_not_take_is_refused_and_never_sent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R119, R136, R137: a text goes as text; the first message ends with why, later ones are not taken."""
    async with talking(server, workspace, "scripted-caps-off") as talk:
        ended = await talk.ended(await talk.send(script(say("never")), attachments=[PICTURE]))
        assert ended["stop_reason"] == "error"
        assert ended["error"]["message"] == "This agent takes no pictures."
        assert "folder" in ended["error"]["hint"]
        assert agent_log.received("session/prompt") == []
        for attachment in (PICTURE, WAV, ZIP, {"type": "something-new"}, {}):
            with pytest.raises(ApiError) as refused:
                await talk.send(script(say("never")), attachments=[attachment])
            assert refused.value.status == 422
            assert refused.value.hint
        await talk.ended(await talk.send(script(say("read")), attachments=[TEXT, LINK]))
        (frame,) = agent_log.received("session/prompt")
        assert frame["params"]["prompt"][1:] == [
            {"type": "text", "text": "[Attached: file:///notes.txt]\nBuy milk."},
            LINK,
        ]
        assert talk.of_kind("message")[-1]["attachments"] == [TEXT, LINK]
        await talk.judge()


NAMED = {**PICTURE, "uri": "file:///my%20photo.png"}


async def test_files_alone_are_a_message_to_an_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """Without a block of text; the chat is called after the file. Nothing at all is no message."""
    async with talking(server, workspace) as talk:
        for text in ("", " \n"):
            with pytest.raises(ApiError) as refused:
                await talk.send(text)
            assert (refused.value.status, refused.value.code) == (422, "invalid")
            assert refused.value.hint
        assert (await talk.ended(await talk.send("", attachments=[NAMED, TEXT])))["stop_reason"] == "end_turn"
        (frame,) = agent_log.received("session/prompt")
        assert frame["params"]["prompt"] == [NAMED, TEXT]
        assert talk.of_kind("message")[0]["text"] == ""
        assert (await talk.api.call("GET", f"/api/chats/{talk.id}"))["title"] == "my photo.png"


async def test_a_message_that_waits_may_lose_its_words_if_files_are_left(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    async with talking(server, workspace) as talk:
        await talk.send(script(wait_file("go")))
        bare = (await talk.api.prompt(talk.id, "words"))["message_id"]
        with pytest.raises(ApiError, match="says nothing"):
            await talk.api.edit_queued(talk.id, bare, "")
        await talk.api.remove_queued(talk.id, bare)
        posted = await talk.api.prompt(talk.id, "words", attachments=[TEXT])
        await talk.api.edit_queued(talk.id, posted["message_id"], "")
        (workspace / "go").touch()
        await talk.ended(posted["turn"])
        assert agent_log.received("session/prompt")[-1]["params"]["prompt"] == [TEXT]


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_files_alone_are_a_message_to_the_assistant(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, wire: str
) -> None:
    """A picture without a text part, which providers refuse if it is empty; in what follows too."""
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
