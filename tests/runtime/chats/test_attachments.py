"""What is attached to a message: given to the model or the agent, or refused in words.

What needs processes: tests/stories/sessions/test_attachments.py.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from tests.fakes.script import say, script, wait_file
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server

pytestmark = pytest.mark.in_memory

PNG = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(64)).decode()
PICTURE = {"type": "image", "mimeType": "image/png", "data": PNG}
TEXT = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "Buy milk."}}
LINK = {"type": "resource_link", "uri": "file:///plan.md", "name": "plan.md"}


WAV = {"type": "audio", "mimeType": "audio/wav", "data": PNG}
ZIP = {"type": "resource", "resource": {"uri": "file:///a.zip", "blob": PNG}}


async def test_an_agent_is_given_all_that_it_takes(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R119, R140: each as it was attached, after the text."""
    async with talking(server, workspace) as talk:
        given = [PICTURE, WAV, TEXT, ZIP, LINK, {"type": "text", "text": "more"}]
        await talk.ended(await talk.send(script(say("read")), attachments=given))
        (frame,) = agent_log.received("session/prompt")
        assert frame["params"]["prompt"][1:] == given


async def test_what_an_agent_does_not_take_is_refused_and_never_sent(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R119, R136, R137: a text file is sent as text; the first message fails, later ones are refused."""
    async with talking(server, workspace, "scripted-caps-off") as talk:
        ended = await talk.ended(await talk.send(script(say("never")), attachments=[PICTURE]))
        assert ended["stop_reason"] == "error"
        assert ended["error"]["message"] == "This agent does not accept images."
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
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """Without a text block; the chat's title is the file name. An empty message is refused."""
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
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    async with talking(server, workspace) as talk:
        await talk.send(script(wait_file("go")))
        bare = (await talk.api.prompt(talk.id, "words"))["message_id"]
        with pytest.raises(ApiError, match="message is empty"):
            await talk.api.edit_queued(talk.id, bare, "")
        await talk.api.remove_queued(talk.id, bare)
        posted = await talk.api.prompt(talk.id, "words", attachments=[TEXT])
        await talk.api.edit_queued(talk.id, posted["message_id"], "")
        (workspace / "go").touch()
        await talk.ended(posted["turn"])
        assert agent_log.received("session/prompt")[-1]["params"]["prompt"] == [TEXT]
