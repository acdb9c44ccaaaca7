"""Malformed updates and updates at unusual times: nothing is misplaced or lost."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import commands, raw, request, say, script, tool, tool_update, update, usage
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

OPTIONS = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]


async def blocks(talk: Talk, kind: str) -> list[dict[str, Any]]:
    return [block for block in (await talk.api.blocks(talk.id))["blocks"] if block["kind"] == kind]


async def test_names_that_agents_use_again_in_the_next_turn_are_new_ones(
    server: Server, workspace: Path
) -> None:
    """R100, R101: ids start at one again; a permission shows nothing from a call of an earlier turn."""
    async with talking(server, workspace) as talk:
        for word in ("one", "two"):
            spoken = {"sessionUpdate": "agent_message_chunk", "messageId": "1"}
            await talk.run(script(update({**spoken, "content": {"type": "text", "text": word}})))
        assert [block["text"] for block in await blocks(talk, "text")] == ["one", "two"]
        earlier = {"toolCallId": "1", "title": "Run", "kind": "execute", "rawInput": {"command": "ls"}}
        await talk.run(script(update({"sessionUpdate": "tool_call", "status": "completed", **earlier})))
        params = {"toolCall": {"toolCallId": "1"}, "options": OPTIONS}
        turn = await talk.send(script(request("session/request_permission", params)))
        question = await talk.question()
        assert "input" not in question["detail"]
        assert question["title"] != "Run"
        await talk.answer(question, "yes")
        await talk.ended(turn)
        assert [block["status"] for block in await blocks(talk, "tool")] == ["completed", "cancelled"]


async def test_a_call_that_we_have_closed_is_not_opened_again(server: Server, workspace: Path) -> None:
    """R101: not by a late update; how it really ended is still recorded."""
    async with talking(server, workspace) as talk:
        await talk.run(script(tool("left", "execute", "Left open"), tool("other", "execute", "Other")))
        await talk.run(script(tool_update("left", "in_progress"), tool_update("other", "failed")))
        assert [block["status"] for block in await blocks(talk, "tool")] == ["cancelled", "failed"]


async def test_a_field_of_the_wrong_shape_costs_only_itself(server: Server, workspace: Path) -> None:
    """R101, F20: the rest of an update is used, and its valid parts are shown."""
    odd: list[dict[str, Any]] = [
        {"content": {"type": "content", "content": {"type": "text", "text": "alone"}}},
        {"content": "bare"},
        {"content": 5, "locations": "here", "title": 7, "kind": [], "_meta": "x"},
    ]
    async with talking(server, workspace) as talk:
        started = [tool(str(n), "execute", "A call") for n in range(len(odd))]
        changed = {"sessionUpdate": "tool_call_update", "status": "completed"}
        ends = [update({**changed, "toolCallId": str(n), **more}) for n, more in enumerate(odd)]
        await talk.run(script(*started, *ends))
        shown = await blocks(talk, "tool")
        assert [block["status"] for block in shown] == ["completed"] * 3
        assert [part["content"]["text"] for block in shown for part in block["content"]] == ["alone", "bare"]
        call = {"toolCallId": "9", "title": "Run", "rawInput": {"command": "ls"}, "locations": "here"}
        params = {"toolCall": call, "options": OPTIONS}
        turn = await talk.send(script(request("session/request_permission", params)))
        question = await talk.question()
        assert question["title"] == "Run"
        assert question["detail"]["input"] == {"command": "ls"}
        await talk.answer(question, "yes")
        await talk.ended(turn)


async def test_a_plan_made_of_steps_is_read_too(server: Server, workspace: Path) -> None:
    """C9, R105"""
    steps = [{"description": "Look", "status": "completed"}, {"description": "Do"}]
    async with talking(server, workspace) as talk:
        await talk.run(script(update({"sessionUpdate": "plan", "steps": steps})))
        [plan] = await blocks(talk, "plan")
        read = [(entry["content"], entry["status"]) for entry in plan["entries"]]
        assert read == [("Look", "completed"), ("Do", "pending")]


async def test_changes_of_a_session_are_seen_in_the_chat(server: Server, workspace: Path) -> None:
    """R197: compaction, model, mode and title, each told by the agent during a turn."""
    made = {"sessionUpdate": "compaction_update", "compactionId": "c1"}
    told = [{"type": "text", "text": "They fixed the parser."}]
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        offered = {one["category"]: one for one in talk.of_kind("options")[-1]["options"]}
        model = offered["model"]["choices"][-1]["value"]
        assert model != offered["model"]["current"]
        other = {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": model}
        choices = [{"value": model, "name": model}]
        await talk.run(
            script(
                update({**made, "status": "in_progress"}),
                update({**made, "status": "completed", "summary": told}),
                update(
                    {
                        "sessionUpdate": "config_option_update",
                        "configOptions": [{**other, "options": choices}],
                    }
                ),
                update({"sessionUpdate": "session_info_update", "title": "Parser work"}),
            )
        )
        first, last = talk.notices("compaction")
        assert "is summarising" in first["text"]
        assert last["detail"] == "They fixed the parser."
        assert [one["current"] for one in talk.of_kind("options")[-1]["options"]] == [model]
        assert (await talk.api.chat(talk.id))["title"] == "Parser work"
        await talk.run(script(update({**made, "status": "sideways"})))
        assert len(await blocks(talk, "unknown")) == 1


async def test_what_would_stop_the_page_is_left_out_of_what_an_agent_offers(
    server: Server, workspace: Path
) -> None:
    """F20: commands without a name, and figures that are not numbers."""
    offered = [{"description": "nameless"}, {"name": 5}, {"name": "review", "description": "Look"}, "x"]
    async with talking(server, workspace) as talk:
        told = {"sessionUpdate": "available_commands_update", "availableCommands": offered}
        used = {"sessionUpdate": "usage_update", "used": "many", "size": 100, "cost": {"amount": "1.5"}}
        await talk.run(script(update(told), update(used)))
        assert talk.of_kind("commands")[-1]["commands"] == [{"name": "review", "description": "Look"}]
        assert talk.of_kind("usage")[-1]["usage"] == {"size": 100}


async def test_what_is_shown_of_an_agent_is_not_left_to_the_next(server: Server, workspace: Path) -> None:
    """R119: its options, commands and figures disappear and return with it."""
    async with talking(server, workspace) as talk:
        await talk.run(script(commands("review"), usage(1, 2)))
        chosen = talk.of_kind("options")[-1]["options"]
        await talk.api.change_chat(talk.id, agent="scripted-caps-off")
        handover = f"/api/chats/{talk.id}/handover"
        await talk.api.call("PATCH", handover, {"left_out": True})  # the scripted agent would obey it
        await talk.run(script(say("x")))
        told = {kind: talk.of_kind(kind)[-1][kind] for kind in ("options", "commands", "usage")}
        assert told == {"options": [], "commands": [], "usage": {}}
        await talk.api.change_chat(talk.id, agent="scripted")
        await talk.sees(lambda e: e.kind == "options" and e.data["options"] == chosen)
        await talk.sees(lambda e: e.kind == "commands" and len(talk.of_kind("commands")) == 3)
        assert talk.of_kind("commands")[-1]["commands"] == talk.of_kind("commands")[0]["commands"]


async def test_an_attachment_that_lacks_a_part_reaches_no_agent(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R136, R137: it is refused immediately, whether or not the agent is running."""
    link = {"type": "resource_link", "uri": "file:///plan.md"}
    bare = {"type": "resource", "resource": {"blob": "AAAA"}}
    async with talking(server, workspace) as talk:
        for attachment in (link, bare, {"type": "image"}, {"type": "audio", "data": "AAAA"}, {}):
            with pytest.raises(ApiError, match="422"):
                await talk.send(script(say("x")), attachments=[attachment])
        assert agent_log.received("session/prompt") == []


async def test_two_choices_that_are_refused_leave_what_was_before_both(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R116: not the first of them, which the agent never had."""
    async with talking(server, workspace, "scripted-refuse-options") as talk:
        await talk.run(script(say("x")))
        server.signal_agent(agent_log.starts()[-1], signal.SIGSTOP)
        for value in ("plan", "auto"):
            await talk.api.set_option(talk.id, id="mode", value=value)
        server.signal_agent(agent_log.starts()[-1], signal.SIGCONT)
        await until(lambda: len(talk.notices("option-refused")) == 2, 20)
        [mode] = [o for o in talk.rows() if o.kind == "options"][-1].data["options"][:1]
        assert (mode["id"], mode["current"]) == ("mode", "ask")


async def test_what_an_agent_takes_back_before_anybody_was_asked_is_not_asked(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """K13: a file to be written is read first, and by then the request may be obsolete."""
    server = await start_server(agents={"fs": scripted(log=agent_log.path) | {"fs": True}})
    async with talking(server, workspace, "fs") as talk:
        await talk.run(script(say("x")))
        session = agent_log.received("session/prompt")[-1]["params"]["sessionId"]
        place = {"sessionId": session, "path": str(workspace / "new.txt"), "content": "x"}
        write = {"jsonrpc": "2.0", "id": "w", "method": "fs/write_text_file", "params": place}
        back = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "w"}}
        read = request("fs/read_text_file", {"path": str(workspace / "new.txt")})
        await talk.run(script(raw(json.dumps(write)), raw(json.dumps(back)), read, read))
        answers = [frame["error"]["code"] for frame in agent_log.received() if frame.get("id") == "w"]
        assert answers == [-32800]
        assert talk.of_kind("question") == []


async def test_a_large_picture_in_a_message_says_where_it_is_whole(server: Server, workspace: Path) -> None:
    """R102: half of its data would be useless."""
    picture = {"type": "image", "mimeType": "image/png", "data": "A" * 200_000}
    notes = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "B" * 200_000}}
    async with talking(server, workspace) as talk:
        spoken = [{"sessionUpdate": "agent_message_chunk", "content": part} for part in (picture, notes)]
        await talk.run(script(say("look"), *map(update, spoken)))
        [block] = await blocks(talk, "text")
        shown, text = (part["content"] for part in block["parts"])
        assert shown == {**picture, "data": "", "cut": True, "cut_at": shown["cut_at"]}
        assert text["resource"]["text"].startswith("BBB")
        whole = [(await talk.api.event(talk.id, part["cut_at"]))["block"] for part in (shown, text)]
        assert whole == [picture, notes]


async def test_a_request_without_a_name_is_answered_too(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R5: null is an id in ACP."""
    asking: dict[str, Any] = {"jsonrpc": "2.0", "id": None, "method": "_nobody/knows", "params": {}}
    async with talking(server, workspace) as talk:
        await talk.run(script(raw(json.dumps(asking)), say("x")))
        await until(lambda: any("error" in frame for frame in agent_log.received()), 20)
        [error] = [frame for frame in agent_log.received() if "error" in frame]
        assert (error["id"], error["error"]["code"]) == (None, -32601)
        assert talk.notices("unreadable-lines") == []


async def test_content_that_is_not_what_it_says_is_kept_as_something_unknown(
    server: Server, workspace: Path
) -> None:
    """R102, R104, R105: an agent's fields are never treated as our own."""
    text = {"type": "content", "content": {"type": "text", "text": "bare"}}
    odd: list[dict[str, Any]] = [
        {"type": "diff", "path": "/a", "newText": None},
        {"type": "diff", "path": "/a", "oldText": 5, "newText": "x"},
        {"type": "diff", "newText": "x"},
        {"type": "content"},
        {"type": "content", "content": {"type": "text", "text": 5}},
        {"type": "terminal", "terminalId": 5},
    ]
    good = {"type": "diff", "path": "/a", "newText": "x"}
    content = [*odd, {"type": "content", "content": "bare"}, {**good, "cut": True, "whole_at": 1}]
    places = [{"path": 5}, {"line": 3}, {"path": "/a", "line": 1}]
    call = {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "Odd", "kind": "edit"}
    entries = [{"content": None, "description": "Look"}, {"content": "Do"}]
    forged = {"type": "image", "mimeType": "image/png", "data": "AAAA", "cut_at": 1}
    async with talking(server, workspace) as talk:
        told = update({**call, "content": content, "locations": places})
        planned = update({"sessionUpdate": "plan", "entries": entries})
        spoken = update({"sessionUpdate": "agent_message_chunk", "content": forged})
        await talk.run(script(told, planned, spoken))
        [tool] = await blocks(talk, "tool")
        assert tool["content"] == [*({"type": "unknown", "raw": item} for item in odd), text, good]
        assert tool["locations"] == [{"path": "/a", "line": 1}]
        [plan] = await blocks(talk, "plan")
        assert [entry["content"] for entry in plan["entries"]] == ["Look", "Do"]
        [block] = await blocks(talk, "text")
        assert "cut_at" not in block["parts"][0]["content"]
