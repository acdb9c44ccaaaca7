"""What is attached to a message: given to the model or the agent, or refused in words.

What needs processes: tests/stories/sessions/test_attachments.py.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from tests.fakes.script import say, script, wait_file
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

PNG = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(64)).decode()
PICTURE = {"type": "image", "mimeType": "image/png", "data": PNG}
TEXT = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "Buy milk."}}
NAMED = {**PICTURE, "uri": "file:///my%20photo.png"}
LINK = {"type": "resource_link", "uri": "file:///plan.md", "name": "plan.md"}


WAV = {"type": "audio", "mimeType": "audio/wav", "data": PNG}
ZIP = {"type": "resource", "resource": {"uri": "file:///a.zip", "blob": PNG}}


def stored(server: Server, talk: Talk, name: str) -> str:
    """The address of an attached file, where it was stored."""
    (found,) = (server.data_dir / "uploads" / talk.id).glob(f"*/{name}")
    return f"file://{quote(str(found))}"


async def test_an_agent_is_given_all_that_it_takes(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R119, R140: each as it was attached, after the text; files name the path where they are stored."""
    async with talking(server, workspace) as talk:
        given = [PICTURE, WAV, TEXT, ZIP, LINK, {"type": "text", "text": "more"}]
        await talk.ended(await talk.send(script(say("read")), attachments=given))
        (frame,) = agent_log.received("session/prompt")
        uris = [stored(server, talk, name) for name in ("image.png", "notes.txt", "a.zip")]
        assert frame["params"]["prompt"][1:] == [
            {**PICTURE, "uri": uris[0]},
            WAV,
            {"type": "resource", "resource": {"uri": uris[1], "text": "Buy milk."}},
            {"type": "resource", "resource": {"uri": uris[2], "blob": PNG}},
            *given[4:],
        ]


async def test_what_an_agent_does_not_take_is_stored_and_linked(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R119, R136, R137: a text file is sent as text; unknown kinds are refused."""
    async with talking(server, workspace, "scripted-caps-off") as talk:
        for attachment in ({"type": "something-new"}, {}):
            with pytest.raises(ApiError) as refused:
                await talk.send(script(say("never")), attachments=[attachment])
            assert refused.value.status == 422
            assert refused.value.hint
        sent = await talk.send(script(say("read")), attachments=[NAMED, WAV, ZIP, TEXT, LINK])
        assert (await talk.ended(sent))["stop_reason"] == "end_turn"
        (frame,) = agent_log.received("session/prompt")
        picture, sound, archive, *rest = frame["params"]["prompt"][1:]
        assert [part["type"] for part in (picture, sound, archive)] == ["resource_link"] * 3
        assert picture["uri"] == stored(server, talk, "my photo.png")
        assert Path(unquote(picture["uri"]).removeprefix("file://")).read_bytes() == b64decode(PNG)
        assert (archive["name"], archive["mimeType"]) == ("a.zip", "application/zip")
        notes = stored(server, talk, "notes.txt")
        assert rest == [{"type": "text", "text": f"[Attached: {notes}]\nBuy milk."}, LINK]
        assert talk.of_kind("message")[-1]["attachments"] == [NAMED, WAV, ZIP, TEXT, LINK]
        how = [one["how"] for one in talk.of_kind("context")[-1]["files"]]
        assert how == ["linked", "linked", "linked", "text"]
        await talk.judge()


async def test_attached_files_go_with_their_chat(server: Server, workspace: Path) -> None:
    """R137: nobody finds them after the chat was deleted."""
    async with talking(server, workspace) as talk:
        await talk.ended(await talk.send("", attachments=[NAMED]))
        folder = server.data_dir / "uploads" / talk.id
        assert [path.name for path in folder.glob("*/*")] == ["my photo.png"]
        await talk.api.call("DELETE", f"/api/chats/{talk.id}")
        await until(lambda: not folder.exists(), 20)


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
        picture, text = frame["params"]["prompt"]
        assert picture == {**NAMED, "uri": stored(server, talk, "my photo.png")}
        assert text["resource"] == {"uri": stored(server, talk, "notes.txt"), "text": "Buy milk."}
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
        (block,) = agent_log.received("session/prompt")[-1]["params"]["prompt"]
        assert block["resource"]["text"] == "Buy milk."
