"""Forms, links and options: what an agent offers and asks, answered by a person."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from tests.conftest import StartServer
from tests.fakes.script import chunks, request, say, script
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api, ApiError
from tests.kit.server import ServerProcess
from tests.kit.sse import Viewer

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
LINK = request(
    "elicitation/create",
    {
        "mode": "url",
        "message": "Look",
        "elicitationId": "e",
        "url": "https://example.com/x",
    },
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


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"name": "A"},
        {"name": 5},
        {"name": "Ada", "level": "mid"},
        {"name": "Ada", "count": 0},
        {"name": "Ada", "count": True},
        {"name": "Ada", "sure": "yes"},
        {"name": "Ada", "tags": ["c"]},
        {"name": "Ada", "tags": ["a", "b"]},
    ],
)
async def test_an_answer_that_does_not_fit_the_form_is_refused_with_the_reason(
    server: ServerProcess, api: Api, chat: str, content: dict[str, object]
) -> None:
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(FORM))
        asked = (await viewer.read_until("question"))[-1].data
        with pytest.raises(ApiError) as refused:
            await api.answer_form(chat, asked["id"], "accept", content=content)
        assert refused.value.status == 422
        assert "key" not in refused.value.message
        await api.answer_form(chat, asked["id"], "decline")
        await viewer.read_turns(1)


async def test_a_link_shows_where_it_leads_and_can_be_declined(
    server: ServerProcess, api: Api, chat: str, agent_log: AgentLog
) -> None:
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(LINK))
        asked = (await viewer.read_until("question"))[-1].data
        assert (asked["type"], asked["detail"]["host"]) == ("url", "example.com")
        await api.answer_form(chat, asked["id"], "decline")
        await viewer.read_turns(1)
    assert {"action": "decline"} in [frame.get("result") for frame in agent_log.received()]


async def test_stopping_a_turn_cancels_its_form(
    server: ServerProcess, api: Api, chat: str, agent_log: AgentLog
) -> None:
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(FORM))
        await viewer.read_until("question")
        await api.cancel(chat)
        await viewer.read_turns(1)
    assert {"action": "cancel"} in [frame.get("result") for frame in agent_log.received()]


async def test_a_chosen_model_is_shown_and_reaches_the_agent(
    server: ServerProcess, api: Api, chat: str, agent_log: AgentLog
) -> None:
    async with Viewer(server.url, server.token, chat) as viewer:
        with pytest.raises(ApiError) as too_early:
            await api.set_option(chat, id="model", value="scripted-2")
        assert too_early.value.status == 409
        await api.prompt(chat, script(say("hi")))
        await viewer.read_turns(1)
        before = len(viewer.events)
        await api.set_option(chat, id="model", value="scripted-2")
        shown = (await viewer.read_until("options", since=before))[-1].data["options"]
        assert [option["current"] for option in shown if option["id"] == "model"] == ["scripted-2"]
        with pytest.raises(ApiError) as unknown:
            await api.set_option(chat, id="model", value="no-such")
        assert unknown.value.status == 422
    (frame,) = agent_log.received("session/set_config_option")
    assert (frame["params"]["configId"], frame["params"]["value"]) == ("model", "scripted-2")


async def test_a_stop_meant_for_one_turn_stops_no_other(server: ServerProcess, api: Api, chat: str) -> None:
    async with Viewer(server.url, server.token, chat) as viewer:
        first = await api.prompt(chat, script(say("one")))
        await viewer.read_turns(1)
        await api.prompt(chat, script(chunks(500, 1)))
        await viewer.read_until("text-delta", since=len(viewer.events))
        with pytest.raises(ApiError) as other:
            await api.call("POST", f"/api/chats/{chat}/cancel", {"turn": first["turn"]})
        assert other.value.status == 409
        await viewer.read_turns(2)
        assert viewer.events[-1].kind != "notice"


async def test_the_demo_can_be_run_from_a_terminal_with_nobody_there(
    start_server: StartServer, workspace: Path
) -> None:
    """Permissions are answered as told, and a form, which only the page can show, is declined."""
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
