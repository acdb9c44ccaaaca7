"""Diagnostics of a chat's agents: frames, error output, processes and a report, from a real agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import die, say, script, stderr
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess

SECRET = "a-very-private-value"
DIARY = "what I wrote in my diary"


@pytest.fixture
async def server(start_server: StartServer, agent_log: AgentLog) -> ServerProcess:
    agent = scripted(log=agent_log.path)
    return await start_server(agents={"private": {**agent, "env": {"MY_API_KEY": SECRET}}})


async def diagnostics(talk: Talk) -> dict[str, Any]:
    found: dict[str, Any] = await talk.api.call("GET", f"/api/chats/{talk.id}/diagnostics")
    return found


async def frames(talk: Talk, process: str) -> list[dict[str, Any]]:
    route = f"/api/chats/{talk.id}/diagnostics/{process}/frames"
    found: list[dict[str, Any]] = (await talk.api.call("GET", route))["frames"]
    return found


async def test_frames_are_shown_while_the_switch_is_on_and_without_a_restart(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R130: off by default; then with way, method, time and size; texts only with the second switch."""
    async with talking(server, workspace, "private") as talk:
        await talk.run(script(say(DIARY)))
        found = await diagnostics(talk)
        (agent,) = found["agents"]
        assert (found["frames_on"], agent["agent"], agent["state"]) == (False, "private", "ready")
        with pytest.raises(ApiError) as off:
            await frames(talk, agent["id"])
        assert off.value.status == 409
        await talk.api.call("PUT", "/api/settings", {"acp_diagnostics": True})
        listed = await frames(talk, agent["id"])
        methods = [frame["method"] for frame in listed if frame["way"] == "to-agent"]
        assert methods == ["initialize", "session/new", "session/prompt"]
        answers = [f["method"] for f in listed if f["way"] == "from-agent" and f["kind"] == "response"]
        assert answers == ["initialize", "session/new", "session/prompt"]
        assert all(frame["bytes"] > 0 and frame["at"] > 0 for frame in listed)
        assert DIARY not in str(listed)
        await talk.api.call("PUT", "/api/settings", {"acp_diagnostics_texts": True})
        assert DIARY in str(await frames(talk, agent["id"]))
        await talk.api.call("PUT", "/api/settings", {"acp_diagnostics": False})
        with pytest.raises(ApiError):
            await frames(talk, agent["id"])
        assert len(agent_log.starts()) == 1
        with pytest.raises(ApiError) as unknown:
            await frames(talk, "k-of-another")
        assert unknown.value.status in (404, 409)


async def test_the_processes_of_a_chat_are_shown_with_cpu_and_memory(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R130: the agent below its background process; another chat's are not among them."""
    async with talking(server, workspace, "private") as talk, talking(server, workspace, "private") as other:
        await talk.run(script(say("one")))
        await other.run(script(say("two")))
        (agent,) = (await diagnostics(talk))["agents"]
        pids = {process["pid"]: process for process in agent["processes"]}
        mine, others = agent_log.starts()
        assert mine in pids
        assert others not in pids
        assert pids[pids[mine]["parent"]]["is_keeper"]
        assert pids[mine]["memory_bytes"] > 1_000_000
        assert pids[mine]["cpu_seconds"] >= 0


async def test_a_report_names_no_text_and_no_secret(server: ServerProcess, workspace: Path) -> None:
    """R130: what was said, the key and the home folder are not in it; how the agent ended is."""
    async with talking(server, workspace, "private") as talk:
        await talk.api.call("PUT", "/api/settings", {"acp_diagnostics": True, "acp_diagnostics_texts": True})
        await talk.run(script(say(DIARY), stderr(f"warning: key {SECRET} is old")))
        told = (await talk.api.call("GET", f"/api/chats/{talk.id}/diagnostics/report"))["text"]
        for known in ("VoxPilot report", "session/prompt", "MY_API_KEY", "MB"):
            assert known in told
        for private in (DIARY, SECRET):
            assert private not in told
        await talk.run(script(stderr(f"fatal: key {SECRET} was rejected"), die()))
        newest = (await diagnostics(talk))["agents"][0]
        assert (newest["state"], newest["processes"]) == ("ended", [])
        assert "fatal: key" in newest["stderr"]
        assert SECRET not in newest["stderr"]
