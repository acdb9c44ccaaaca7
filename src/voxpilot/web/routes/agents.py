"""Routes for agents: the list, and changing it.

Lives here: the catalog as JSON, secrets hidden, and a person's changes to it.
Lives elsewhere: the catalog (agents/installed/catalog.py), what a change writes
(settings/agent_editing.py).
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.background import BackgroundTasks

from voxpilot.agents.installed.approved_commands import as_agreed, is_agreed
from voxpilot.agents.installed.capabilities import abilities_of, in_words, name_of
from voxpilot.agents.installed.catalog import Agent, Catalog
from voxpilot.agents.installed.sandboxing import version_of
from voxpilot.agents.installed.versions import is_enough
from voxpilot.chat.events import Json
from voxpilot.keeper.sandbox.available import Available, available, how_to_get_it
from voxpilot.runtime.commands.create_chat import who_answers
from voxpilot.runtime.shared.services import Services
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.settings.agent_editing import put_agent, remove_agent, shown
from voxpilot.storage.across_chats.handshakes import sightings
from voxpilot.storage.database.rows import AgreedCommand, Sighting
from voxpilot.web.door.loosening import Allowed, Limits
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.agent_bodies import AgentChange, AgentInfo, AgentList

router = Router("/api/agents", "agents")


@router.get("", model=AgentList)
async def list_agents(sup: Sup, background: BackgroundTasks) -> Json:
    """What is known immediately; versions that are not known yet are looked up for the next request."""
    services = sup.services
    seen = await sightings(services.db)
    agents, default, sandboxes = await asyncio.to_thread(_look, sup)
    background.add_task(_find_versions, services.catalog, agents)
    problem = services.live.problem
    return {
        "agents": await asyncio.to_thread(
            lambda: [_described(services.catalog, agent, seen.get(agent.id)) for agent in agents]
        ),
        "default": default,
        "default_mode": who_answers(services.catalog)[0],
        "settings_problem": problem.message if problem else None,
        "sandbox_problem": None if sandboxes.kind else how_to_get_it(sandboxes),
    }


@router.put("/{agent_id}", model=AgentInfo)
async def change(agent_id: str, body: AgentChange, sup: Sup, limits: Allowed) -> Json:
    """Change an agent or add one. Omitted fields stay as they are, and so does a secret sent back masked.

    A script's change is written to the file, and VoxPilot asks about it before the agent starts.
    """
    fields = body.model_dump(exclude_unset=True)
    agreed = await asyncio.to_thread(_put, sup.services, agent_id, fields, limits.may_loosen)
    if agreed is not None:
        await sup.accepting.agree_to(agreed)
    await sup.accepting.keep()
    _check_limits(sup, agent_id, limits)
    return await _one(sup, agent_id)


def _put(services: Services, agent_id: str, fields: Json, may_loosen: bool) -> AgreedCommand | None:
    """Change an agent; returns its new approved command, if this request approves it."""
    live, catalog = services.live, services.catalog
    with live.unchanged():
        live.refresh()
        is_new = agent_id not in {agent.id for agent in catalog.all()}
        is_theirs = is_new or is_agreed(catalog, agent_id)
        put_agent(live, catalog, agent_id, fields, may_loosen)
        return as_agreed(catalog, agent_id, services.clock.now()) if is_theirs and may_loosen else None


@router.delete("/{agent_id}", status=204)
async def remove(agent_id: str, sup: Sup, limits: Allowed) -> None:
    """A known agent returns to its defaults; one that the person added is removed."""
    live, catalog, may_loosen = sup.services.live, sup.services.catalog, limits.may_loosen
    await asyncio.to_thread(live.refresh)
    await asyncio.to_thread(remove_agent, live, catalog, agent_id, may_loosen)
    await sup.accepting.keep()
    _check_limits(sup, agent_id, limits)


def _check_limits(sup: Supervisor, agent_id: str, limits: Limits) -> None:
    """Report if the written change is not in force yet, or will be asked about first."""
    services = sup.services
    is_held = any(change.where[:2] == ("agents", agent_id) for change in services.live.pending)
    is_there = agent_id in {agent.id for agent in services.catalog.all()}
    if is_held or (is_there and not is_agreed(services.catalog, agent_id)):
        limits.check("change how an agent is started")


async def _one(sup: Supervisor, agent_id: str) -> Json:
    seen = await sightings(sup.services.db)
    catalog = sup.services.catalog
    return await asyncio.to_thread(_described, catalog, catalog.get(agent_id), seen.get(agent_id))


def _look(sup: Supervisor) -> tuple[list[Agent], str, Available]:
    """Looks for each program, so it runs off the event loop."""
    sup.services.live.refresh()
    sup.services.catalog.learn_path()
    return sup.services.catalog.all(), sup.services.catalog.default(), available()


def _find_versions(catalog: Catalog, agents: list[Agent]) -> None:
    for known in agents:
        agent = catalog.describe(known.id)  # read again, because the previous lookup may have taken long
        if agent.entry.version_args and is_agreed(catalog, agent.id) and agent.path:
            version_of(catalog, agent)


def _described(catalog: Catalog, agent: Agent, seen: Sighting | None) -> Json:
    """Looks for the program, so it runs off the event loop."""
    found = agent.path
    version = catalog.versions.known(found, agent.entry.version_args) if found else None
    told: dict[str, Any] = shown(agent.entry)
    return {
        **told,
        "id": agent.id,
        "display_name": agent.display_name,
        "command": agent.command,
        "found": found,
        "version": version,
        "version_ok": is_enough(version, agent.entry.minimum_version),
        "known": agent.is_known,
        "changed": agent.is_changed,
        "fixed": list(catalog.fixed_fields(agent.id)),
        "seen": _last_seen(seen) if seen else None,
    }


def _last_seen(seen: Sighting) -> Json:
    name, version = name_of(seen.initialized)
    return {
        "name": name,
        "version": version,
        "can": in_words(abilities_of(seen.initialized)),
        "capabilities": seen.initialized.get("agentCapabilities") or {},
        "at": seen.at,
    }
