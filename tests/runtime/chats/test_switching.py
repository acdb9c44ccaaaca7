"""Another agent, or the assistant, answers from the next message on, and is told what it has missed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import mode, say, script, wait_file
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.memory.server import MemoryServer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server

pytestmark = [pytest.mark.anyio, pytest.mark.in_memory]

OTHER = "scripted-no-close"


def blocks_sent(log: AgentLog) -> list[list[str]]:
    """The text blocks of every prompt, in order."""
    prompts = [frame["params"]["prompt"] for frame in log.received("session/prompt")]
    return [[block["text"] for block in prompt if block["type"] == "text"] for prompt in prompts]


def pending(talk: Talk) -> dict[str, Any]:
    """What is to be handed over, as last reported."""
    told = [row.data["handover"] for row in talk.rows() if row.kind == "chat-info" and "handover" in row.data]
    return dict(told[-1]) if told else {}


def messages(talk: Talk) -> list[dict[str, Any]]:
    return [row.data for row in talk.rows() if row.kind == "message"]


async def test_another_agent_gets_what_a_person_edited_and_the_first_one_keeps_its_session(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R131, R193: there and back again; each is told only what it has missed, and each has one session."""
    async with talking(server, workspace) as talk:
        one = script(say("I fixed the login."))
        await talk.run(one)
        await talk.api.change_chat(talk.id, agent=OTHER)
        assert one in pending(talk)["text"]
        assert "I fixed the login." in pending(talk)["text"]
        await talk.api.call("PATCH", f"/api/chats/{talk.id}/handover", {"text": "Only the tests are left."})
        await talk.run(two := script(say("The tests pass.")))
        assert pending(talk) == {}
        assert messages(talk)[-1]["handover"] == "Only the tests are left."
        await talk.run(three := script(say("Still here.")))
        await talk.api.change_chat(talk.id, agent="scripted")
        assert "The tests pass." in pending(talk)["text"]
        assert "I fixed the login." not in pending(talk)["text"]
        await talk.run(four := script(say("Back.")))
        sent = blocks_sent(agent_log)
        assert sent[0] == [one]
        assert sent[1][1:] == [two]
        assert "Only the tests are left." in sent[1][0]
        assert sent[2] == [three]
        assert "The tests pass." in sent[3][0]
        assert sent[3][1:] == [four]
        assert len(agent_log.received("session/new")) == 2
        assert [notice["text"] for notice in talk.notices("switched")] == [
            f"{name} answers from here on." for name in await names(talk, OTHER, "scripted")
        ]
        await talk.api.change_chat(talk.id, agent=OTHER)
        await talk.api.change_chat(talk.id, agent="scripted")
        assert pending(talk) == {}
        await talk.judge()


async def names(talk: Talk, *agents: str) -> list[str]:
    listed = {agent["id"]: agent["display_name"] for agent in (await talk.api.agents())["agents"]}
    return [listed[agent] for agent in agents]


async def test_a_handover_that_is_left_out_is_not_sent(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R193: and it can be put back before the message is sent."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("hi")))
        await talk.api.change_chat(talk.id, agent=OTHER)
        path = f"/api/chats/{talk.id}/handover"
        await talk.api.call("PATCH", path, {"left_out": True})
        assert pending(talk)["left_out"] is True
        await talk.api.call("PATCH", path, {"left_out": False})
        assert pending(talk)["left_out"] is False
        await talk.api.call("PATCH", path, {"text": "  "})
        assert pending(talk)["left_out"] is True
        await talk.run(two := script(say("alone")))
        assert blocks_sent(agent_log)[-1] == [two]
        assert "handover" not in messages(talk)[-1]
        with pytest.raises(ApiError) as refused:
            await talk.api.call("PATCH", path, {"text": "late"})
        assert refused.value.status == 409


async def test_a_switch_during_a_turn_takes_effect_with_the_next_message(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R193: the turn ends where it began, queued messages keep their agent, and the handover has its end."""
    go = workspace / "go"
    async with talking(server, workspace) as talk:
        first = await talk.send(script(say("begun, "), wait_file(go), say("and finished")))
        await talk.says("begun, ")
        await talk.send(queued := script(say("queued")))
        await talk.api.change_chat(talk.id, agent=OTHER)
        assert messages(talk)[-1]["to"] == "scripted"
        last = await talk.send(after := script(say("other")))
        go.touch()
        await talk.ended(last)
        assert talk.state_of(first) == "done"
        sent = blocks_sent(agent_log)
        assert sent[1] == [queued]
        assert sent[2][1:] == [after]
        assert "begun, and finished" in sent[2][0]
        assert "queued" in sent[2][0]
        assert [row.data.get("agent") for row in talk.rows() if row.kind == "turn-started"] == [
            *("scripted", "scripted", OTHER)
        ]
        assert len(agent_log.received("session/prompt")) == 3
        await talk.judge()


async def test_a_message_taken_from_the_queue_leaves_its_handover_to_the_next(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R193: first to one that is queued already, else to one that is still to be written."""
    go = workspace / "go"
    async with talking(server, workspace) as talk:
        await talk.send(script(say("one"), wait_file(go)))
        await talk.says("one")
        await talk.api.change_chat(talk.id, agent=OTHER)
        two, three = [await talk.api.prompt(talk.id, script(say(word))) for word in ("two", "three")]
        await talk.api.remove_queued(talk.id, two["message_id"])
        assert "one" in messages(talk)[-1]["handover"]
        await talk.api.remove_queued(talk.id, three["message_id"])
        assert "one" in pending(talk)["text"]
        go.touch()
        await talk.run(script(say("four")))
        assert "one" in blocks_sent(agent_log)[-1][0]


async def test_a_handover_survives_a_restart_and_is_sent_once(
    server: MemoryServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R193: before its message is written, and while it is queued behind a turn that survives."""
    go = workspace / "go"
    async with talking(server, workspace) as talk:
        await talk.run(script(say("before")))
        await talk.api.change_chat(talk.id, agent=OTHER)
        await server.kill()
        await server.start()
        assert "before" in pending(talk)["text"]
        await talk.send(script(say("busy"), wait_file(go)))
        await talk.says("busy")
        await talk.api.change_chat(talk.id, agent="scripted")
        last = await talk.send(script(say("back")))
        await server.kill()
        await server.start()
        go.touch()
        await talk.ended(last)
        sent = blocks_sent(agent_log)
        assert ["before" in text[0] for text in sent[1:]] == [True, False]
        assert "busy" in sent[2][0]
        assert len(sent) == 3


async def test_an_agent_that_cannot_start_leaves_the_handover_for_the_next_message(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R193: the turn says what is missing, and the chat continues with another agent."""
    gone = {"gone": {"command": "no-such-program", "display_name": "Gone", "install_hint": "get it"}}
    server = await start_server(agents=gone)
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        await talk.api.change_chat(talk.id, agent="gone")
        failed = await talk.run("anything")
        assert failed["stop_reason"] == "error"
        assert "one" in pending(talk)["text"]
        await talk.api.change_chat(talk.id, agent=OTHER)
        await talk.run(script(say("two")))
        assert "one" in blocks_sent(agent_log)[-1][0]


async def test_an_agent_is_not_started_in_a_folder_nobody_trusts(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R193: switching starts nothing; the first message asks, and a refusal loses nothing."""
    server = await start_server(settings={"trusted_folders": []})
    async with talking(server, workspace) as talk:
        first = await talk.send(script(say("one")))
        await talk.answer(await talk.question(), "not-now")
        await talk.ended(first)
        await talk.api.change_chat(talk.id, agent=OTHER)
        assert talk.processes() == []
        second = await talk.send(script(say("two")))
        await talk.answer(await talk.question(2), "not-now")
        await talk.ended(second)
        assert pending(talk)["text"]
        assert agent_log.received("session/prompt") == []


async def test_what_the_earlier_agent_still_reports_does_not_replace_what_is_shown(
    server: Server, workspace: Path
) -> None:
    """R170, R193: options in the message field belong to the agent that gets the message."""
    go = workspace / "go"

    def shown() -> list[Any]:
        """The mode that the message field showed, each time it changed."""
        told = [row.data["options"] for row in talk.rows() if row.kind == "options"]
        return [[one["current"] for one in options if one["id"] == "mode"] for options in told]

    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("one"), wait_file(go), mode("plan")))
        await talk.says("one")
        await talk.api.change_chat(talk.id, agent=OTHER)
        go.touch()
        await talk.ended(turn)
        assert shown()[-2:] == [["ask"], []]
        await talk.api.change_chat(talk.id, agent="scripted")
        assert shown()[-2:] == [[], ["plan"]]
