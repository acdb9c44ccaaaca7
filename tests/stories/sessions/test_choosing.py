"""Forms, links and options: what an agent offers and asks, answered by a person.

What needs no processes: tests/runtime/chats/test_choosing.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from tests.conftest import StartServer
from tests.fakes.script import request, say, script
from tests.kit.clients.client import Api
from tests.kit.clients.sse import Viewer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 2},
        "level": {"type": "string", "enum": ["low", "high"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 1},
    },
    "required": ["name"],
}
FORM = request(
    "elicitation/create",
    {"mode": "form", "message": "Who?", "requestedSchema": SCHEMA},
)


@pytest.fixture
async def chat(api: Api, workspace: Path) -> str:
    return str((await api.create_chat(workspace))["id"])


async def test_a_form_waits_for_a_person_and_its_answer_reaches_the_agent_once(
    server: ServerProcess, api: Api, chat: str, agent_log: AgentLog
) -> None:
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(FORM, say("done")))
        asked = (await viewer.read_until("question"))[-1].data
        assert (asked["type"], asked["title"], asked["detail"]["schema"]) == ("form", "Who?", SCHEMA)
        await server.restart()
        given = {"name": "Ada", "level": "high", "count": 3, "sure": True, "tags": ["a"]}
        await api.answer_form(chat, asked["id"], "accept", content=given)
        await viewer.read_turns(1)
    answers = [frame["result"] for frame in agent_log.received() if "action" in str(frame.get("result"))]
    assert answers == [{"action": "accept", "content": given}]


async def test_the_demo_can_be_run_from_a_terminal_with_nobody_there(
    start_server: StartServer, workspace: Path
) -> None:
    """Permissions are answered as given, and a form, which only the page can show, is declined."""
    server = await start_server(env={"VOXPILOT_DEMO_SPEED": "0"})
    told = ["--agent", "demo", "--answer", "allow", "--workspace", str(workspace), "hello"]
    done = await anyio.run_process(
        [sys.executable, "-m", "voxpilot", "run", *told],
        env=server.environment_of_others(),
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "What happened" in done.stdout.decode()
    assert "Answered: decline" in done.stderr.decode()


async def test_the_demo_works_in_a_folder_of_its_own_unless_told_otherwise(
    server: ServerProcess, api: Api
) -> None:
    made = await api.call("POST", "/api/chats", {"agent": "demo"})
    assert Path(made["workspace"]).is_relative_to(server.data_dir)
    assert Path(made["workspace"]).is_dir()
