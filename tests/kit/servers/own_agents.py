"""An agent in the settings, and a change to its settings outside the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server


def mine(place: Path, log: AgentLog, version: str = "1", **more: Any) -> dict[str, Any]:
    options = ["--store", str(place / "agent"), "--agent-version", version]
    return scripted(log=log.path, options=options, env={"MY_KEY": "canary"}) | more


async def tamper(server: Server, api: Api, old: str, new: str) -> None:
    """Somebody who can write the settings file changes it, and the server notices."""
    change(server, old, new)
    await api.call("GET", "/api/settings")


def change(server: Server, old: str, new: str) -> None:
    head, mark, table = server.config.read_text().partition('[agents."mine"]')
    assert old in table
    server.config.write_text(head + mark + table.replace(old, new))
