"""What becomes of a tool call when its agent tells of it in an odd order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.fakes.script import ALLOW, ask, late_update, say, script, silent, tool_update, update
from tests.faults.driver import Talk, talking
from tests.kit.server import ServerProcess

DIFF = [{"type": "diff", "path": "/a", "oldText": "", "newText": "x"}]
TEXT = [{"type": "content", "content": {"type": "text", "text": "done"}}]


def call(id: str, status: str, **fields: Any) -> str:
    return update({"sessionUpdate": "tool_call", "toolCallId": id, "title": id, "status": status, **fields})


def changed(id: str, **fields: Any) -> str:
    return update({"sessionUpdate": "tool_call_update", "toolCallId": id, **fields})


async def shown(talk: Talk) -> dict[str, dict[str, Any]]:
    blocks = (await talk.api.blocks(talk.id))["blocks"]
    return {block["id"]: block for block in blocks if block["kind"] == "tool"}


async def test_a_call_that_has_ended_does_not_begin_again(server: ServerProcess, workspace: Path) -> None:
    """R101: a late step back changes nothing, what comes with it does; another end does count."""
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
        assert of_c0[-2:] == ["in_progress", "completed"]  # of another turn, so another call


async def test_a_call_told_of_twice_is_one(server: ServerProcess, workspace: Path) -> None:
    """R100: announced again when it has ended, it is still over."""
    async with talking(server, workspace) as talk:
        told = call("c", "completed", content=TEXT)
        await talk.run(script(told, call("c", "pending"), call("c", "in_progress", kind="edit")))
        block = (await shown(talk))["c"]
        assert (block["status"], block["tool_kind"]) == ("completed", "edit")


async def test_what_was_stopped_did_not_fail(server: ServerProcess, workspace: Path) -> None:
    """R101: an agent may say so of a command that ended because the person stopped it."""
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
        assert (await shown(talk))["c"]["status"] == "failed"  # as agents say of what a crash has cut off


async def test_a_call_may_be_told_of_by_its_changes_only(server: ServerProcess, workspace: Path) -> None:
    """R101: an update before its call, a diff that other content follows, a question before all else."""
    async with talking(server, workspace) as talk:
        early = (
            changed("early", status="in_progress", kind="edit", content=DIFF),
            call("early", "in_progress"),
        )
        turn = await talk.send(script(*early, changed("early", content=TEXT), ask("asked", "May I?")))
        await talk.answer(await talk.question(), ALLOW)
        await talk.ended(turn)
        blocks = await shown(talk)
        assert (blocks["early"]["title"], blocks["early"]["tool_kind"]) == ("early", "other")
        assert [part["type"] for part in blocks["early"]["content"]] == ["content", "diff"]
