"""Stop means stop, even for a command that the agent leaves running."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import request, say, script, silent, spawn, tool, tool_update, touch
from tests.kit.clients.driver import SLACK, Talk, talking
from tests.kit.machine.processes import is_alive
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

ENDED_WITHIN = 5 * SLACK
"""Two seconds for the agent, two for the command, one to find and report it."""


async def begin(talk: Talk, workspace: Path, *directives: str) -> str:
    """A turn that does these things and then waits to be stopped."""
    turn = await talk.send(script(*directives, touch("begun"), say("Begun."), silent()))
    await until((workspace / "begun").exists, 30)
    await talk.sees(
        lambda e: e.kind == "text-delta" and e.data["turn"] == turn and "Begun." in e.data["content"]
    )
    return turn


def is_gone(pid: int) -> Callable[[], bool]:
    return lambda: not is_alive(pid)


@pytest.mark.parametrize("way", ["plain", "setsid", "stubborn"])
async def test_a_command_that_an_agent_leaves_running_is_ended(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, way: str
) -> None:
    """K9: whichever group it is in, and even if it ignores SIGTERM; reported once; the agent continues."""
    async with talking(server, workspace) as talk:
        turn = await begin(talk, workspace, tool("run", "execute", "Wait"), spawn(way))
        [left] = agent_log.spawned()
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert is_alive(left)
        await until(is_gone(left), ENDED_WITHIN)
        notice = await talk.notice("left-running", ENDED_WITHIN)
        assert (notice["turn"], notice["detail"]) == (turn, "sleep 300")
        await talk.run(script(say("again")))
        assert len(talk.notices("left-running")) == 1
        assert len(agent_log.starts()) == 1
        await talk.judge()


async def test_it_is_ended_although_the_server_was_killed_right_after_the_stop(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """K9: it also happens without a server, and is reported by the next one."""
    async with talking(server, workspace) as talk:
        await begin(talk, workspace, tool("run", "execute", "Wait"), spawn("setsid"))
        [left] = agent_log.spawned()
        await talk.cancel()
        await until(lambda: bool(agent_log.received("session/cancel")), 30)
        await server.kill()
        await until(is_gone(left), ENDED_WITHIN)
        await server.start()
        await talk.notice("left-running")
        await talk.judge()
        assert len(talk.notices("left-running")) == 1


async def test_what_is_no_command_of_the_stopped_call_goes_on(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A server started by an earlier call, a detached daemon, and what the next turn starts."""
    async with talking(server, workspace) as talk:
        earlier = (tool("serve", "execute", "Serve"), spawn("setsid"), tool_update("serve", "completed"))
        stopped = ("sleep 1.5", tool("run", "execute", "Wait"), spawn("double"), spawn("setsid"))
        turn = await begin(talk, workspace, *earlier, *stopped)
        await talk.cancel()
        await talk.ended(turn)
        (workspace / "begun").unlink()
        await begin(talk, workspace, tool("next", "execute", "Next"), spawn("setsid"), spawn("plain"))
        served, daemon, left, *later = agent_log.spawned()
        await until(is_gone(left), ENDED_WITHIN)
        await talk.notice("left-running", ENDED_WITHIN)
        assert [pid for pid in (served, daemon, *later) if not is_alive(pid)] == []


async def test_without_a_running_command_nothing_is_ended(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """An agent may start helper processes while it thinks or reads."""
    async with talking(server, workspace) as talk:
        await begin(talk, workspace, tool("look", "read", "Look"), spawn("setsid"))
        [helper] = agent_log.spawned()
        await talk.cancel()
        await until(lambda: talk.states() == ["cancelled"], 30)
        await begin_and_stop_a_command(talk, workspace, agent_log)
        assert is_alive(helper)


async def begin_and_stop_a_command(talk: Talk, workspace: Path, agent_log: AgentLog) -> None:
    """Then, everything that should have been ended before is ended too."""
    (workspace / "begun").unlink()
    await begin(talk, workspace, "sleep 1.5", tool("run", "execute", "Wait"), spawn("setsid"))
    await talk.cancel()
    await until(is_gone(agent_log.spawned()[-1]), ENDED_WITHIN)
    await talk.notice("left-running", ENDED_WITHIN)


async def test_a_command_that_was_not_allowed_yet_does_not_run(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """K9: a process that the agent starts while it asks is a helper."""
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    params = {"toolCall": {"toolCallId": "run", "kind": "execute"}, "options": options}
    asking = request("session/request_permission", params)
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(tool("run", "execute", "Wait"), spawn("setsid"), asking))
        await talk.question()
        [helper] = agent_log.spawned()
        await talk.cancel()
        await talk.ended(turn)
        (workspace / "begun").touch()
        await begin_and_stop_a_command(talk, workspace, agent_log)
        assert is_alive(helper)
