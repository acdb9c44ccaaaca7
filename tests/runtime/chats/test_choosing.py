"""Forms, links and options: what an agent offers and asks, answered by a person.

What needs processes: tests/stories/sessions/test_choosing.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import chunks, mode, request, say, script
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.sse import Viewer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

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
    server: Server, api: Api, chat: str, content: dict[str, object]
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
    server: Server, api: Api, chat: str, agent_log: AgentLog
) -> None:
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(LINK))
        asked = (await viewer.read_until("question"))[-1].data
        assert (asked["type"], asked["detail"]["host"]) == ("url", "example.com")
        await api.answer_form(chat, asked["id"], "decline")
        await viewer.read_turns(1)
    assert {"action": "decline"} in [frame.get("result") for frame in agent_log.received()]


async def test_stopping_a_turn_cancels_its_form(
    server: Server, api: Api, chat: str, agent_log: AgentLog
) -> None:
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(FORM))
        await viewer.read_until("question")
        await api.cancel(chat)
        await viewer.read_turns(1)
    assert {"action": "cancel"} in [frame.get("result") for frame in agent_log.received()]


async def test_a_chosen_model_is_shown_and_reaches_the_agent(
    server: Server, api: Api, chat: str, agent_log: AgentLog
) -> None:
    """R114, C10: by `configId`, the value as it was offered."""
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
    await until(lambda: agent_log.received("session/set_config_option") != [])
    (frame,) = agent_log.received("session/set_config_option")
    assert (frame["params"]["configId"], frame["params"]["value"]) == ("model", "scripted-2")


def offers(viewer: Viewer) -> list[Any]:
    """What was offered and chosen, each time it was reported."""
    return [event.data["options"] for event in viewer.events if event.kind == "options"]


async def test_older_agents_are_told_by_the_older_methods(
    server: Server, api: Api, workspace: Path, agent_log: AgentLog
) -> None:
    """R113, R115, C14: modes and models that are not config options are shown and chosen the same way."""
    chat = (await api.create_chat(workspace, "scripted-old-options"))["id"]
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(say("hi")))
        await viewer.read_turns(1)
        offered = offers(viewer)[-1]
        assert [(o["id"], [c["value"] for c in o["choices"]]) for o in offered] == [
            ("model", ["scripted-1", "scripted-2"]),
            ("mode", ["ask", "plan", "auto"]),
        ]
        await api.set_option(chat, id="mode", value="plan")
        await api.set_option(chat, id="model", value="scripted-2")
        await until(lambda: len(agent_log.received("session/set_model")) == 1, 10)
    (mode,), (model,) = agent_log.received("session/set_mode"), agent_log.received("session/set_model")
    session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
    assert mode["params"] == {"sessionId": session, "modeId": "plan"}
    assert model["params"] == {"sessionId": session, "modelId": "scripted-2"}


@pytest.mark.parametrize("agent", ["scripted", "scripted-old-options"])
async def test_a_change_of_mode_by_the_agent_leaves_the_model_alone(
    server: Server, api: Api, workspace: Path, agent: str
) -> None:
    """R117, R197: an update of the agent's mode does not change its model."""
    chat = (await api.create_chat(workspace, agent))["id"]
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(say("hi")))
        await viewer.read_turns(1)
        await api.set_option(chat, id="model", value="scripted-2")
        await api.prompt(chat, script(mode("auto"), say("there")))
        await viewer.read_turns(2)
        shown = {o["id"]: o["current"] for o in offers(viewer)[-1]}
    assert (shown["mode"], shown["model"]) == ("auto", "scripted-2")


@pytest.mark.parametrize(
    ("option", "value", "before"), [("mode", "plan", "ask"), ("model", "scripted-2", "scripted-1")]
)
async def test_a_choice_the_agent_refuses_is_taken_back_and_told(
    server: Server, api: Api, workspace: Path, option: str, value: str, before: str
) -> None:
    """R116: shown immediately, then reverted, with the agent's reason."""
    chat = (await api.create_chat(workspace, "scripted-refuse-options"))["id"]
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(say("hi")))
        await viewer.read_turns(1)
        seen = len(offers(viewer))
        await api.set_option(chat, id=option, value=value)
        told = await viewer.read_until(lambda e: e.kind == "notice" and e.data["code"] == "option-refused")
        assert "the moon is full" in told[-1].data["text"]
        await until(lambda: len(offers(viewer)) == seen + 2, 10)
        shown = [{o["id"]: o["current"] for o in given} for given in offers(viewer)[seen:]]
    assert [choice[option] for choice in shown] == [value, before]


async def test_an_agent_that_offers_nothing_is_shown_without_choices(
    server: Server, api: Api, workspace: Path
) -> None:
    """R115, R118, R120: no mode, no model, and neither can be chosen."""
    chat = (await api.create_chat(workspace, "scripted-caps-off"))["id"]
    async with Viewer(server.url, server.token, chat) as viewer:
        await api.prompt(chat, script(say("hi")))
        await viewer.read_turns(1)
        assert offers(viewer) == []
        with pytest.raises(ApiError) as refused:
            await api.set_option(chat, id="mode", value="plan")
        assert refused.value.status == 422


async def test_a_stop_meant_for_one_turn_stops_no_other(server: Server, api: Api, chat: str) -> None:
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


async def test_a_form_that_makes_no_sense_can_still_be_answered(
    server: Server, api: Api, chat: str, agent_log: AgentLog
) -> None:
    """Bounds that are not numbers and choices that are not a list are ignored."""
    odd: list[dict[str, Any]] = [
        {"properties": {"a": {"type": "string", "enum": 5, "minLength": "x"}}, "required": True},
        {"properties": {"a": {"type": "string", "oneOf": 5}}, "required": ["a", {"b": 1}]},
        {"properties": {"a": {"type": "integer", "minimum": "3", "maximum": True}}},
        {"properties": {"a": {"type": "array", "items": {"anyOf": 3}, "minItems": "x"}}},
    ]
    given: list[Any] = ["text", "text", 5, ["text"]]
    async with Viewer(server.url, server.token, chat) as viewer:
        for schema, value in zip(odd, given, strict=True):
            before = len([event for event in viewer.events if event.kind == "question"])
            params = {"mode": "form", "message": "Who?", "requestedSchema": {"type": "object", **schema}}
            await api.prompt(chat, script(request("elicitation/create", params)))
            await until(lambda: len([e for e in viewer.events if e.kind == "question"]) > before, 20)  # noqa: B023
            asked = [event for event in viewer.events if event.kind == "question"][-1].data
            await api.answer_form(chat, asked["id"], "accept", content={"a": value})
        await until(lambda: len([f for f in agent_log.received() if "result" in f]) == len(given), 20)
        accepted = [f["result"]["content"]["a"] for f in agent_log.received() if "result" in f]
        assert accepted == given
