"""Commands that only print something: `token`, `link`, `agents`.

Lives here: what they print. Lives elsewhere: tokens and links (web/door/access.py),
the agents (agents/installed/catalog.py).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import sys
from urllib.parse import urlsplit

from voxpilot.agents.installed.accepted import hold_to_accepted
from voxpilot.agents.installed.approved_commands import is_agreed
from voxpilot.agents.installed.catalog import Agent, Catalog
from voxpilot.chat.events import Json
from voxpilot.cli.server import NoServer, client, locate
from voxpilot.cli.text import clean
from voxpilot.errors import Invalid
from voxpilot.settings import Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.settings.masking import hide_args
from voxpilot.storage.directory import data_dir
from voxpilot.web.door.access import owner_token


def token(settings: Settings) -> int:
    data_dir.prepare(settings.data_dir)
    print(owner_token(settings.data_dir))
    return 0


def link(settings: Settings, host_url: str | None) -> int:
    """A sign-in link of the running server, under the name by which the other device reaches it."""
    own = locate(settings)
    if own is None:
        raise NoServer(settings)
    base = _base_of(host_url) if host_url else _friendly(own)
    made = asyncio.run(_new_link(settings))
    print(f"{base}/#code={made['code']}")
    print(f"It works once and expires in {made['expires_in'] / 60:.0f} minutes.", file=sys.stderr)
    return 0


def agents(live: LiveSettings, as_json: bool) -> int:
    catalog = Catalog(live)
    problem = hold_to_accepted(live, catalog)
    if problem is not None:
        print(clean(f"voxpilot: Approvals cannot be read. {problem.message}"), file=sys.stderr)
    found = [(agent, is_agreed(catalog, agent.id)) for agent in catalog.all()]
    if as_json:
        print(json.dumps([_described(*one) for one in found], indent=2))
        return 0
    rows = [("AGENT", "NAME", "STATE", "LOCATION OR INSTALL COMMAND"), *(_row(*one) for one in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for *first, last in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(first, widths, strict=True)), last]))
    return 0


async def _new_link(settings: Settings) -> Json:
    async with client(settings, patience_seconds=0) as server:
        made: Json = await server.call("POST", "/api/links")
        return made


def _friendly(base: str) -> str:
    """On this machine itself, a host name whose cookies no other local server receives."""
    where = urlsplit(base)
    host = where.hostname or ""
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    return f"http://voxpilot.localhost:{where.port}" if is_here else base


def _base_of(given: str) -> str:
    where = urlsplit(given if "://" in given else f"http://{given}")
    if where.scheme not in ("http", "https") or not where.hostname:
        raise Invalid(f"{given!r} is not a valid address.", "Use an address like http://my-laptop:8460.")
    return f"{where.scheme}://{where.netloc}"


def _row(agent: Agent, agreed: bool) -> tuple[str, str, str, str]:
    """Nobody should install or start by hand a command that somebody else may have put into the settings."""
    if not agreed:
        how = "approve its command in the browser before it can start"
        return agent.id, agent.display_name, "changed", how
    state = "found" if agent.path else "missing"
    return agent.id, agent.display_name, state, agent.path or agent.install_hint or f"install {agent.command}"


def _described(agent: Agent, agreed: bool) -> Json:
    return {
        "id": agent.id,
        "display_name": agent.display_name,
        "command": agent.command,
        "args": hide_args(agent.args),
        "found": agent.path,
        "agreed": agreed,
        "install_hint": agent.install_hint,
    }
