"""How agents were started when a person last agreed to it, and which tool servers they were given.

The settings file may be changed by whoever can write it, an agent among them.
So a command that differs from the one that was agreed to is a person's to
confirm, and so are the tool servers, which agents run. Lives here: what counts
as the command, and whether it is still the same. Lives elsewhere: asking
(runtime/agreeing.py), the rows (storage/agreed.py).
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from typing import Any

from voxpilot.agents.catalog import Catalog
from voxpilot.agents.hidden import hide_args
from voxpilot.settings import AgentSettings, McpServer
from voxpilot.storage.rows import AgreedCommand

_PARTS = {"command", "args", "env", "pass_env", "tcp", "allow_remote", "version_args"}
"""All that decides what is run, or whom we talk to."""
SERVERS = "/tool-servers"
"""Stands for the tool servers where others have the id of an agent; none can have this one."""


def is_agreed(catalog: Catalog, agent: str) -> bool:
    """Whether a person may start it unasked: it is vouched for, or was never started before."""
    return agent not in catalog.agreed or is_vouched_for(catalog, agent)


def is_vouched_for(catalog: Catalog, agent: str) -> bool:
    """Whether it is what we ship or what was agreed to, so that it may be run although nobody orders it."""
    before = catalog.agreed.get(agent)
    if catalog.is_as_shipped(agent):
        return True
    return before is not None and before.fingerprint == fingerprint(catalog, agent)


def as_agreed(catalog: Catalog, agent: str, at: float) -> AgreedCommand:
    entry = catalog.describe(agent).entry
    return AgreedCommand(agent=agent, fingerprint=fingerprint(catalog, agent), shown=in_words(entry), at=at)


def fingerprint(catalog: Catalog, agent: str) -> str:
    return _digest(catalog.describe(agent).entry.model_dump(mode="json", include=_PARTS))


def servers_as_agreed(servers: Mapping[str, McpServer], at: float) -> AgreedCommand:
    parts = {name: server.model_dump(mode="json") for name, server in servers.items()}
    shown = "\n".join(_server_in_words(name, server) for name, server in servers.items())
    return AgreedCommand(agent=SERVERS, fingerprint=_digest(parts), shown=shown or "none", at=at)


def in_words(entry: AgentSettings) -> str:
    """The command as a person would type it, its secrets hidden, and the names of its variables."""
    lines = [_typed(entry.command, entry.args) if entry.command else f"at {entry.tcp}"]
    if names := [*entry.env, *entry.pass_env]:
        lines.append(f"with {', '.join(names)}")
    return "\n".join(lines)


def _server_in_words(name: str, server: McpServer) -> str:
    if server.type == "stdio":
        what, names = _typed(server.command, server.args), server.env
    else:
        what, names = hide_args([server.url])[0], server.headers
    return f"{name}: {what}" + (f"\nwith {', '.join(names)}" if names else "")


def _typed(command: str, args: tuple[str, ...]) -> str:
    return shlex.join([command, *hide_args(args)])


def _digest(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
