"""Who answers in a new chat, if the request leaves it open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.kit.clients.client import Api

pytestmark = [pytest.mark.anyio, pytest.mark.in_memory]

CASES: list[tuple[dict[str, Any], dict[str, Any], tuple[str, str | None]]] = [
    ({}, {}, ("agent", "scripted-silent")),
    ({"interaction_mode_default": "llm"}, {}, ("llm", None)),
    ({"interaction_mode_default": "llm"}, {"mode": "agent"}, ("agent", "scripted-silent")),
    ({"interaction_mode_default": "llm"}, {"agent": "scripted"}, ("agent", "scripted")),
    ({"interaction_mode_default": "llm"}, {"mode": "llm", "agent": "scripted"}, ("llm", "scripted")),
    ({"interaction_mode_default": "llm"}, {"load": "earlier"}, ("agent", "scripted-silent")),
    ({"interaction_mode_default": "agent"}, {"mode": "llm"}, ("llm", None)),
]


@pytest.mark.parametrize(("settings", "wish", "answers"), CASES)
async def test_what_a_new_chat_leaves_open_is_decided_by_the_settings(
    start_server: StartServer,
    workspace: Path,
    settings: dict[str, Any],
    wish: dict[str, Any],
    answers: tuple[str, str | None],
) -> None:
    """R126, R128: what is given counts, and an agent that is named without a mode answers itself."""
    server = await start_server(settings={"acp_default_agent_id": "scripted-silent", **settings})
    async with Api(server.url, server.token) as api:
        made = await api.call("POST", "/api/chats", {"workspace": str(workspace), **wish})
        assert (made["mode"], made["agent"]) == answers


async def test_the_page_is_told_what_the_server_would_choose(start_server: StartServer) -> None:
    """R126, R128: as soon as a person changes it."""
    server = await start_server()
    async with Api(server.url, server.token) as api:
        assert (await api.agents())["default_mode"] == "agent"
        await api.call(
            "PUT", "/api/settings", {"interactionModeDefault": "llm", "acpDefaultAgentId": "scripted"}
        )
        listed = await api.agents()
        assert (listed["default_mode"], listed["default"]) == ("llm", "scripted")
