"""What agents say at odd moments, and that all we say to them is what the protocol allows.

What needs no processes: tests/runtime/agents/test_conversation.py.
"""

from __future__ import annotations

from pathlib import Path

from tests.conftest import StartServer
from tests.fakes.script import (
    ALLOW,
    ask,
    ask_many,
    request,
    say,
    script,
    silent,
)
from tests.kit.clients.driver import talking
from tests.kit.oracles.frames import check_frames
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until


async def test_every_frame_we_send_is_valid(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """K13, and all rows: requests, notifications, answers and refusals, each at least once."""
    link = {"type": "resource_link", "uri": "file:///x/y.txt", "name": "y.txt", "mimeType": "text/plain"}
    async with talking(server, workspace) as talk:
        turn = await talk.send(
            script(ask("t1"), request("fs/read_text_file", {"path": "/x"})), attachments=[link]
        )
        await talk.answer(await talk.question(1), ALLOW)
        await talk.ended(turn)
        turn = await talk.send("ünïcödé \u2028 \U0001f600\n" + script(ask_many(2), silent()))
        await talk.answer(await talk.question(3), ALLOW)
        await talk.cancel()
        await talk.ended(turn)
    assert set(check_frames(agent_log)) == {
        "initialize",
        "session/new",
        "session/prompt",
        "session/cancel",
        "answer to session/request_permission",
        "error to fs/read_text_file",
    }


async def test_early_updates_outlive_a_killed_server(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """§10: they are stored as rows like everything else."""
    early = scripted("early-updates", "slow-new=1.5", log=agent_log.path)
    server = await start_server(agents={"early": early})
    async with talking(server, workspace, "early") as talk:
        turn = await talk.send(script(say("a")))
        await until(lambda: len(agent_log.sent("session/update")) == 1, 30)
        await server.restart()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert len(agent_log.received("session/new")) == 1
        rows = await talk.judge(text="a")
        assert [len(row.data["commands"]) for row in rows if row.kind == "commands"] == [1]
