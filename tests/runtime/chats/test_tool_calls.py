"""What happens to a tool call when its updates arrive in an unusual order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ALLOW, ask, late_update, say, script, silent, tool_update, update
from tests.kit.clients.driver import Talk, talking
from tests.kit.clients.sse import connect
from tests.kit.memory.server import MemoryServer
from tests.kit.servers.running import Server
from tests.kit.waiting import until
from voxpilot.runtime import memory

pytestmark = pytest.mark.in_memory

DIFF = [{"type": "diff", "path": "/a", "oldText": "", "newText": "x"}]


def call(id: str, status: str, **fields: Any) -> str:
    return update({"sessionUpdate": "tool_call", "toolCallId": id, "title": id, "status": status, **fields})


def changed(id: str, **fields: Any) -> str:
    return update({"sessionUpdate": "tool_call_update", "toolCallId": id, **fields})


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


async def shown(talk: Talk) -> dict[str, dict[str, Any]]:
    blocks = (await talk.api.blocks(talk.id))["blocks"]
    return {block["id"]: block for block in blocks if block["kind"] == "tool"}


async def test_a_call_that_has_ended_does_not_begin_again(server: Server, workspace: Path) -> None:
    """R101: a late earlier status is ignored, its other fields are used; another final status is accepted."""
    steps = ("completed", "in_progress"), ("failed", "pending"), ("failed", "completed")
    async with talking(server, workspace) as talk:
        told = [
            line for i, (a, b) in enumerate(steps) for line in (call(f"c{i}", a), tool_update(f"c{i}", b))
        ]
        await talk.run(script(*told, changed("c0", status="in_progress", title="named late")))
        blocks = await shown(talk)
        assert [blocks[f"c{i}"]["status"] for i in range(3)] == ["completed", "failed", "completed"]
        assert blocks["c0"]["title"] == "named late"
        await talk.run(script(call("c0", "in_progress"), tool_update("c0", "completed")))
        of_c0 = [row.data.get("status") for row in talk.rows() if row.data.get("id") == "c0"]
        assert of_c0[-2:] == ["in_progress", "completed"]  # in another turn, so another call


async def test_a_followed_chat_holds_little_of_a_large_turn(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B5: what is stored is read again when needed: for a late update, a new reader, older blocks."""
    size, count = 10_000, 40
    lines = [call(f"c{i}", "completed", content=words("x" * size)) for i in range(count)]
    async with talking(server, workspace) as talk:
        await talk.run(script(*lines))
        assert server.supervisor is not None
        chat = await server.supervisor.chat(talk.id)
        assert chat.cached_bytes() > count * size
        before = (await talk.api.blocks(talk.id))["blocks"]
        monkeypatch.setattr(memory, "CACHE_BYTES", 4 * size)
        assert chat.followers
        await until(lambda: chat.cached_bytes() < 3 * size, 20, "it holds everything")
        assert (await talk.api.blocks(talk.id))["blocks"] == before
        path = f"/api/chats/{talk.id}/stream"
        async with connect(server.url, path, server.token, tail=200) as stream:
            snapshot = (await stream.read_until("ready"))[0].data
            assert snapshot["blocks"][-len(before) :] == before
        await talk.run(script(changed("c1", title="named late")))
        blocks = await shown(talk)
        assert len(blocks) == count
        assert blocks["c1"]["title"] == "named late"
        assert blocks["c1"]["content"] == words("x" * size)


async def test_a_call_told_of_twice_is_one(server: Server, workspace: Path) -> None:
    """R100: announced again after it has ended, it is still over."""
    async with talking(server, workspace) as talk:
        told = call("c", "completed", content=words("done"))
        await talk.run(script(told, call("c", "pending"), call("c", "in_progress", kind="edit")))
        block = (await shown(talk))["c"]
        assert (block["status"], block["tool_kind"]) == ("completed", "edit")


async def test_what_was_stopped_did_not_fail(server: Server, workspace: Path) -> None:
    """R101: an agent may report this for a command that ended because the person stopped it."""
    async with talking(server, workspace) as talk:
        failed = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed", "title": "late"}
        turn = await talk.send(
            script(call("c", "in_progress"), late_update(failed), say("Running."), silent())
        )
        await talk.says("Running.")
        await talk.cancel()
        await talk.ended(turn)
        await talk.sees(lambda event: event.kind == "tool-update" and event.data.get("title") == "late")
        assert (await shown(talk))["c"]["status"] == "cancelled"
        await talk.run(script(tool_update("c", "failed", "Interrupted")))
        assert (await shown(talk))["c"]["status"] == "failed"  # as agents report after a crash


async def test_a_call_may_be_told_of_by_its_changes_only(server: Server, workspace: Path) -> None:
    """R101: an update before its call, a diff followed by other content, a question before all of it."""
    async with talking(server, workspace) as talk:
        early = (
            changed("early", status="in_progress", kind="edit", content=DIFF),
            call("early", "in_progress"),
        )
        turn = await talk.send(
            script(*early, changed("early", content=words("done")), ask("asked", "May I?"))
        )
        await talk.answer(await talk.question(), ALLOW)
        await talk.ended(turn)
        blocks = await shown(talk)
        assert (blocks["early"]["title"], blocks["early"]["tool_kind"]) == ("early", "edit")
        assert [part["type"] for part in blocks["early"]["content"]] == ["content", "diff"]
