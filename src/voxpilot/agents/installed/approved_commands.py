"""The approved commands of agents, and their approved tool servers.

Any program that can write the settings file may change it, including an agent. So a person has to confirm a
command that differs from the approved one, and changed tool servers, which agents run. Lives here: what is
part of a command, and whether it is still the same. Lives elsewhere: asking
(runtime/processes/command_approval.py), the rows (storage/across_chats/approved_commands.py).
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.settings import AgentSettings, McpServer
from voxpilot.settings.masking import hide_opaque, hide_opaque_values
from voxpilot.storage.database.rows import AgreedCommand

_SANDBOX = ("sandbox", "sandbox_network", "sandbox_writable", "sandbox_readable")
_PARTS = {"command", "args", "env", "pass_env", "tcp", "allow_remote", "version_args"}
"""Everything that decides what runs, or whom we talk to."""
_WORDS = {"display_name", "install_hint", "login_hint", "minimum_version"}
"""Fields that are only displayed."""
SERVERS = "/tool-servers"
"""Stands for the tool servers where others have the id of an agent; none can have this one."""


def is_agreed(catalog: Catalog, agent: str) -> bool:
    """Whether it may run without asking: it is what we ship, or what a person approved."""
    before = catalog.consents.commands.get(agent)
    if catalog.is_as_shipped(agent):
        return before is None or before.sandbox == "off"  # otherwise it has lost its sandbox
    return before is not None and before.fingerprint == fingerprint(catalog, agent)


def as_agreed(catalog: Catalog, agent: str, at: float) -> AgreedCommand:
    entry = catalog.describe(agent).entry
    return AgreedCommand(
        agent=agent,
        fingerprint=fingerprint(catalog, agent),
        shown=in_words(entry),
        sandbox=entry.sandbox,
        at=at,
    )


def fingerprint(catalog: Catalog, agent: str) -> str:
    """Only sandbox values that a person has set, so that commands approved before there were sandboxes stay
    approved."""
    entry = catalog.describe(agent).entry
    usual = catalog.default_entry(agent) or AgentSettings()
    chosen = {name for name in _SANDBOX if getattr(entry, name) != getattr(usual, name)}
    return _digest(entry.model_dump(mode="json", include=_PARTS | chosen))


def servers_as_agreed(servers: Mapping[str, McpServer], at: float) -> AgreedCommand:
    parts = {name: server.model_dump(mode="json") for name, server in servers.items()}
    shown = "\n".join(_server_in_words(name, server) for name, server in servers.items())
    return AgreedCommand(agent=SERVERS, fingerprint=_digest(parts), shown=shown or "none", at=at)


def in_words(entry: AgentSettings) -> str:
    """The command as a person would type it, with everything it is given; only certain secrets are hidden."""
    lines = [_typed(entry.command, entry.args) if entry.command else f"at {entry.tcp}"]
    lines += _variables(entry.env)
    if entry.pass_env:
        lines.append(f"with {', '.join(entry.pass_env)} from the server's environment")
    if entry.sandbox != "off":
        lines.append(f"in a sandbox: {entry.sandbox}{'' if entry.sandbox_network else ', without network'}")
        lines += [f"which may write to {path}" for path in entry.sandbox_writable]
        lines += [f"which may read {path}" for path in entry.sandbox_readable]
    said = _PARTS | _WORDS | {*_SANDBOX, "scratch"}
    for name in sorted({name for name in AgentSettings.model_fields if name not in said} | {"allow_remote"}):
        if (value := getattr(entry, name)) != AgentSettings.model_fields[name].default:
            lines.append(f"{name} = {value}")
    return "\n".join(lines)


def _server_in_words(name: str, server: McpServer) -> str:
    if server.type == "stdio":
        return "\n".join([f"{name}: {_typed(server.command, server.args)}", *_variables(server.env)])
    return "\n".join([f"{name}: {hide_opaque([server.url])[0]}", *_variables(server.headers)])


def _typed(command: str, args: tuple[str, ...]) -> str:
    return shlex.join([command, *hide_opaque(args)])


def _variables(given: Mapping[str, str]) -> list[str]:
    return [f"with {name}={value}" for name, value in hide_opaque_values(given).items()]


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def not_agreed_to(catalog: Catalog) -> list[str]:
    """Agents with a command of the person's own that nobody has approved yet."""
    known = catalog.consents.commands
    return [a.id for a in catalog.all() if a.id not in known and not catalog.is_as_shipped(a.id)]
